// What of a memory's record is words, which may have to be forgotten: they are kept beside the record, which says where they
// are. What stays when they are gone is its number, its time, who sent it, and a mark of the message that it is.

import { createHash, randomBytes } from "node:crypto";
import { fieldsOf, readJson } from "../../base/text/json.ts";
import type { OpenedEvent, Stamp } from "../../domain/event/event.ts";
import type { ContextEvent, EntryEvent, NewMemoryEvent } from "../../domain/memory/record.ts";
import { heardMark } from "./heard.ts";

type EntryWords = Pick<EntryEvent, "raw" | "summary" | "speaker" | "thread" | "tags" | "of" | "taint">;
type ContextWords = Pick<ContextEvent, "content" | "taint">;

const NO_ENTRY_WORDS: EntryWords = { raw: "", summary: "", speaker: "", thread: "", tags: {} };
const NO_CONTEXT_WORDS: ContextWords = { content: "" };

/** An event as its log holds it. `words`: where its words are; absent for one that has none. */
export type Wordless<E extends NewMemoryEvent = NewMemoryEvent> = E extends EntryEvent | ContextEvent
  ? Omit<E, keyof EntryWords | keyof ContextWords> & { readonly words: string }
  : E;

export type WordlessEvent = (Wordless | OpenedEvent) & Stamp;

export interface Split {
  readonly record: (words: string) => Wordless;
  /** Absent: it has none. */
  readonly words?: string;
}

const SALT_BYTES = 16;

/** A record and its words, as a text that nobody can guess from its hash. */
export function splitWords(event: NewMemoryEvent): Split {
  if (event.kind === "entry") {
    const { raw, summary, speaker, thread, tags, of, taint, ...rest } = event;
    const record = of ? { ...rest, heard: heardMark(of) } : rest;
    return {
      record: (words) => ({ ...record, words }),
      words: salted({ raw, summary, speaker, thread, tags, of, taint }),
    };
  }
  if (event.kind !== "context") return { record: () => event };
  const { content, taint, ...record } = event;
  return { record: (words) => ({ ...record, words }), words: salted({ content, taint }) };
}

function salted(words: EntryWords | ContextWords): string {
  return JSON.stringify({ salt: randomBytes(SALT_BYTES).toString("hex"), ...words });
}

/** For a record: of the words as they are kept, salt included. */
export function hashOfWords(words: string | Uint8Array): string {
  return createHash("sha256").update(words).digest("hex").slice(0, 32);
}

/** The record with its words again, which are empty where they are gone: forgotten, or lost. */
export function joinWords<S>(stored: Wordless & S, words: string | undefined): NewMemoryEvent & S {
  if (stored.kind === "entry") {
    const { words: _place, heard, ...record } = stored;
    const told = known(words) as Partial<EntryWords>;
    const left = heard === undefined || told.of ? {} : { heard };
    return { ...record, ...left, ...NO_ENTRY_WORDS, ...told };
  }
  if (stored.kind !== "context") return stored;
  const { words: _place, ...record } = stored;
  return { ...record, ...NO_CONTEXT_WORDS, ...(known(words) as Partial<ContextWords>) };
}

function known(words: string | undefined): object {
  const { salt: _salt, ...fields } = fieldsOf(readJson(words ?? ""));
  return fields;
}
