// Changes to files in the person's folder that several processes may want to make at once.

import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { createPassingDisk } from "../../../base/files/disk.ts";
import { takeLock } from "../lock.ts";
import type { PersonFolder } from "./folder.ts";

const PATIENCE_MS = 10_000;

/**
 * Does `work` while nobody else does anything under the name `lock`. The person's folder has to be there. Rejects with LOCKED
 * where another process does not come to an end.
 */
export async function alone<T>(person: PersonFolder, lock: string, work: () => Promise<T>): Promise<T> {
  // A folder above it may be a link: only what is in it has to be real.
  const folder = await realpath(person.path);
  // After a power cut nobody holds it, whatever is left of it.
  const disk = createPassingDisk(join(folder, "tmp"));
  const held = await takeLock(join(folder, lock), disk, { role: "command", waitMs: PATIENCE_MS });
  try {
    return await work();
  } finally {
    await held.release();
  }
}
