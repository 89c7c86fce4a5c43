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
  /** The same object also after `reopen`. */
  readonly ledger: Ledger;
  readonly view: View;
  readonly state: ModuleState;
  /** Commits `events` as one and folds them in. Resolves when readable copies of changed state are on disk, too. */
  commit(...events: readonly NewEvent[]): Promise<void>;
  /** Adds an event that nothing depends on; durable with the next commit. */
  note(event: NewEvent): void;
  /** Every event, oldest first; from the disk. */
  read(from?: number): AsyncIterable<Event>;
  /**
   * Folds everything anew from what the log acknowledged, which goes on behind that: after a failure of the disk, once
   * `events` can be committed. Rejects with STORAGE, and may be tried again.
   */
  reopen(...events: readonly NewEvent[]): Promise<void>;
  close(): Promise<void>;
}

/** Keeps what people can read of module state. */
export interface Projector {
  write(changes: readonly StateChange[], state: ModuleState): Promise<void>;
  /** Brings the files up to the state after an opening. Returns what is to be committed for them, each by itself. */
  reconcile(state: ModuleState): Promise<readonly NewEvent[]>;
}

export interface MemoryOptions {
  readonly agent: AgentId;
  readonly view: ViewOptions;
  readonly inspect: Inspect;
  readonly projector: Projector;
}

export interface OpenedLog {
  readonly log: EventLog;
  /** What has to be said in it about how it was found; mostly empty. */
  readonly findings: readonly NewEvent[];
}

/** `open` opens the log and hands every event of it to its argument, oldest first; again at each `reopen`. */
export async function openMemory(
  options: MemoryOptions,
  open: (each: (event: Event) => void) => Promise<OpenedLog>,
): Promise<Memory> {
  const ledger = createLedger();
  let folded = createFold(options.view);
  let log: EventLog;
  /** Changes whose files are not written: none may be left when the next commit begins. */
  let behind: readonly StateChange[] = [];
  /** Noted since the newest commit. */
  let unsaved: NewEvent[] = [];
  /** Noted while a commit is under way: after it, or they would be folded in before events that stand before them. */
  const waiting: NewEvent[] = [];
  let committing = 0;

  const join = (event: Event): void => {
    account(ledger, event);
    folded.see(event);
    options.inspect({ kind: "event", agent: options.agent, event });
  };
  const note = (...events: readonly NewEvent[]): void => {
    unsaved.push(...events);
    for (const event of events) join(log.note(event));
  };
  const append = async (events: readonly NewEvent[]): Promise<readonly Event[]> => {
    committing++;
    try {
      const stamped = await log.append(events);
      unsaved = [];
      for (const event of stamped) join(event);
      return stamped;
    } finally {
      committing--;
      if (committing === 0) note(...waiting.splice(0));
    }
  };
  const project = async (): Promise<void> => {
    if (behind.length > 0) await options.projector.write(behind, folded.state);
    behind = [];
  };
  const commit = async (...events: readonly NewEvent[]): Promise<void> => {
    await project();
    behind = (await append(events)).flatMap(changesOf);
    await project();
  };
  const begin = async (events: readonly NewEvent[]): Promise<void> => {
    const fresh = createLedger();
    const anew = createFold(options.view);
    const opened = await open((event) => {
      account(fresh, event);
      anew.see(event);
    });
    if (fresh.log !== opened.log.id) fresh.numbers.clear();
    log = opened.log;
    Object.assign(ledger, fresh, { log: log.id });
    folded = anew;
    behind = [];
    const first = [...opened.findings, ...events];
    if (first.length > 0) await commit(...first);
    for (const event of await options.projector.reconcile(folded.state)) await commit(event);
  };
  await begin([]);
  return {
    agent: options.agent,
    ledger,
    get view() {
      return folded.view;
    },
    get state() {
      return folded.state;
    },
    commit,
    note(event) {
      if (committing > 0) waiting.push(event);
      else note(event);
    },
    read: (from) => log.read(from),
    async reopen(...events) {
      // What a dead log could not keep of the notes happened all the same: a model call that was begun costs.
      const lost = await log.append([]).then(
        () => [],
        () => unsaved,
      );
      await log.close().catch(() => undefined);
      await begin([...events, ...lost]);
    },
    close: () => log.close(),
  };
}

/** What is folded from the log besides the ledger. */
function createFold(options: ViewOptions) {
  const view = createView(options);
  const state = createModuleState();
  return {
    view,
    state,
    see(event: Event): void {
      view.see(event);
      foldState(state, event);
    },
  };
}

function changesOf(event: Event): readonly StateChange[] {
  if (event.kind === "result") return event.state ?? [];
  return event.kind === "edited" ? [[event.module, event.key, event.value]] : [];
}
