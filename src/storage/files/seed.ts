// A new agent in files that begins with the past of another.

import { join } from "node:path";
import { LOG_FORMAT, type Event, type OpenedEvent, type Stamp } from "../../domain/event.ts";
import { createBlobs, longStrings, outline } from "../../past/log/blobs.ts";
import type { Authorship } from "../folder/person/authorship.ts";
import type { AppendFile, Disk } from "../../base/files/disk.ts";
import { readFileLog } from "./log.ts";
import { toLine } from "../folder/line.ts";
import { createSeries } from "../folder/series.ts";
import { createBranch, followLog, type Branch } from "../../past/fold.ts";
import { createProjections } from "../folder/state-files.ts";
import { eventsOf, type Past } from "../contract/seed.ts";

/** So many characters are written at once. */
const CHUNK_CHARS = 262_144;

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
  await createProjections(past.readable, { disk, folder, corruptFolder }).reconcile(branch.state);
  return branch;
}

export async function writeLog(place: NewFolder, past: Omit<Past, "readable">): Promise<void> {
  const { folder, disk, epoch, now } = place;
  const kept = createBlobs(join(folder, "blobs"), disk);
  const segments = createSegments(place);
  for await (const event of eventsOf(past, { epoch, now, kept })) {
    if (event.kind === "opened") await segments.begin(event);
    else segments.write(await outline(event, longStrings(event), kept));
  }
  await segments.close();
}

export interface Segments {
  begin(opening: Pick<OpenedEvent, "log"> & Stamp): Promise<void>;
  write(record: object): void;
  close(): Promise<void>;
}

export function createSegments({ folder: parent, disk, epoch, authorship }: NewFolder): Segments {
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
