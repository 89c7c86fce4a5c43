import { isLegionError } from "../../../base/errors.ts";
import type { Disk } from "../../../base/files/disk.ts";

/** As `read` of a disk; also `undefined` where no file is in its place: a link, a pipe, a folder. */
export async function readOwn(path: string, disk: Pick<Disk, "read" | "kind">): Promise<Buffer | undefined> {
  try {
    return await disk.read(path);
  } catch (error) {
    if (!isLegionError(error, "STORAGE") || (await disk.kind(path)) === "file") throw error;
    return undefined;
  }
}
