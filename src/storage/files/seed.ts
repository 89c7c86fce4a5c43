// A new agent in files that begins with the past of another.

import { join } from "node:path";
import { LOG_FORMAT, type Event } from "../../domain/event/event.ts";
import { createBlobs } from "../../past/log/blobs.ts";
import type { AppendFile } from "../../base/files/disk.ts";
import type { JournalWriter } from "./journal/journal.ts";
import { readFileLog } from "./log.ts";
import { toLine } from "../folder/line.ts";
import { createSeries } from "../folder/series.ts";
import { createBranch, followLog, type Branch } from "../../past/fold.ts";
import { createProjections } from "../folder/state-files.ts";
import { eventsOf, type Past } from "../contract/seed.ts";

/** Where the folder of a new agent is made. */
export interface NewFolder extends Omit<JournalWriter, "durability"> {
  /** It must not be there. */
  readonly folder: string;
  readonly corruptFolder: string;
}

/**
 * Writes log, blobs, goals and notes of a new agent, durable when it resolves; `agent.json` is left to the caller. Returns
 * what its past comes to.
 */
export async function writePast(place: NewFolder, past: Past): Promise<Branch> {
  const { folder, disk, corruptFolder } = place;
  await writeLog(place, past);
  const follower = followLog(createBranch);
  const events = (): AsyncIterable<Event> => readFileLog(place);
  for await (const event of events()) follower.see(event);
  const branch = await follower.settle(events);
  await createProjections(past.readable, { disk, folder, corruptFolder }).reconcile(branch.state);
  return branch;
}

/** A segment begins with every `opened` event. */
async function writeLog({ folder, disk, lock, clock, authorship }: NewFolder, past: Past): Promise<void> {
  const { epoch } = lock;
  const kept = createBlobs(join(folder, "blobs"), disk);
  const series = createSeries(epoch);
  let file: AppendFile | undefined;
  const write = (record: object): void => {
    const line = Buffer.from(toLine(record));
    file?.write(line);
    series.grew(line.length);
  };
  const end = async (): Promise<void> => {
    await file?.sync();
    file?.close();
  };
  for await (const event of eventsOf(past, { epoch, now: clock.now, kept })) {
    if (event.kind !== "opened") {
      write(event);
      continue;
    }
    await end();
    const { name, seals } = series.next();
    file = disk.create(join(folder, "log", name));
    const { seq, epoch: before, at, kind, log } = event;
    const mac = authorship?.sign(log, before);
    write({
      seq,
      epoch: before,
      at,
      kind,
      format: LOG_FORMAT,
      log,
      record: "signed",
      seals,
      ...(mac && { mac }),
    });
  }
  await end();
}
