// How much something on disk is.

import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../base/errors.ts";

export interface DiskSize {
  /** All that is no folder; links are not followed. */
  readonly files: number;
  readonly bytes: number;
}

/** Of all in it that can be read: agents may shut folders of theirs, and things go meanwhile. */
export function sizeIn(path: string, except?: string): DiskSize {
  let [files, bytes] = [0, 0];
  const rest = [path];
  for (let at = rest.pop(); at !== undefined; at = rest.pop()) {
    const found = readable(() => lstatSync(at));
    if (found?.isDirectory()) {
      const names = at === except ? [] : readable(() => readdirSync(at));
      for (const name of names ?? []) rest.push(join(at, name));
    } else if (found) {
      files++;
      bytes += found.size;
    }
  }
  return { files, bytes };
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}

const UNITS = ["B", "kB", "MB", "GB"] as const;

/** Such as `1.2 MB`. */
export function formatSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  for (; size >= 1_000 && unit < UNITS.length - 1; unit++) size /= 1_000;
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`;
}
