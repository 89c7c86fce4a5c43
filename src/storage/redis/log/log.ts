// An agent's log as a stream in Redis, for the process that has the right to run the agent.
//
//   S1. Every commit shows the token of its tenure and the event that it comes after: of two writers one has lost the right,
//       and nothing of it gets in.
//   S2. Commits are sent in the order of their events, and none waits for the one before.
//   S3. Nothing is ever tried again. A commit that was refused, or of which nobody knows what became, is the log's end and
//       the tenure's; whoever opens the log anew sees what became of it.

import { randomUUID } from "node:crypto";
import { LegionError, isLegionError, messageOf } from "../../../base/errors.ts";
import { COMMITS, tellTrouble, timed } from "../../../base/process/measured.ts";
import { LOG_FORMAT, type Event, type NewEvent, type OpenedEvent } from "../../../domain/event/event.ts";
import { displayName, type LogId } from "../../../domain/message/message.ts";
import { agentKeys } from "../scripts/keys.ts";
import { createCommitting, type Commit } from "../scripts/log.ts";
import { readPages } from "../scripts/pages.ts";
import type { RedisPlace } from "../scripts/scope.ts";
import type { Tenure } from "../../../domain/lease.ts";
import { createWriter } from "../../../past/log/blobs.ts";
import type { EventLog } from "../../../past/log/event-log.ts";
import { createWhole, packing, type Stored } from "../../../past/log/patches.ts";
import { countHeld, createHeldCount, type HeldCount } from "../../../past/mail/held.ts";
import { createGaps } from "../../../past/log/gaps.ts";
import { createRedisBlobs, eventIn, type StreamedEvent } from "./entry.ts";

export interface RedisLogOptions extends RedisPlace {
  readonly tenure: Tenure;
  readonly now: () => number;
}

/**
 * Opens the agent's log for writing; calls `each` with every event of it, oldest first. Writes nothing before the first
 * event. Rejects with STORAGE if Redis cannot be reached, and with DAMAGED if a newer version wrote to the log.
 */
export async function openRedisLog(
  options: RedisLogOptions,
  each: (event: Event) => void,
): Promise<EventLog> {
  const { link, legion, agent, tenure } = options;
  const reply = await link.command("HMGET", agentKeys(legion, agent).meta, "seq", "log");
  const [seq, name] = reply as readonly (string | null)[];
  const last = Number(seq);
  const gaps = createGaps();
  const held = createHeldCount();
  for await (const event of readRedisLog(options)) {
    gaps.see(event);
    countHeld(held, event);
    each(event);
  }
  gaps.miss(last - gaps.last);
  // A log that lost events cannot know which numbers it gave out: it goes on as another one.
  const isWhole = tenure.past === "whole" && gaps.unreported().length === 0;
  const id = name && isWhole ? name : randomUUID();
  const pen = createPen(options, { id, last, held });
  const put = packing(pen.write);
  const write = createWriter(put, createRedisBlobs(options));
  return {
    id,
    get last() {
      return pen.last;
    },
    async append(events) {
      const stamped = await write(events);
      await pen.commit();
      return stamped;
    },
    async keep(events) {
      const stamped = await write(events);
      // Nobody waits for it, but it goes out now: what becomes of this process takes nothing away that has gone.
      pen.commit().catch(() => undefined);
      return stamped;
    },
    settle: pen.commit,
    note(event) {
      const [noted] = put([event]);
      // What was begun counts, whatever becomes of this process: nobody waits for it, but it goes out now.
      const isBegun = event.kind === "notice" && event.reason === "restarted";
      if (event.kind === "prompted" || event.kind === "refused" || isBegun)
        pen.commit().catch(() => undefined);
      return noted!;
    },
    read: (from) => readRedisLog(options, from, pen.pending()),
    close: pen.close,
  };
}

/** Reads a log without opening it, oldest first: also while another process writes to it. */
export async function* readRedisLog(
  place: RedisPlace,
  from = 1,
  pending: readonly Stored<Event>[] = [],
): AsyncGenerator<Event> {
  const whole = createWhole(createRedisBlobs(place), (seq) => recordsOf(place, seq, pending));
  for await (const record of recordsOf(place, from, pending)) yield whole(record);
}

/** @param pending is written, and was not known to be in the log */
async function* recordsOf(
  place: RedisPlace,
  from: number,
  pending: readonly Stored<Event>[],
): AsyncGenerator<Stored<Event>> {
  let next = from;
  for await (const page of readRedisEvents(place, from)) {
    next = page.at(-1)!.seq + 1;
    yield* page;
  }
  for (const record of pending) if (record.seq >= next) yield record;
}

