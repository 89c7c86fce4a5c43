// What a person may ask of a legion, wherever it is and whether or not anybody runs it.

import type { Config } from "../../config/config.ts";
import type { Limits } from "../../domain/limits.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Backend } from "../../storage/contract/backend.ts";
import type { AgentStatus } from "../../legion/status.ts";
import type {
  AnsweredQuestion,
  ForkAnswer,
  LimitsAnswer,
  LimitsOrder,
  ModeOrder,
  NodeServer,
  Obeyed,
  Order,
  PersonMessage,
  ProgramMessage,
  RelayAnswer,
  Resent,
  UndoAnswer,
  UndoOrder,
} from "./routes.ts";
import type { ForkOrder } from "../../legion/fork.ts";

/** A legion that runs or rests. */
export interface LegionClient {
  /** Of every agent, or of `agents` alone, in their order. */
  status(agents?: readonly AgentId[]): Promise<Overview>;
  /**
   * Returns the message ids; an abort is said to those alone that there is something to abort of. Rejects with REFUSED for an
   * abort while no node runs.
   */
  say(said: PersonMessage): Promise<readonly string[]>;
  /** Says something for another program, once for one request. */
  relay(said: ProgramMessage): Promise<RelayAnswer>;
  /** Answers a question; returns the message id. */
  answer(answered: AnsweredQuestion): Promise<string>;
  /** Has agents go on in another mode; returns the message ids. */
  mode(order: ModeOrder): Promise<readonly string[]>;
  /**
   * Says what agents, or all of them together, may spend from now on. Rejects with USAGE for steps or turns of all together, with
   * REFUSED for all together while no node runs, and for a limit of money where the start set none.
   */
  limits(order: LimitsOrder): Promise<LimitsAnswer>;
  order(order: Order): Promise<readonly Obeyed[]>;
  /** Sends dead letters again; says of each what came of it. */
  resend(dead: readonly string[]): Promise<readonly Resent[]>;
  /** Has an agent go on from an earlier moment of its past. */
  fork(order: ForkOrder): Promise<ForkAnswer>;
  /**
   * Takes back what was done for a message, or in one event. Through the node in this folder when the calls of its agents have ended; where
   * none runs, at once. Rejects with USAGE if no log has it.
   */
  undo(order: UndoOrder): Promise<UndoAnswer>;
  /** Ends every node, and waits a minute for what they are at. Rejects with REFUSED if none runs. */
  end(): Promise<readonly EndedNode[]>;
}

export interface Overview {
  /** Also those that nobody runs; 2 before 10. */
  readonly agents: readonly AgentStatus[];
  /** The names of the nodes, also of those that run none of them. */
  readonly nodes: readonly string[];
  /** Those that the nodes' modules speak with, node by node. */
  readonly servers: readonly NodeServer[];
  /** What all agents may spend together, as a node says; `null`: none runs. */
  readonly limits: Limits | null;
}

/** A node that was told to end; `late`: it is still at it; `silent`: it did not answer. */
export interface EndedNode {
  /** `<pid>@<host>`, or the pid alone of one on this machine. */
  readonly node: string;
  readonly outcome: "ended" | "late" | "silent";
}

export interface LegionSite {
  /** Real path of its folder: where a node that runs here listens. */
  readonly project: string;
  /** Absolute real path of the home; that of the project's own legion if absent. */
  readonly home?: string;
  readonly backend: Backend;
  readonly config: Pick<Config, "durability"> & Partial<Pick<Config, "secrets">>;
  /** What no agent may change, and so no undo changes; absent: the floor alone. */
  readonly protectedPaths?: () => Promise<readonly string[]>;
}
