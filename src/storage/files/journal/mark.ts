// What tells a file, or the names in a folder, from what they were at any other time.

import type { BigIntStats } from "node:fs";

/** A file that is changed twice within one step of the clock of its file system may bear the same mark. */
const STEP_MS = 2_000;

/** Another one whenever it was changed, or another is in its place. */
export function markOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}

/** Was it changed so short a time ago that its mark does not tell whether it will have been changed again? */
export function isFresh({ mtimeMs }: BigIntStats): boolean {
  return Date.now() - Number(mtimeMs) < STEP_MS;
}
