// An archive that is only looked at: laid out in files of its own until nobody reads it any more. Nothing of it comes into any legion.

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Reader } from "../contract/reader.ts";
import { createFileReader } from "../files/reader/reader.ts";
import { legionPaths } from "../folder/paths.ts";
import { unpackArchive, type UnpackOptions } from "./unpack.ts";

export interface ReadArchive {
  readonly reader: Reader;
  close(): Promise<void>;
}

/** Rejects as `unpackArchive` does; then nothing is left. */
export async function readArchive(
  path: string,
  options: Pick<UnpackOptions, "onProgress"> = {},
): Promise<ReadArchive> {
  const project = await realpath(await mkdtemp(join(tmpdir(), "legion-archive-")));
  const close = (): Promise<void> => rm(project, { recursive: true, force: true });
  try {
    await unpackArchive(path, legionPaths(project).agents, options);
    return { reader: createFileReader(project), close };
  } catch (error) {
    await close();
    throw error;
  }
}
