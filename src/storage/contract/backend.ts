// Where a legion is kept: all that the rest of the program may ask of that place. Which one it is, only `open.ts` says.

import type { Clock } from "../../base/clock.ts";
import type { Event } from "../../domain/event/event.ts";
import type { Inspection } from "../../domain/inspection.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Memories } from "./memory/memories.ts";
import type { Arrival, Unfolded } from "./arrival.ts";
import type { Durability, NodeOrder, NodeStorage, Surroundings } from "./node.ts";
import type { Nodes } from "./nodes.ts";
import type { Reader } from "./reader.ts";
import type { CopyOptions, Source } from "./source.ts";
import type { Store } from "./store.ts";

export interface Backend {
  readonly reader: Reader;
  /** Those of the project, whatever home of it this is. */
  readonly memories: Memories;
  /** Absent: one process at a time opens it for writing. */
  readonly nodes?: Nodes;
  /** `waits`: what somebody else wrote is taken in, and waits for the person; `refused`: nothing here could say that it is. */
  readonly foreign: "waits" | "refused";
  /**
   * Opens it for a process that runs agents. Rejects with LOCKED if another one runs in the project's folder, with STORAGE if
   * the place cannot be reached, with REFUSED if it can lose what it is given and nobody allowed that.
   */
  openNode(order: NodeOrder, surroundings: Surroundings): Promise<NodeStorage>;
  /** Opens it for a person's word, which no node carries. Rejects with LOCKED if one has it alone. */
  openStore(options: StoreOptions): Promise<Store>;
  /** Every event of a log from number `from` on, each once, in order, until `signal` aborts. */
  follow(agent: AgentId, following: Following): AsyncIterable<Event>;
  /** What `read` gives, which is called again, until it comes to an end, whenever the place was out of reach. */
  patiently<T>(read: () => AsyncIterable<T>, patience: Patience): AsyncIterable<T>;
  /** To copy agents out of it, also while they run. */
  source(options: CopyOptions): Source;
  /**
   * Takes in agents. Rejects with REFUSED if one of them is there already, with LOCKED if a node runs that has the place
   * alone, with FOREIGN where that is `refused`, and with whatever the arrival rejects with; then nothing has changed.
   * Resolves with what was left out, one line each.
   */
  receive(arrival: Arrival, unfold: () => Promise<Unfolded>): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly durability: Durability;
  readonly clock: Clock;
}

export interface Patience {
  readonly signal: AbortSignal;
  /** Told, once each time, why nothing comes for a while. */
  readonly onAway: (reason: string) => void;
}

export interface Following extends Patience {
  readonly from: number;
  /** How often is looked whether anything was not heard of; default 2 s. */
  readonly lookMs?: number;
  /** What a node in this folder tells of the agent from now on; ends with it, and at once while there is none. */
  readonly live: (signal: AbortSignal) => Promise<AsyncIterable<Inspection> | Iterable<Inspection>>;
}
