// What a person enters, from lines. An entry longer than a message can be is refused, and not kept whole.

import { LegionError, messageOf } from "../../../base/errors.ts";
import { MAX_CONTENT_BYTES } from "../../../domain/message.ts";
import { TOO_LONG } from "./input.ts";

/** The longest entry, in characters: a message of the greatest size, and whom it is for. */
export const MAX_ENTRY = MAX_CONTENT_BYTES + 4_096;

export interface EntryOptions {
  /** What a line stands for. What it throws ends the entry. */
  readonly unfold?: (line: string) => string;
  readonly onRefused: (why: string) => void;
}

/** Takes lines; gives the entry that a line ends, `undefined` where the entry goes on or is refused. */
export function createEntryReader({
  unfold = (line) => line,
  onRefused,
}: EntryOptions): (line: string) => string | undefined {
  let begun = "";
  const add = (line: string): string | undefined => {
    const before = begun;
    begun = "";
    const isOpen = goesOn(line);
    const entry = before.length > MAX_ENTRY ? before : before + unfold(isOpen ? line.slice(0, -1) : line);
    if (isOpen) {
      begun = `${entry}\n`;
      return undefined;
    }
    if (entry.length > MAX_ENTRY) throw new LegionError("USAGE", `a line is ${TOO_LONG}`);
    return entry;
  };
  return (line) => {
    try {
      return add(line);
    } catch (error) {
      onRefused(messageOf(error));
      return undefined;
    }
  };
}

/** An entry goes on in the next line behind one that ends in `\`, but for what nobody sends. */
export function goesOn(line: string): boolean {
  return line.length <= MAX_ENTRY && /(?<!\\)(?:\\\\)*\\$/.test(line);
}
