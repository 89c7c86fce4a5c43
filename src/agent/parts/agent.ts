// What the stages of one agent share. Plain types; whoever builds an Agent is in legion.ts.

import type { Inbox } from "../../mail/bus.ts";
import type { Clock } from "../../base/clock.ts";
import type { Undeliverable } from "../../past/dead-letters.ts";
import type { ExecuteOptions } from "../../environment/environment.ts";
import type { Call, ResultEvent } from "../../domain/event.ts";
import type { Inspect } from "../../domain/inspection.ts";
import type { Blobs } from "../../past/blobs.ts";
import type { Memory } from "../../past/past.ts";
import type { AgentId } from "../../domain/message.ts";
import type { MeteredModel } from "./metered-model.ts";
import type { CommandRun, NodeHost, Peer, Workspace } from "../../domain/module.ts";
import type { ModuleSet } from "./module-set.ts";
import type { Presence } from "./presence.ts";
import type { Outbox } from "../../mail/outbox.ts";
import type { Speech } from "./speech.ts";
import type { Tenure } from "../../domain/lease.ts";
import type { Traces } from "./command-trace.ts";
import type { MemorySettings } from "../../domain/memory-settings.ts";

export interface Identity {
  readonly id: AgentId;
  /** The display name. */
  readonly name: string;
  readonly description: string;
  /** The body of the definition. */
  readonly brief: string;
}

/** What every agent of a process shares. */
export interface Shared {
  readonly clock: Clock;
  readonly inspect: Inspect;
  readonly workspace: TracedWorkspace;
  readonly node: NodeHost;
  /** The section of config.yaml that has the module's name. */
  readonly settings: (module: string) => Readonly<Record<string, unknown>>;
  /** Every known agent, Control not. */
  readonly peers: () => Promise<readonly Peer[]>;
  /** Unread messages of one agent. */
  readonly unread: (agent: AgentId) => Promise<number>;
  /** Tells Control of an agent's trouble, or counts it, to be told of with others. */
  readonly tellControl: (agent: AgentId, trouble: string, content: string) => void;
  /** Should the agent tell Control of its trouble itself? Otherwise it is told of with others. */
  readonly isNews: (agent: AgentId, trouble: string) => boolean;
  /** Says once for each chain of messages that it was stopped for its length, if that is why something was refused. */
  readonly announceHops: (from: AgentId, refused: readonly Undeliverable[]) => Promise<void>;
}

/** A workspace whose commands can be found again after a crash. */
export interface TracedWorkspace extends Pick<Workspace, "root"> {
  execute(command: string, options: Omit<ExecuteOptions, "cwd">): Promise<CommandRun>;
  /** Ends what a runtime that died left running of a call; says whether there was anything. */
  endLeft(mark: string): Promise<boolean>;
}

export interface Agent {
  readonly identity: Identity;
  readonly presence: Presence;
  readonly shared: Shared;
  /** The right to run it. */
  readonly tenure: Tenure;
  readonly model: MeteredModel;
  readonly speech: Speech;
  readonly settings: MemorySettings;
  /** 0 is eager. */
  readonly tickMs: number;
  /** A pause after each decision. */
  readonly delayMs: number;
  readonly memory: Memory;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  /** Runs one of its calls. */
  readonly perform: Perform;
  readonly modules: ModuleSet;
  readonly blobs: Blobs;
  readonly traces: Traces;
}

/** Runs one call and says what came of it. */
export type Perform = (agent: Agent, call: Call, signal: AbortSignal) => Promise<Performed>;

/** What one call came to; nothing of it is committed. */
export interface Performed {
  readonly result: ResultEvent;
  /** Messages that were not sent, to be committed with the result. */
  readonly refused: readonly Undeliverable[];
}
