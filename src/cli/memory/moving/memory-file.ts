// A memory as a file of JSON lines: which it is, then what it holds, in its order, under its numbers; last how much that was,
// and who wrote the file. Whatever is in such a file may be anybody's.

import { createHash, type Hash } from "node:crypto";
import { z } from "zod";
import { LegionError } from "../../../base/errors.ts";
import { readJson } from "../../../base/text/json.ts";
import { elide } from "../../../base/text/wording.ts";
import { isMemoryId } from "../../../domain/memory/memory-id.ts";
import type { MemoryEvent } from "../../../domain/memory/record.ts";
import { readRecord } from "../../../domain/memory/record-schema.ts";
import { MAX_CONTENT_BYTES, isAgentId } from "../../../domain/message/message.ts";
import { sourcesOf } from "../../../domain/message/taint.ts";
import type { Authorship } from "../../../storage/folder/person/authorship.ts";

const FORMAT = 1;
const MAX_COUNT = 1_000_000_000_000;
/** The longest document, in characters: what a person made of one is longer than what an agent may send. */
const MAX_DOCUMENT = 65_536;
/** Of what is wrong with a line, in characters. */
const MAX_TOLD = 120;

const count = z.int().min(0).max(MAX_COUNT);
const numbered = { seq: count.min(1), at: z.string().max(40), by: z.string().refine(isSender) };
const marked = { taint: z.unknown().optional(), forgotten: z.literal(true).optional() };

/** What is left of a message whose entry is forgotten. */
const HEARD = /^[0-9a-f]{16}#\d{1,15}$/;

const schema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("memory"),
    format: z.literal(FORMAT),
    memory: z.string().refine(isMemoryId),
  }),
  z.strictObject({
    kind: z.literal("entry"),
    ...{ ...numbered, ...marked, raw: z.string(), summary: z.unknown(), role: z.unknown() },
    ...{ speaker: z.unknown(), thread: z.unknown(), said: z.unknown(), tags: z.unknown() },
    ...{ summarised: z.unknown(), of: z.unknown().optional(), heard: z.string().regex(HEARD).optional() },
  }),
  z.strictObject({
    kind: z.literal("context"),
    ...{ ...numbered, ...marked, content: z.string(), upTo: count, base: count.optional() },
  }),
  z.strictObject({ kind: z.literal("kept"), ...numbered }),
  z.strictObject({ kind: z.literal("end"), lines: count, mac: z.string().max(200).optional() }),
]);

type FileLine = z.output<typeof schema>;

function isSender(by: string): boolean {
  return by === "0" || isAgentId(by);
}

/** What a file holds of a memory that is kept, in its order. */
export type HeldEvent = Extract<MemoryEvent, { kind: "entry" | "context" | "kept" | "void" }>;

/** One line of a file for an event; `undefined` for what is no part of a file. */
export function lineOf(event: MemoryEvent, forgotten: ReadonlySet<number>): object | undefined {
  if (event.kind === "kept") return { kind: event.kind, seq: event.seq, at: event.at, by: event.by };
  if (event.kind !== "entry" && event.kind !== "context") return undefined;
  const { kind, seq, at, mail: _mail, from: _from, epoch: _epoch, ...rest } = event;
  // Words that are lost are gone, too.
  const isGone = forgotten.has(seq) || ("speaker" in rest && rest.speaker === "");
  return { kind, seq, at, ...rest, ...(isGone && { forgotten: true }) };
}

export function firstLine(memory: string): object {
  return { kind: "memory", format: FORMAT, memory };
}

/** @param lines how many are before it @param hash of these @param authorship absent: nobody vouches for it */
export function endLine(lines: number, hash: Hash, authorship: Authorship | undefined): object {
  return { kind: "end", lines, ...(authorship && { mac: authorship.sign(signedName(hash), FORMAT) }) };
}

/** Under which name a file is signed: by all of its lines. */
function signedName(lines: Hash): string {
  return `memory file ${lines.digest("hex")}`;
}

