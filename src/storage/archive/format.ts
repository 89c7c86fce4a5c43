// One file that holds agents with their whole past: JSON Lines, each with its checksum like those of a log, for `jq` as
// well as for this program. It is read in one pass, and whoever wrote it is not trusted: a line may have the right checksum and
// still be made to break whoever reads it.
//
//   {"kind":"legion-export","format":1,"at":"…","agents":["0","2"]}
//   {"kind":"file","agent":"2","path":"goals.json","text":"…"}    what people can read, and the long texts of the log
//   {"kind":"more","text":"…"}                                    goes on with the file before it
//   with "base64":true where the file is no text
//   {"kind":"segment","agent":"2","name":"00000003-000.jsonl","lines":4}   then so many lines of the log, as they are
//   {"kind":"damaged","base64":"…"}                               one of them that was damaged
//   {"kind":"mail","agent":"2","from":"…","message":{…}}          unread; behind the log of its agent
//   {"kind":"end","lines":9}                                      this one included

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { LegionError, messageOf } from "../../base/errors.ts";
import type { Event } from "../../domain/event/event.ts";
import {
  countSchema,
  eventSchemas,
  logIdSchema,
  MAX_EPOCH,
  messageSchema,
  stampSchema,
} from "../../domain/event/event-schema.ts";
import { CONTROL, isAgentId, type AgentId, type Message } from "../../domain/message/message.ts";
import { placeOf } from "../files/journal/segments.ts";
import { BLOB, isPathInAgent } from "../folder/agent-path.ts";
import { fromLine } from "../folder/line.ts";
import type { Authorship } from "../folder/person/authorship.ts";

export const ARCHIVE_FORMAT = 1;

const agent = z.custom<AgentId>((id) => typeof id === "string" && (id === CONTROL || isAgentId(id)));

/** Is the text not the content, but Base64 of it? */
const base64 = z.literal(true).optional();

function isSegmentName(name: unknown): boolean {
  const place = typeof name === "string" ? placeOf(name) : undefined;
  return place !== undefined && place.epoch <= MAX_EPOCH && place.part <= MAX_EPOCH;
}

export const archiveLineSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("legion-export"),
    format: z.literal(ARCHIVE_FORMAT),
    /** ISO 8601. */
    at: z.string(),
    agents: z.array(agent).readonly(),
  }),
  z.object({
    kind: z.literal("file"),
    agent,
    path: z.custom<string>(isPathInAgent),
    text: z.string(),
    base64,
  }),
  z.object({ kind: z.literal("more"), text: z.string(), base64 }),
  z.object({
    kind: z.literal("segment"),
    agent,
    name: z.custom<string>(isSegmentName),
    lines: countSchema,
  }),
  z.object({ kind: z.literal("damaged"), base64: z.string() }),
  z.object({
    kind: z.literal("mail"),
    agent,
    from: logIdSchema,
    /** As it is, with what a later version may have added. */
    message: z.custom<Message>((message) => messageSchema.safeParse(message).success),
    after: countSchema.optional(),
  }),
  z.object({
    kind: z.literal("end"),
    lines: z.number(),
    /** Somebody wrote to the agents meanwhile: it is a copy, and what it was made from goes on. */
    live: z.literal(true).optional(),
    /** Of all lines before, under the key of whoever wrote it. */
    mac: z.string().optional(),
  }),
]);

export type ArchiveLine = z.output<typeof archiveLineSchema>;

const OPENING = '{"kind":"legion-export"';
const NEWLINE = 10;
/** No line of a log comes near it; longer texts are divided. */
const MAX_LINE_BYTES = 64 * 1_048_576;

/** Is it a file that begins like an archive? False for a folder and for what is not there. */
export async function isArchive(path: string): Promise<boolean> {
  const head = createReadStream(path, { end: OPENING.length - 1, encoding: "latin1" });
  return (await text(head).catch(() => "")) === OPENING;
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

/** True if a line of a log has what everything that reads logs takes for granted. */
export function isEventShaped(event: { readonly kind: string; readonly blobs?: unknown }): event is Event {
  const schema = SCHEMAS.get(event.kind) ?? stampSchema;
  return schema.safeParse(event).success && (event.blobs === undefined || hasSoundOutline(event));
}

const SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map(Object.entries(eventSchemas));

const outlineSchema = z.array(z.tuple([z.array(z.union([z.string(), z.number()])), z.string().regex(BLOB)]));

/** Long texts may only have stood where an empty one stands now. */
function hasSoundOutline({ blobs, ...event }: { readonly blobs?: unknown }): boolean {
  const { data } = outlineSchema.safeParse(blobs);
  return data !== undefined && data.every(([path]) => path.reduce<unknown>(memberOf, event) === "");
}

function memberOf(value: unknown, key: string | number): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string | number, unknown>>)[key];
}
