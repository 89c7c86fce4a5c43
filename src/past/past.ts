// An agent's log and everything that is folded from it. Whatever is committed is at once in the log, the ledger, the
// conversation, the view and the module state; nothing else changes them.

import { createAdding, type Adding } from "./log/adding.ts";
import { along, pathTo } from "./branch.ts";
import type { Conversation } from "./conversation.ts";
import type { Event, NewEvent, SeqRange } from "../domain/event/event.ts";
import type { AgentId } from "../domain/message/message.ts";
import type { Inspect } from "../domain/inspection.ts";
import { account, createLedger, type Ledger } from "./ledger.ts";
import type { EventLog } from "./log/event-log.ts";
import { NO_SECRETS, type Redactor } from "../base/redaction/redactor.ts";
import type { KnownOffers } from "./offers.ts";
import { redactEvent } from "./redact-event.ts";
import { createKeeping, type KeptLog } from "./kept/keeping.ts";
import { createReading, type ReadPast } from "./kept/reading.ts";
import type { PeerTraffic } from "./digest/traffic.ts";
import { createFiles, showing, type Projector } from "./shown/state.ts";
import type { ModuleState } from "./state.ts";
import { createView, type View, type ViewOptions } from "./view.ts";

/** A past to be read: what is folded from the active branch of a log, and that branch. */
export interface ReadablePast {
  readonly conversation: Conversation;
  readonly view: View;
  readonly state: ModuleState;
  readonly offers: KnownOffers;
  /** Its events, oldest first; from the disk. */
  past(from?: number): AsyncIterable<Event>;
}

/** What is folded from the whole log, and what from its active branch. */
export interface Memory extends ReadablePast {
  readonly agent: AgentId;
  /** Of the whole log. The same object also after `reopen`. */
  readonly ledger: Ledger;
  /** Whom it wrote to and heard from, over the whole log. */
  peers(): ReadonlyMap<AgentId, PeerTraffic>;
  /** Its log has failed: nothing can be added to it before `reopen`. */
  isDead(): boolean;
  /** As its log has it. */
  begin(): Promise<void>;
  /**
   * Commits `events` as one and folds them in. Resolves with them as they stand in the log, when readable copies of changed
   * state are on disk, too. What comes of a `branch` is there after a `reopen`.
   */
  commit(...events: readonly NewEvent[]): Promise<readonly Event[]>;
  /** As `commit`, for what nobody else sees yet and no file shows: durable with the next commit or `settled`, soon in any case (L5). */
  keep(...events: readonly NewEvent[]): Promise<readonly Event[]>;
  /** Resolves when everything added so far is as durable as its log promises (L4). Rejects with STORAGE; then it is dead. */
  settled(): Promise<void>;
  /** The newest event that is known to be so. */
  readonly safe: number;
  /** Shows `seen` to watchers, after every event that came before it. */
  readonly tell: Inspect;
  /**
   * Adds an event that nothing depends on; durable with the next commit. Returns its sequence number, or `undefined` while
   * a commit is under way: then it has none yet.
   */
  note(event: NewEvent): number | undefined;
  /** Notes `event` as soon as no commit is under way, so that it has a number; `noted` runs in the same turn. */
  noteBetween(event: NewEvent, noted?: () => void): Promise<number | undefined>;
  /** Every event, oldest first; from the disk. */
  read(from?: number): AsyncIterable<Event>;
  /**
   * Folds everything anew from what the log acknowledged, which goes on behind that: after a failure of the disk, once
   * `events` can be committed. Rejects with STORAGE, and may be tried again.
   */
  reopen(...events: readonly NewEvent[]): Promise<void>;
  /** Folds the view anew, by what its options are by now. Nothing may be committed meanwhile. */
  showAnew(): Promise<void>;
  close(): Promise<void>;
}

export interface MemoryOptions {
  readonly agent: AgentId;
  readonly view: ViewOptions;
  readonly inspect: Inspect;
  readonly projector: Projector;
  /** Nothing is committed, or folded, but what it leaves. Absent: nothing is hidden. */
  readonly redactor?: Redactor;
  /** What is folded is not kept: others go on from what they kept. Absent: it is. */
  readonly keeps?: "nothing";
}