export interface ReadFile {
  readonly memory: string;
  readonly events: readonly HeldEvent[];
  /** Did this person's machine write it as it is? */
  readonly isOwn: boolean;
}

/** Throws USAGE, naming the line, if one of them is not what `export` writes, or the end is missing. */
export function readLines(text: string, file: string, authorship: Pick<Authorship, "isOwn">): ReadFile {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const wrong = (index: number, why: string): LegionError =>
    new LegionError("USAGE", `${file}, line ${index + 1}: ${why}; nothing was taken in`);
  const hash = createHash("sha256");
  const events: HeldEvent[] = [];
  let memory: string | undefined;
  let last = 0;
  for (const [index, line] of lines.entries()) {
    const read = readLine(line);
    if (typeof read === "string") throw wrong(index, read);
    if ((read.kind === "memory") !== (index === 0))
      throw wrong(index, "a file of `legion memory export` begins with a line of kind memory, and has one");
    if (read.kind === "end") {
      if (index !== lines.length - 1) throw wrong(index, "there are lines behind the end");
      if (read.lines !== index)
        throw wrong(index, `${read.lines} lines were written, and ${index} are there`);
      return { memory: memory!, events, isOwn: authorship.isOwn(read.mac, signedName(hash), FORMAT) };
    }
    hash.update(`${line}\n`);
    if (read.kind === "memory") memory = read.memory;
    else {
      if (read.seq <= last) throw wrong(index, "its number is not higher than that of the line before");
      last = read.seq;
      if (read.kind === "kept") events.push({ ...read, epoch: 0 });
      else if (!read.forgotten) events.push(heldIn(read));
      else if (read.kind === "entry" && read.heard !== undefined) events.push(forgottenIn(read, read.heard));
    }
  }
  throw wrong(lines.length, "the end of the file is missing");
}

/** Or what is wrong with it. */
function readLine(line: string): FileLine | string {
  const value = readJson(line);
  if (typeof value !== "object" || value === null) return "it is no object of JSON";
  const { data, error } = schema.safeParse(value);
  if (!data) {
    const [issue] = error.issues;
    const where = issue!.path.length === 0 ? "" : `${issue!.path.join(".")}: `;
    return `it is not what \`legion memory export\` writes (${elide(where + issue!.message, MAX_TOLD)})`;
  }
  if ((data.kind !== "entry" && data.kind !== "context") || data.forgotten) return data;
  const isFitting =
    data.kind === "entry"
      ? Buffer.byteLength(data.raw) <= MAX_CONTENT_BYTES
      : data.content.length <= MAX_DOCUMENT;
  if (!isFitting) return "its text is longer than a memory holds";
  return readRecord(detailsOf(data), "") ? data : "what it says of its text is no record of a memory";
}

type RecordLine = Extract<FileLine, { kind: "entry" | "context" }>;

function detailsOf(line: RecordLine): unknown {
  if (line.kind === "context") return { context: { upTo: line.upTo, base: line.base } };
  const { summary, role, speaker, thread, said, tags, of, summarised } = line;
  return { entry: { summary, role, speaker, thread, said, tags, of, summarised } };
}

/** What was forgotten does not come back where its message is read again. */
function forgottenIn({ seq, at, by }: RecordLine, heard: string): HeldEvent {
  return { kind: "void", seq, at, by, ...OF_NOBODY, reason: "it is forgotten", heard };
}

/** Nobody's mail: it counts for no sender. */
const OF_NOBODY = { mail: 0, from: "", epoch: 0 };

function heldIn(line: RecordLine): HeldEvent {
  const { seq, at, by } = line;
  const text = line.kind === "entry" ? line.raw : line.content;
  const record = readRecord(detailsOf(line), "")!;
  const sources = sourcesOf(line.taint);
  const marks = sources.length > 0 ? { taint: sources } : {};
  const told = { seq, at, by, ...OF_NOBODY, ...marks };
  return "entry" in record
    ? { kind: "entry", ...told, raw: text, ...record.entry }
    : { kind: "context", ...told, content: text, ...record.context };
}
