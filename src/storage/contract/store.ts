// Where a legion is kept, opened for writing.

import type { Bus } from "../../mail/bus.ts";
import type { Control } from "../../mail/control.ts";
import type { Event } from "../../domain/event/event.ts";
import type { Ledger } from "../../past/ledger.ts";
import type { Blobs } from "../../past/log/blobs.ts";
import type { Memory, MemoryOptions } from "../../past/past.ts";
import type { Projector } from "../../past/shown/state.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Module } from "../../domain/authoring/module.ts";
import type { Resting } from "./resting.ts";
import type { Past } from "./seed.ts";
import type { Branch } from "../../past/fold.ts";
import { textProtocol } from "../../model/protocol/text.ts";
import type { Tenure } from "../../domain/lease.ts";
import type { ViewOptions } from "../../past/view.ts";
import type { Writer } from "../../mail/log-access.ts";

export interface Store {
  readonly bus: Bus;
  readonly control: Control;
  /** Every agent of the legion, Control not. */
  known(): readonly AgentId[];
  /** Those of them that another process runs at this moment. */
  runElsewhere(): Promise<ReadonlySet<AgentId>>;
  /** May no new agent have this name? */
  isTaken(agent: AgentId): Promise<boolean>;
  /** What the last start made of the agent, as JSON; `undefined` if nothing is known. */
  record(agent: AgentId): Promise<string | undefined>;
  /** Keeps `record`; the agent is known from then on. */
  enroll(agent: AgentId, record: string): Promise<void>;
  events(agent: AgentId): AsyncIterable<Event>;
  blobs(agent: AgentId): Blobs;
  /** `undefined` for an unknown agent, and for one whose log cannot be read. */
  ledger(agent: AgentId): Promise<Ledger | undefined>;
  /** What keeps readable copies of the state of `modules`. */
  projector(agent: AgentId, modules: readonly Module[]): Projector;
  /** The right of this process to run the agent. Throws LOCKED if it has none. */
  tenure(agent: AgentId): Tenure;
  /** Opens the log of an agent that this process has the right to run. */
  openAgent(agent: AgentId, options: AgentMemoryOptions): Promise<Memory>;
  /** Agents that rest are closed, and opened when something comes; absent: all that this process runs stay open. */
  readonly resting?: Resting;
  /** Makes an agent that begins with the past of another; all of it is there at once, or nothing. Rejects with FOREIGN. */
  found(agent: AgentId, past: Past, record: string | undefined): Promise<Branch>;
  /** For known agents that are not hosted; `undefined` for others. */
  writerFor(agent: AgentId): Writer | undefined;
  /** Delivers what Control and agents that nobody runs left undelivered. */
  deliverForOthers(): Promise<void>;
  close(): Promise<void>;
}

export interface AgentMemoryOptions extends Pick<MemoryOptions, "keeps"> {
  readonly view: ViewOptions;
  readonly projector: Projector;
}

/** To write to a log whose agent does not run. */
export const UNHOSTED: AgentMemoryOptions = {
  view: { protocol: textProtocol, errors: "keep", window: Infinity },
  projector: { write: () => Promise.resolve(), reconcile: () => Promise.resolve([]) },
};