export interface OpenedLog extends KeptLog {
  readonly log: EventLog;
  /** What has to be said in it about how it was found; mostly empty. */
  readonly findings: readonly NewEvent[];
}

/**
 * Opens a log and hands every event of it to `each`, oldest first; or, before the first of them, what `keepPast` kept to `goOn`:
 * where that knows the events up to a number, only those behind it.
 */
export type OpenLog = (
  each: (event: Event) => void,
  goOn: (kept: Uint8Array) => number | undefined,
) => Promise<OpenedLog>;

/** `open` opens the log; again at each `reopen`. Rejects as it does, and with DAMAGED if an event cannot be understood. */
export async function openMemory(options: MemoryOptions, open: OpenLog): Promise<Memory> {
  const { agent, view, projector } = options;
  const ledger = createLedger();
  let reading = await readLog(view, open);
  const writeFiles = createFiles(projector, () => reading.fold.state);
  const adding = addingTo(() => reading, ledger, options);
  const { isDead, note, noteBetween, tell, settle: settled } = adding;
  const keeping = createKeeping(adding, () => withoutKeeping(reading, options), ledger);
  const commit = showing(writeFiles, keeping.after(adding.append));
  const begin = async (read: LogReading, events: readonly NewEvent[]): Promise<void> => {
    // Before anything can be committed: until the files are right, nobody may go on.
    const edits = await projector.reconcile(read.fold.state);
    reading = read;
    adding.begin();
    Object.assign(ledger, read.ledger);
    await writeFiles([]);
    await commit(...read.findings, ...events);
    for (const event of edits) await commit(event);
  };
  await begin(reading, []);
  const past = (from?: number): AsyncIterable<Event> => along(reading.log.read(from), reading.path);
  return {
    agent,
    ledger,
    peers: () => reading.traffic.peers,
    get conversation() {
      return reading.fold.conversation;
    },
    get view() {
      return reading.fold.view;
    },
    get state() {
      return reading.fold.state;
    },
    get offers() {
      return reading.fold.offers;
    },
    get safe() {
      return adding.safe();
    },
    begin: async () => reading.log.begin?.(),
    keep: (...events) => adding.keep(events),
    ...{ commit, isDead, note, noteBetween, tell, settled },
    read: (from) => reading.log.read(from),
    past,
    async reopen(...events) {
      const happened = [...events, ...(await adding.lost())];
      await reading.log.close().catch(() => undefined);
      await begin(await readLog(view, open), happened);
    },
    async showAnew() {
      reading.fold.view = await viewOf(past(), view);
    },
    async close() {
      await settled().catch(() => undefined);
      await keeping.last();
      await reading.log.close();
    },
  };
}

function withoutKeeping(reading: LogReading, { keeps }: Pick<MemoryOptions, "keeps">): LogReading {
  return keeps === "nothing" ? { ...reading, keepPast: undefined } : reading;
}

function addingTo(
  reading: () => LogReading,
  ledger: Ledger,
  { agent, inspect, redactor = NO_SECRETS }: Pick<MemoryOptions, "agent" | "inspect" | "redactor">,
): Adding {
  return createAdding({
    log: () => reading().log,
    clean: (event) => redactEvent(event, redactor),
    join(event) {
      account(ledger, event);
      reading().join(event);
    },
    show: (event) => ({ kind: "event", agent, event }),
    inspect,
  });
}

async function viewOf(past: AsyncIterable<Event>, options: ViewOptions): Promise<View> {
  const view = createView(options);
  for await (const event of past) view.see(event);
  return view;
}

/** A log that was opened, and what it comes to. */
interface LogReading extends OpenedLog, ReadPast {
  /** The active branch. */
  readonly path: readonly SeqRange[];
}

async function readLog(view: ViewOptions, open: OpenLog): Promise<LogReading> {
  const reading = createReading(view);
  const opened = await open(reading.see, reading.goOn);
  const read = await reading.settle(opened.log);
  return { ...opened, ...read, path: pathTo(read.forks) };
}
