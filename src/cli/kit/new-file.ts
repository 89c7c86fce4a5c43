import { createWriteStream, existsSync } from "node:fs";
import { link, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { LegionError, messageOf } from "../../base/errors.ts";
import { createDisk } from "../../base/files/disk.ts";

/** Before anything is made for it. Throws USAGE if there is such a file, or no folder for it. */
export function checkNewFile(path: string): void {
  if (existsSync(path))
    throw new LegionError("USAGE", `${basename(path)} is there already; name another file, or move it away`);
  if (!existsSync(dirname(path)))
    throw new LegionError("USAGE", `there is no folder ${JSON.stringify(dirname(path))}`);
}

/** Writes a file that a person named. Nothing bears its name before it is whole, and no file is replaced. Rejects as `checkNewFile`. */
export async function writeNewFile(path: string, content: Readable): Promise<void> {
  checkNewFile(path);
  const part = `${path}.part-${process.pid}`;
  try {
    await pipeline(content, createWriteStream(part, { flags: "wx", mode: 0o600, flush: true }));
    await link(part, path);
  } catch (error) {
    if (error instanceof LegionError) throw error;
    throw new LegionError("STORAGE", `${path} could not be written: ${messageOf(error)}`, { cause: error });
  } finally {
    await rm(part, { force: true });
  }
  await createDisk(part).sync(dirname(path));
}
