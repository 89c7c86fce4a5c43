// Where the tapes of a replay are: in a project, in its .ai-legion, or in a file of `legion export --all`.

import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { isArchive } from "../../../storage/archive/format.ts";
import { LegionError } from "../../../base/errors.ts";
import { checkHome } from "../../../storage/folder/home.ts";
import { legionPaths } from "../../../storage/folder/paths.ts";
import { openPersonFolder } from "../../../storage/folder/person/folder.ts";
import { createFileReader } from "../../../storage/files/reader/reader.ts";
import type { Reader } from "../../../storage/contract/reader.ts";
import { unpackArchive } from "../../../storage/archive/unpack.ts";

export interface OpenedRecording {
  readonly reader: Reader;
  close(): Promise<void>;
}

/** Throws CONFIG if there are no logs at `path`, DAMAGED if a file of them is not whole. */
export async function openRecordingAt(path: string): Promise<OpenedRecording> {
  if (await isArchive(path)) return openArchive(path);
  const project = basename(path) === ".ai-legion" ? dirname(path) : path;
  const reader = createFileReader(project);
  await checkHome(reader.paths, openPersonFolder(process.env));
  const { agents } = reader.paths;
  const isThere = await stat(agents).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isThere && (await reader.known()).length > 0) return { reader, close: () => Promise.resolve() };
  throw new LegionError(
    "CONFIG",
    `there is no recorded legion at ${path}: name a project's folder, or a file of legion export --all`,
  );
}

async function openArchive(path: string): Promise<OpenedRecording> {
  const project = await mkdtemp(join(tmpdir(), "legion-"));
  const close = (): Promise<void> => rm(project, { recursive: true, force: true });
  try {
    await unpackArchive(path, legionPaths(project).agents);
    return { reader: createFileReader(project), close };
  } catch (error) {
    await close();
    throw error;
  }
}
