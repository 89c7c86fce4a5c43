// What a person enters, from lines: a line that ends in `\` goes on in the next one. Nothing longer than a message is kept.

import { MAX_CONTENT_BYTES } from "../../../domain/message.ts";
import type { TooLong } from "./keys.ts";

/** The longest entry, in characters: a message of the greatest size, and whom it is for. */
const MAX_ENTRY = MAX_CONTENT_BYTES + 4_096;

export interface EntryReader {
  /** Takes a line; gives the entry that it ends, `undefined` where the entry goes on. What `unfold` throws ends it. */
  add(line: string | TooLong): string | TooLong | undefined;
}

/** @param unfold what a line stands for; its own last character says whether it goes on */
export function createEntryReader(unfold: (line: string) => string = (line) => line): EntryReader {
  let begun: string | TooLong = "";
  return {
    add(line) {
      const before = begun;
      begun = "";
      const goesOn = typeof line === "string" && /(?<!\\)(?:\\\\)*\\$/.test(line);
      const entry = join(before, typeof line === "string" ? unfold(goesOn ? line.slice(0, -1) : line) : line);
      if (!goesOn) return entry;
      begun = typeof entry === "string" ? `${entry}\n` : entry;
      return undefined;
    },
  };
}

function join(begun: string | TooLong, more: string | TooLong): string | TooLong {
  if (typeof begun !== "string") return begun;
  if (typeof more !== "string") return more;
  return begun.length + more.length > MAX_ENTRY ? { tooLong: true } : begun + more;
}

/** Splits what comes from a pipe into lines, none of them longer than an entry. */
export interface Splitter {
  /** The lines that end in `chunk`. */
  take(chunk: string): (string | TooLong)[];
  /** What is left at the end of the input; `undefined` if nothing is. */
  rest(): string | TooLong | undefined;
}

export function createSplitter(): Splitter {
  let pending = "";
  let isTooLong = false;
  const keep = (text: string): void => {
    pending += text;
    if (pending.length > MAX_ENTRY) {
      pending = "";
      isTooLong = true;
    }
  };
  const end = (): string | TooLong => {
    const line = isTooLong ? ({ tooLong: true } as const) : pending.replace(/\r$/, "");
    pending = "";
    isTooLong = false;
    return line;
  };
  return {
    take(chunk) {
      const pieces = chunk.split("\n");
      const last = pieces.pop()!;
      const lines = pieces.map((piece) => {
        keep(piece);
        return end();
      });
      keep(last);
      return lines;
    },
    rest: () => (pending === "" && !isTooLong ? undefined : end()),
  };
}
