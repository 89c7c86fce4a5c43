// What a long-term memory holds when all is over, read from its files by code that shares nothing with the runtime.

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { MemoryEvent, NewMemoryEvent } from "../../src/domain/memory/record.ts";
import { readJournal } from "./journal.ts";
import { MEMORY } from "./scribe.ts";

/** A memory, wherever it is kept. */
export interface Remembered {
  /** With their words. */
  readonly records: readonly MemoryEvent[];
  /** Lines that count and are not what was written, and records whose words are not there. */
  readonly unreadable: number;
  /** The shards of context that count, as the place itself says, oldest first. */
  readonly counting: readonly number[];
  /** Is that what people, or agents, are shown as its context: the shard of this number, or nothing? */
  readonly isShown: (seq: number | undefined) => boolean;
}

export const NOTHING_REMEMBERED: Remembered = {
  records: [],
  unreadable: 0,
  counting: [],
  isShown: (seq) => seq === undefined,
};

interface Standing {
  readonly contexts: readonly number[];
}

/** A record as its log has it. */
export type Stored = MemoryEvent & { readonly words?: string };

export function readRemembered(project: string): Remembered {
  const folder = join(project, ".ai-legion", "memory", ...MEMORY.split("/"));
  const { records, unreadable } = readJournal<Stored>(join(folder, "log"));
  const remembered = joinAll(records, ({ words }) => wordsAt(folder, words!));
  const standing = join(folder, "standing.json");
  const context = join(folder, "context.md");
  const shown = existsSync(context) ? readFileSync(context, "utf8") : undefined;
  return {
    records: remembered.records,
    unreadable: unreadable + remembered.unreadable,
    counting: existsSync(standing) ? (JSON.parse(readFileSync(standing, "utf8")) as Standing).contexts : [],
    isShown: (seq) => shown === (seq === undefined ? undefined : `${contentOf(remembered.records, seq)}\n`),
  };
}

/** @param wordsOf of a record that has some, as JSON; `undefined` if they are not there */
export function joinAll(
  records: readonly Stored[],
  wordsOf: (record: Stored) => string | undefined,
): Pick<Remembered, "records" | "unreadable"> {
  let unreadable = 0;
  const joined = records.map((record): MemoryEvent => {
    if (record.words === undefined) return record;
    const words = wordsOf(record);
    if (words === undefined) unreadable++;
    return { ...record, ...(JSON.parse(words ?? "{}") as Partial<NewMemoryEvent>) } as MemoryEvent;
  });
  return { records: joined, unreadable };
}

/** `words`: file, offset, length, and the beginning of their SHA-256. */
function wordsAt(folder: string, words: string): string | undefined {
  const [file = "", offset, length, hash] = words.split(":");
  const path = join(folder, "texts", file);
  const start = Number(offset);
  const bytes = existsSync(path) ? readFileSync(path).subarray(start, start + Number(length)) : undefined;
  const isWhole = bytes && createHash("sha256").update(bytes).digest("hex").startsWith(hash!);
  return isWhole ? bytes.toString("utf8") : undefined;
}

function contentOf(records: readonly MemoryEvent[], seq: number): string {
  const shard = records.find((record) => record.seq === seq);
  return shard?.kind === "context" ? shard.content : "";
}
