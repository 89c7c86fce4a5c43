// The processes that share a legion, as whoever speaks to them has to know them.

import type { AgentId } from "../../domain/message/message.ts";
import type { WorkspaceId } from "../folder/workspace.ts";

export interface Nodes {
  /** The name of the legion. */
  readonly legion: string;
  /** Where it is, for people. */
  readonly shown: string;
  /** Those that are there at this moment. */
  list(): Promise<readonly NodeRecord[]>;
  /** Costs as much for many `agents` as for one. */
  whereabouts(agents: readonly AgentId[]): Promise<Whereabouts>;
  /** Says of an agent which workspace it is bound to; `undefined` if it can go on anywhere. */
  homes(): Promise<(agent: AgentId) => WorkspaceId | undefined>;
  /** From now on no node takes the agent, until a start names it again. Who runs it has to be told besides. */
  bar(agent: AgentId): Promise<void>;
  /** What is said to the node, or by a node to the client, with this id, or to those who watch the agent with this id. */
  channel(to: "node" | "client" | "viewers", id: string): Channel;
  /** The ids of agents that somebody watches, each said again as long as that goes on. */
  readonly watched: Channel;
}

/** May lose what is said on it. */
export interface Channel {
  /** Rejects with STORAGE if it surely was not said. */
  say(text: string): Promise<void>;
  /** The same, and nobody is told. */
  hint(text: string): void;
  /** Calls `hear` for each text that is said from when this resolves; returns how to stop. */
  listen(hear: (text: string) => void): Promise<() => void>;
}

/** What a process says about itself. */
export interface NodeRecord {
  /** `<name>/<nonce>`: no other process ever bears it. */
  readonly id: string;
  /** `<pid>@<host>`, for people. */
  readonly name: string;
  readonly workspace: string;
  /** How many agents it runs. */
  readonly agents: number;
  /** Which agents it is able to run, those included. */
  readonly able: readonly AgentId[];
  /** Those of which commands run in the background. */
  readonly inBackground: readonly AgentId[];
}

/** `<pid>@<host>`: what a node's id begins with. */
export function nodeName(id: string): string {
  return id.split("/", 1)[0]!;
}

export interface Whereabouts {
  /** The processes that are members, by their id. */
  readonly nodes: ReadonlyMap<string, NodeRecord>;
  of(agent: AgentId): Holding;
}

export interface Holding {
  /** The id of the process that has the right to run the agent; it may be no member, or dead. */
  readonly holder: string | undefined;
  /** A person stopped it. */
  readonly isStopped: boolean;
}
