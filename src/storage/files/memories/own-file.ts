import { isLegionError } from "../../../base/errors.ts";
import type { Disk } from "../../../base/files/disk.ts";

/** `maxBytes` from `offset` on. */
export interface Stretch {
  readonly maxBytes: number;
  readonly offset: number;
}

/** As `read` of a disk; also `undefined` where no file is in its place: a link, a pipe, a folder. `part`: absent for all of it. */
export async function readOwn(
  path: string,
  disk: Pick<Disk, "read" | "kind">,
  part?: Stretch,
): Promise<Buffer | undefined> {
  try {
    return await disk.read(path, part?.maxBytes, part?.offset);
  } catch (error) {
    if (!isLegionError(error, "STORAGE") || (await disk.kind(path)) === "file") throw error;
    return undefined;
  }
}
