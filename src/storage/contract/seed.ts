// The log of a new agent that begins with the past of another. That past is history only: the events keep their numbers
// and times, and the log ids they were written under; what counts begins behind them, under a new one.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import {
  LOG_FORMAT,
  type BranchEvent,
  type Event,
  type OpenedEvent,
  type Stamp,
} from "../../domain/event.ts";
import { createBlobs, longStrings, outline, type Blobs } from "../../past/blobs.ts";
import type { Authorship } from "../folder/authorship.ts";
import type { AppendFile, Disk } from "../../base/disk.ts";
import { readFileLog } from "../files/log.ts";
import { toLine } from "../files/line.ts";
import { createSeries } from "../files/segments.ts";
import type { AgentId, LogId } from "../../domain/message.ts";
import type { Module } from "../../domain/module.ts";
import { createBranch, followLog, type Branch } from "../../past/fold.ts";
import { createProjections } from "../folder/state-files.ts";
import { goals } from "../../../modules/goals.ts";
import { notes } from "../../../modules/notes.ts";

/** What people read of any agent in files. */
export const READABLE: readonly Module[] = [goals, notes];

/** Where the folder of a new agent is made. */
export interface NewFolder {
  /** It must not be there. */
  readonly folder: string;
  readonly disk: Disk;
  /** The lock number of this process. */
  readonly epoch: number;
  readonly now: () => number;
  readonly corruptFolder: string;
  /** Signs what is written; absent: nothing is signed. */
  readonly authorship?: Pick<Authorship, "sign">;
}

/** Whose past it is, and how much of it. */
export interface Past {
  readonly origin: AgentId;
  /**
   * Oldest first, long texts inlined; what comes after `to` is left out. Where they do not begin with an `opened` event,
   * they begin with number 2 or above.
   */
  readonly events: AsyncIterable<Event>;
  /** The event that the new agent goes on from. */
  readonly to: number;
  /** Where the introductions are that the events name. */
  readonly blobs: Pick<Blobs, "read">;
}

/**
 * Writes log, blobs, goals and notes of a new agent, durable when it resolves; `agent.json` is left to the caller. Returns
 * what its past comes to.
 */
export async function writePast(place: NewFolder, past: Past): Promise<Branch> {
  const { folder, disk, corruptFolder } = place;
  await writeLog(place, past);
  const follower = followLog(createBranch);
  const blobs = createBlobs(join(folder, "blobs"), disk);
  const events = (): AsyncIterable<Event> => readFileLog({ folder, disk, blobs });
  for await (const event of events()) follower.see(event);
  const branch = await follower.settle(events);
  await createProjections(READABLE, { disk, folder, corruptFolder }).reconcile(branch.state);
  return branch;
}

async function writeLog(place: NewFolder, past: Past): Promise<void> {
  const { folder, disk, epoch, now } = place;
  const kept = createBlobs(join(folder, "blobs"), disk);
  const segments = createSegments(place);
  for await (const event of eventsOf(past, { epoch, now, kept })) {
    if (event.kind === "opened") await segments.begin(event);
    else segments.write(await outline(event, longStrings(event), kept));
  }
  await segments.close();
}

export interface Founding {
  /** Of the process that makes the agent. */
  readonly epoch: number;
  readonly now: () => number;
  /** Gets the introductions that the events name. */
  readonly kept: Pick<Blobs, "keep">;
}

/** What the log of an agent with this past begins with, up to the point from which it is its own. */
export async function* eventsOf(
  { origin, events, to, blobs }: Past,
  { epoch, now, kept }: Founding,
): AsyncGenerator<Event> {
  const introductions = new Set<string>();
  const opening = (log: LogId, stamp: Stamp): Event => ({
    ...stamp,
    kind: "opened",
    format: LOG_FORMAT,
    log,
    seals: {},
  });
  let last = 0;
  for await (const event of events) {
    if (event.seq > to) break;
    const { seq, epoch: before, at } = event;
    if (last === 0 && event.kind !== "opened")
      yield opening(randomUUID(), { seq: seq - 1, epoch: before, at });
    if (event.kind === "prompted" && !introductions.has(event.introduction)) {
      introductions.add(event.introduction);
      const text = await blobs.read(event.introduction);
      if (text !== undefined) await kept.keep(text);
    }
    yield event;
    last = seq;
  }
  const stamp = (): Stamp => ({ seq: ++last, epoch, at: new Date(now()).toISOString() });
  const branch: BranchEvent = { kind: "branch", to: Math.min(to, last), origin };
  yield opening(randomUUID(), stamp());
  yield { ...stamp(), ...branch };
}

interface Segments {
  begin(opening: Pick<OpenedEvent, "log"> & Stamp): Promise<void>;
  write(record: object): void;
  close(): Promise<void>;
}

/** So many characters are written at once. */
const CHUNK_CHARS = 262_144;

function createSegments({ folder: parent, disk, epoch, authorship }: NewFolder): Segments {
  const folder = join(parent, "log");
  const series = createSeries(epoch);
  let file: AppendFile | undefined;
  let lines = "";
  const flush = (): void => {
    const chunk = Buffer.from(lines);
    if (chunk.length > 0) file?.write(chunk);
    series.grew(chunk.length);
    lines = "";
  };
  const write = (record: object): void => {
    lines += toLine(record);
    if (lines.length > CHUNK_CHARS) flush();
  };
  const close = async (): Promise<void> => {
    flush();
    await file?.sync();
    file?.close();
  };
  return {
    async begin({ seq, epoch: at0, at, log }) {
      await close();
      const { name, seals } = series.next();
      file = disk.create(join(folder, name));
      const mac = authorship?.sign(log, at0);
      write({ seq, epoch: at0, at, kind: "opened", format: LOG_FORMAT, log, seals, ...(mac && { mac }) });
    },
    write,
    close,
  };
}
