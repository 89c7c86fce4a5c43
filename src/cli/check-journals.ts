// Is every line of an agent's log and mailbox what was written?

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../errors.ts";
import { readSegments, type StoredRecord } from "../log/segments.ts";
import type { AgentId } from "../message.ts";
import { shownPath } from "../project-file.ts";
import type { Reader } from "../reader.ts";
import type { Finding } from "./finding.ts";

export async function* checkJournals(reader: Reader, id: AgentId): AsyncGenerator<Finding> {
  yield* checkJournal(reader, id, "log");
  yield* checkJournal(reader, id, "mailbox");
}

async function* checkJournal(reader: Reader, id: AgentId, name: "log" | "mailbox"): AsyncGenerator<Finding> {
  const { paths, disk } = reader;
  const folder = join(paths.agent(id), name);
  const check = `${name} ${id}`;
  const damaged = (detail: string): Finding => ({ check, status: "damaged", detail });
  const shown = (file: string): string => shownPath(paths.project, file);
  let count = 0;
  let last = 0;
  let damages = 0;
  try {
    for await (const { name: file, bytes, sealed, records, damages: found } of readSegments(folder, disk)) {
      for (const damage of found) {
        damages++;
        yield damaged(
          `${shown(damage.file)}: ${damage.bytes.length} bytes at ${damage.offset} cannot be read`,
        );
      }
      for (const record of records) {
        const isGap = name === "log" && record.seq !== last + 1;
        if (isGap && damages === 0) yield damaged(`event ${last + 1} is missing before ${record.seq}`);
        last = record.seq;
        count++;
        for (const hash of blobsOf(record)) {
          if (!disk.exists(join(paths.blobs(id), hash)))
            yield damaged(`event ${last}: there is no blob ${hash}`);
        }
      }
      const size = await stat(join(folder, file)).then(
        (found) => found.size,
        () => bytes,
      );
      const torn = sealed ? 0 : size - bytes;
      if (torn > 0)
        yield {
          check,
          status: "ok",
          detail: `${torn} bytes of an unfinished line; the next start leaves them out`,
        };
    }
    if (count > 0 && damages === 0) yield { check, status: "ok", detail: `${count} records` };
  } catch (error) {
    yield damaged(messageOf(error));
  }
}

/** Hashes of the long texts that are kept beside the log. */
function blobsOf({ blobs }: StoredRecord): readonly string[] {
  if (!Array.isArray(blobs)) return [];
  return blobs.map((entry: unknown) => (Array.isArray(entry) ? String(entry[1]) : ""));
}
