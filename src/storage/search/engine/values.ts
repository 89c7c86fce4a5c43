// What SQLite is given.

import type sqlite from "node-sqlite3-wasm";
import type { Tag } from "../order.ts";

export type Database = InstanceType<typeof sqlite.Database>;

/** A text at one go: as a string it would be copied a character at a time, and only up to the first NUL. */
export function toBytes(text: string): Uint8Array {
  return Buffer.from(text);
}

/** A text without NUL, and nothing but Unicode, whatever `text` is: another one for each. */
export function exact(text: string | undefined): string | null {
  return text === undefined ? null : JSON.stringify(text);
}

/** Tags in a line each, between line breaks: what is found in that as `inLines([tag])` is one of them. */
export function inLines(tags: readonly Tag[]): string {
  return tags.map((tag) => `\n${JSON.stringify(tag)}\n`).join("");
}
