import type { FileHandle } from "node:fs/promises";
import { countNewlines, isInsideCharacter, MAX_BYTES, NEWLINE } from "./text.ts";

const CHUNK_BYTES = 64 * 1024;
/** How far a file is read to find lines and to count them. */
const MAX_SCANNED_BYTES = 256 * 1024 * 1024;

export interface Span {
  /** First line, from 1. */
  readonly offset: number;
  /** Most lines to take. */
  readonly limit: number;
}

export interface Excerpt {
  /** As it stands in the file, but for a byte order mark and the last line end. */
  readonly text: string;
  /** How many lines `text` has. */
  readonly shown: number;
  /** How many lines the file has, as far as it was read. */
  readonly lines: number;
  /** False if the file goes on after what was read. */
  readonly isWhole: boolean;
  /** The only line shown is longer than may be shown. */
  readonly isCut: boolean;
}

/**
 * The lines of `file` from `offset` on, as many as may be shown at once; the file is never held in memory.
 * Stops when `signal` aborts.
 */
export async function readLines(file: FileHandle, span: Span, signal: AbortSignal): Promise<Excerpt> {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let newlines = 0;
  let scanned = 0;
  let last: number | undefined;
  for await (const chunk of chunksOf(file, signal)) {
    const taken = within(chunk, span, newlines).subarray(0, MAX_BYTES + 1 - keptBytes);
    if (taken.length > 0) kept.push(Buffer.from(taken));
    keptBytes += taken.length;
    newlines += countNewlines(chunk);
    scanned += chunk.length;
    last = chunk.at(-1);
  }
  const lines = newlines + (last === undefined || last === NEWLINE ? 0 : 1);
  const isWhole = scanned < MAX_SCANNED_BYTES;
  return { ...fit(Buffer.concat(kept)), lines, isWhole };
}

async function* chunksOf(file: FileHandle, signal: AbortSignal): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let position = 0; position < MAX_SCANNED_BYTES;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The part of `chunk` that lies in the span; `before` lines end before it. */
function within(chunk: Buffer, { offset, limit }: Span, before: number): Buffer {
  const start = afterNewlines(chunk, offset - 1 - before);
  const end = afterNewlines(chunk, offset - 1 + limit - before);
  return chunk.subarray(start, end);
}

/** The position after the first `count` newlines; 0 for none, the end if there are fewer. */
function afterNewlines(chunk: Buffer, count: number): number {
  let at = 0;
  for (let n = 0; n < count; n++) {
    at = chunk.indexOf(NEWLINE, at) + 1;
    if (at === 0) return chunk.length;
  }
  return at;
}

/** As many whole lines as may be shown, or the start of the first one. */
function fit(bytes: Buffer): Pick<Excerpt, "text" | "shown" | "isCut"> {
  if (bytes.length <= MAX_BYTES) return { ...asLines(bytes), isCut: false };
  const whole = bytes.lastIndexOf(NEWLINE, MAX_BYTES - 1) + 1;
  if (whole > 0) return { ...asLines(bytes.subarray(0, whole)), isCut: false };
  let end = MAX_BYTES;
  while (isInsideCharacter(bytes[end])) end--;
  return { ...asLines(bytes.subarray(0, end)), isCut: true };
}

function asLines(bytes: Buffer): Pick<Excerpt, "text" | "shown"> {
  const ends = bytes.length === 0 || bytes.at(-1) === NEWLINE;
  const text = bytes
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .replace(/\r?\n$|\r$/, "");
  return { text, shown: countNewlines(bytes) + (ends ? 0 : 1) };
}

const KINDS: readonly (readonly [start: string, kind: string])[] = [
  ["\x89PNG", "a PNG image"],
  ["\xff\xd8\xff", "a JPEG image"],
  ["GIF8", "a GIF image"],
  ["%PDF-", "a PDF document"],
  ["PK\x03\x04", "a ZIP archive, or a document or program packed as one"],
  ["\x1f\x8b", "a gzip archive"],
  ["\x28\xb5\x2f\xfd", "a zstd archive"],
  ["\xfd7zXZ", "an xz archive"],
  ["\x7fELF", "a program or library"],
  ["\0asm", "a WebAssembly module"],
  ["SQLite format 3\0", "an SQLite database"],
  ["\xff\xfe", "text in UTF-16"],
  ["\xfe\xff", "text in UTF-16"],
];

/** What a file is that is no text, judged by its beginning; `undefined` for text. */
export async function binaryKind(file: FileHandle): Promise<string | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(8_192), 0, 8_192, 0);
  const start = buffer.toString("latin1", 0, bytesRead);
  const known = KINDS.find(([magic]) => start.startsWith(magic));
  return known?.[1] ?? (start.includes("\0") ? "a binary file" : undefined);
}
