// One file that holds agents with their whole past: JSON Lines, each with its checksum like those of a log, for `jq` as
// well as for this program. It is read in one pass, and whoever wrote it is not trusted.
//
//   {"kind":"legion-export","format":1,"at":"…","agents":["0","2"]}
//   {"kind":"file","agent":"2","path":"goals.json","text":"…"}    what people can read, and the long texts of the log
//   {"kind":"more","text":"…"}                                    goes on with the file before it
//   {"kind":"segment","agent":"2","name":"00000003-000.jsonl","lines":4}   then so many lines of the log, as they are
//   {"kind":"damaged","base64":"…"}                               one of them that was damaged
//   {"kind":"mail","agent":"2","from":"…","message":{…}}          unread; behind the log of its agent
//   {"kind":"end","lines":9}                                      this one included

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { LegionError, messageOf } from "../../base/errors.ts";
import type { Authorship } from "../folder/person/authorship.ts";
import { fromLine } from "../folder/line.ts";
import type { AgentId, LogId, Message } from "../../domain/message.ts";

export const ARCHIVE_FORMAT = 1;

export type ArchiveLine =
  | {
      readonly kind: "legion-export";
      readonly format: typeof ARCHIVE_FORMAT;
      /** ISO 8601. */
      readonly at: string;
      readonly agents: readonly AgentId[];
    }
  | { readonly kind: "file"; readonly agent: AgentId; readonly path: string; readonly text: string }
  | { readonly kind: "more"; readonly text: string }
  | { readonly kind: "segment"; readonly agent: AgentId; readonly name: string; readonly lines: number }
  | { readonly kind: "damaged"; readonly base64: string }
  | {
      readonly kind: "mail";
      readonly agent: AgentId;
      readonly from: LogId;
      readonly message: Message;
      readonly after?: number;
    }
  | {
      readonly kind: "end";
      readonly lines: number;
      /** Somebody wrote to the agents meanwhile: it is a copy, and what it was made from goes on. */
      readonly live?: true;
      /** Of all lines before, under the key of whoever wrote it. */
      readonly mac?: string;
    };

const OPENING = '{"kind":"legion-export"';
const NEWLINE = 10;
/** No line of a log comes near it; longer texts are divided. */
const MAX_LINE_BYTES = 64 * 1_048_576;

/** Is it a file that begins like an archive? False for a folder and for what is not there. */
export async function isArchive(path: string): Promise<boolean> {
  const file = await open(path, "r").catch(() => undefined);
  if (!file) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(OPENING.length), 0, OPENING.length, 0);
    return buffer.toString("latin1", 0, bytesRead) === OPENING;
  } catch {
    return false;
  } finally {
    await file.close();
  }
}

/** Under which name the end of an archive is signed; `digest`: SHA-256 of all bytes before it, in hex. */
export function archiveName(digest: string, end: { readonly live?: true }): string {
  return `${end.live ? "live archive" : "archive"} ${digest}`;
}

/** Is the archive just as this person's machines wrote it? Throws as `linesOf`. */
export async function isOwnArchive(path: string, { isOwn }: Pick<Authorship, "isOwn">): Promise<boolean> {
  const hash = createHash("sha256");
  let newest: Buffer | undefined;
  let count = 0;
  for await (const line of linesOf(path)) {
    if (newest) hash.update(newest).update("\n");
    newest = line;
    count++;
  }
  const end = newest && fromLine<ArchiveLine>(newest);
  return end?.kind === "end" && isOwn(end.mac, archiveName(hash.digest("hex"), end), count);
}

/** Says what is wrong with a line, and where. */
export function badLine(path: string, line: number, problem: string): LegionError {
  return new LegionError("DAMAGED", `${path}:${line}: ${problem}; nothing of it was taken`);
}

/** The lines of a file without their newlines. Throws DAMAGED if it is torn, STORAGE if it cannot be read. */
export async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  let size = 0;
  let count = 0;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        count++;
        const last = chunk.subarray(start, end);
        yield begun.length === 0 ? last : Buffer.concat([...begun, last]);
        start = end + 1;
        begun = [];
        size = 0;
      }
      size += chunk.length - start;
      if (size > MAX_LINE_BYTES) throw badLine(path, count + 1, "the line is too long");
      begun.push(chunk.subarray(start));
    }
  } catch (error) {
    if (error instanceof LegionError) throw error;
    throw new LegionError("STORAGE", `${path}: ${messageOf(error)}`, { cause: error });
  }
  if (size > 0) throw badLine(path, count + 1, "the file ends in the middle; copy it again");
}
