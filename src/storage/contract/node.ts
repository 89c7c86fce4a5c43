// A legion's place, opened by a process that runs agents of it: all of them, or its share while other processes run the rest.

import type { Clock } from "../../base/clock.ts";
import type { Disk } from "../../base/files/disk.ts";
import type { Inspect } from "../../domain/inspection.ts";
import type { Limits } from "../../domain/limits.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Outbox } from "../../mail/outbox.ts";
import type { Ledger } from "../../past/ledger.ts";
import type { LegionCeiling } from "../../past/limits/spending.ts";
import type { LegionPaths } from "../folder/paths.ts";
import type { LastStart } from "./last-start.ts";
import type { Store } from "./store.ts";

/** `disk`: a commit is flushed. `process`: it is with the operating system, and lost if the machine stops. */
export type Durability = "disk" | "process";

/** An agent that a process is able to run. */
export interface Hostable {
  readonly id: AgentId;
  /** What is kept of its plan, as JSON. */
  readonly record: string;
  /** `workspace`: its work lies in the files of the project; it can go on nowhere else. */
  readonly place: "anywhere" | "workspace";
}

/** Who runs agents in this process, as far as the place in which they are kept has to know. */
export interface AgentHost {
  /** Opens every agent that it has, then runs them, for a process that nobody can take them from. */
  beginAll(): Promise<void>;
  /** Opens one and runs it while this process has the right to. Rejects if it cannot be opened. */
  begin(agent: AgentId): Promise<HostedAgent>;
  /** Does it run, and has nothing to do? */
  isIdle(agent: AgentId): boolean;
  /** Those of which commands run in the background. */
  inBackground(): readonly AgentId[];
  /** Stops one and closes it: finishes what runs, unless the right to run it is lost. Rejects if a module closes badly. */
  end(agent: AgentId): Promise<void>;
  /** Finishes what one is at, and runs it no more; it stays open. */
  dismiss(agent: AgentId): Promise<void>;
  /** The same, and closes it: what it has spent counts on. Rejects if a module closes badly. */
  retire(agent: AgentId): Promise<void>;
  /** Opens one that rests: something has come for it. */
  wake(agent: AgentId): void;
  /** `undefined` for one that is not open. */
  outboxOf(agent: AgentId): Outbox | undefined;
  /** The same of one that it runs, which is opened for it where it rests. */
  outboxFor(agent: AgentId): Promise<Outbox | undefined>;
  /** Finishes what runs; nobody is closed yet. */
  stop(): Promise<void>;
}

export interface HostedAgent {
  readonly memory: { readonly ledger: Ledger };
  readonly outbox: Outbox;
}

export interface NodeStorage {
  readonly store: Store;
  /** The project's folder. */
  readonly disk: Disk;
  /** What this process is called among the nodes of the legion; absent: it is the only one. */
  readonly node?: string;
  /** Where the limits of the legion are kept; absent: where its agents are. */
  readonly ceiling?: LegionCeiling;
  /** Keeps, in place of the record of this start, what the next one takes over. */
  remember(started: LastStart): Promise<void>;
  /** Has the agents run that this process shall run. */
  begin(host: AgentHost): Promise<Running>;
}

export interface Running {
  /** Resolves when it is known of every agent whether it runs here. */
  settled(): Promise<void>;
  /** Finishes what runs. */
  stop(): Promise<void>;
  /** Finishes what the agent is at; nobody runs it any more until a start names it again. */
  dismiss(agent: AgentId): Promise<void>;
  /** The same; nothing but what it has spent is held of it in this process. */
  retire(agent: AgentId): Promise<void>;
  /**
   * Runs one more agent, new or known, which the host has a plan for; one that was dismissed begins anew. Rejects if it cannot be
   * opened, with LOCKED if another process runs it.
   */
  add(agent: Hostable): Promise<void>;
}

export interface NodeOrder {
  readonly agents: readonly Hostable[];
  readonly limits: Limits;
  /** The record of this start, for the next one. */
  readonly started?: LastStart;
  readonly durability: Durability;
  readonly disk?: Disk;
  /** Shall files that somebody else wrote be taken on? */
  readonly foreign?: "adopt";
}

export interface Surroundings {
  readonly paths: LegionPaths;
  readonly clock: Clock;
  readonly inspect: Inspect;
}