/** As `readRedisLog`, with long texts left where they are; no page is empty. `E`: what stands in this log. */
export async function* readRedisEvents<E extends StreamedEvent = Stored<Event>>(
  { link, legion, agent }: RedisPlace,
  from = 1,
): AsyncGenerator<readonly E[]> {
  const { log } = agentKeys(legion, agent);
  for await (const page of readPages(link, log, from)) yield page.map((entry) => eventIn<E>(entry, log));
}

/** Where a log goes on. */
interface Start {
  readonly id: LogId;
  /** The highest sequence number. */
  readonly last: number;
  /** Of all events up to it, and from now on of those that are written. */
  readonly held: HeldCount;
}

/** Writes to a log, but for what is too long. */
function createPen(options: RedisLogOptions, start: Start) {
  const { tenure, now } = options;
  const { epoch } = tenure;
  const opening: OpenedEvent = { kind: "opened", format: LOG_FORMAT, log: start.id, seals: {} };
  const commits = createCommits(options, start.id);
  let last = start.last;
  let sent = start.last;
  /** Without gaps. */
  const pending: Stamped[] = [];
  let newest = Promise.resolve();
  const send = async (): Promise<void> => {
    const before = sent;
    const upTo = (sent = last);
    const batch = pending.slice(before - upTo);
    await commits.send(batch, { before, held: start.held.now.size });
    const first = pending.findIndex(({ event }) => event.seq > upTo);
    pending.splice(0, first === -1 ? pending.length : first);
  };
  /** Resolves when everything written so far is in the log. */
  const commit = async (): Promise<void> => {
    commits.refuseDead();
    if (sent < last) newest = send();
    await newest;
  };
  return {
    get last(): number {
      return last;
    },
    /** Stamps events; they are sent with the next commit. Throws STORAGE if the log is dead. */
    write(events: readonly Stored<NewEvent>[]): readonly Event[] {
      commits.refuseDead();
      if (events.length === 0) return [];
      const at = new Date(now()).toISOString();
      const fresh = last === start.last ? [opening, ...events] : events;
      // Before anything changes: what JSON cannot hold is its writer's mistake, and no reason to die.
      const stamped = fresh.map((event, index) => ({
        event: { seq: last + index + 1, epoch, at, ...event },
        text: JSON.stringify({ at, ...event }),
      }));
      last += fresh.length;
      for (const one of stamped) {
        pending.push(one);
        countHeld(start.held, one.event);
      }
      return stamped.slice(-events.length).map(({ event }) => event);
    },
    commit,
    /** Written, and not known to be in the log; oldest first. */
    pending: () => pending.map(({ event }) => event),
    /** Commits what is written if the right to do so is still there. */
    async close(): Promise<void> {
      try {
        if (!commits.isDead() && !tenure.lost.aborted) await commit();
      } finally {
        commits.close();
      }
    },
  };
}

interface Stamped {
  readonly event: Stored<Event>;
  /** As JSON, without sequence number and epoch. */
  readonly text: string;
}

/** Sends commits in the order of the calls, each saying what it comes after. */
function createCommits({ tenure, ...place }: RedisLogOptions, log: LogId) {
  const { token, epoch } = tenure;
  const commitEvents = createCommitting(place);
  const name = `The log of ${displayName(place.agent)}`;
  let dead: LegionError | undefined;
  /** Throws STORAGE if the log is dead or closed. */
  const refuseDead = (): void => {
    if (dead) throw dead;
  };
  return {
    isDead: () => dead !== undefined,
    refuseDead,
    async send(batch: readonly Stamped[], { before, held }: Pick<Commit, "before" | "held">): Promise<void> {
      const events = batch.map(({ text }) => text);
      const mail = batch.flatMap(({ event }) => (event.kind === "message" ? [event] : []));
      try {
        tenure.check();
        const commit = { token, epoch, log, before, held, events, mail };
        const status = await timed(COMMITS, () => commitEvents(commit));
        if (status !== "committed") throw new LegionError("STORAGE", `${name} ${REFUSALS[status]}`);
      } catch (error) {
        dead ??= isLegionError(error, "STORAGE")
          ? error
          : new LegionError("STORAGE", `${name}: ${messageOf(error)}`, { cause: error });
        if (!tenure.lost.aborted) tellTrouble("log");
        tenure.end("its log failed");
      }
      refuseDead();
    },
    close() {
      dead ??= new LegionError("STORAGE", `${name} is closed.`);
    },
  };
}

const REFUSALS = {
  fenced: "is written by another process now.",
  moved: "has other events than this process knew.",
  strange: "cannot take in mail that is not in the mailbox.",
} as const;
