// What SQLite is given.

import type sqlite from "node-sqlite3-wasm";

export type Database = InstanceType<typeof sqlite.Database>;

/** A text at one go: as a string it would be copied a character at a time, and only up to the first NUL. */
export function toBytes(text: string): Uint8Array {
  return Buffer.from(text);
}
