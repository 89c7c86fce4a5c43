// An agent's log and everything that is folded from it. Whatever is committed is at once in the log, the ledger, the
// view and the module state; nothing else changes them.

import type { Event, NewEvent, StateChange } from "./event.ts";
import type { AgentId } from "./message.ts";
import type { Inspect } from "./inspection.ts";
import { account, createLedger, type Ledger } from "./ledger.ts";
import type { EventLog } from "./log/event-log.ts";
import { createModuleState, foldState, type ModuleState } from "./state.ts";
import { createView, type View, type ViewOptions } from "./view.ts";

export interface Memory {
  readonly agent: AgentId;
  readonly ledger: Ledger;
  readonly view: View;
  readonly state: ModuleState;
  /** Commits `events` as one and folds them in. Resolves when readable copies of changed state are on disk, too. */
  commit(...events: readonly NewEvent[]): Promise<void>;
  /** Adds an event that nothing depends on; durable with the next commit. */
  note(event: NewEvent): void;
  /** Every event, oldest first; from the disk. */
  read(from?: number): AsyncIterable<Event>;
  close(): Promise<void>;
}

/** Writes what people can read of module state. */
export interface Projector {
  write(changes: readonly StateChange[], state: ModuleState): Promise<void>;
}

export interface MemoryOptions {
  readonly agent: AgentId;
  readonly view: ViewOptions;
  readonly inspect: Inspect;
  readonly projector: Projector;
}

/** `open` opens the log and hands every event of it to its argument, oldest first. */
export async function openMemory(
  options: MemoryOptions,
  open: (each: (event: Event) => void) => Promise<EventLog>,
): Promise<Memory> {
  const ledger = createLedger();
  const view = createView(options.view);
  const state = createModuleState();
  const fold = (event: Event): void => {
    account(ledger, event);
    view.see(event);
    foldState(state, event);
  };
  const log = await open(fold);
  if (ledger.log !== log.id) ledger.numbers.clear();
  ledger.log = log.id;
  const join = (event: Event): void => {
    fold(event);
    options.inspect({ kind: "event", agent: options.agent, event });
  };
  /** Changes whose files are not written: none may be left when the next commit begins. */
  let behind: readonly StateChange[] = [];
  const project = async (): Promise<void> => {
    if (behind.length > 0) await options.projector.write(behind, state);
    behind = [];
  };
  let committing = 0;
  /** Noted while a commit is under way: after it, or they would be folded in before events that stand before them. */
  const noted: NewEvent[] = [];
  const append = async (events: readonly NewEvent[]): Promise<readonly Event[]> => {
    committing++;
    try {
      const stamped = await log.append(events);
      for (const event of stamped) join(event);
      return stamped;
    } finally {
      committing--;
      if (committing === 0) for (const event of noted.splice(0)) join(log.note(event));
    }
  };
  return {
    agent: options.agent,
    ledger,
    view,
    state,
    async commit(...events) {
      await project();
      behind = (await append(events)).flatMap(changesOf);
      await project();
    },
    note(event) {
      if (committing > 0) noted.push(event);
      else join(log.note(event));
    },
    read: (from) => log.read(from),
    close: () => log.close(),
  };
}

function changesOf(event: Event): readonly StateChange[] {
  if (event.kind === "result") return event.state ?? [];
  return event.kind === "edited" ? [[event.module, event.key, event.value]] : [];
}
