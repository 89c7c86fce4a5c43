// A folder that is kept open, and is what it was when it was looked for.
//
// Without /proc/self/fd (macOS) files are reached by the path that was checked: there a folder swapped in the very
// moment between can lead elsewhere.

import { constants, existsSync } from "node:fs";
import { open, readlink, realpath, type FileHandle } from "node:fs/promises";
import { Refusal } from "../refusal.ts";

/** A folder that is kept open. */
export interface Folder {
  /** Leads to this very folder, whatever its name leads to by now. */
  readonly path: string;
  /** Absolute, without links, as it was when it was opened. */
  readonly real: string;
  /** Resolves when what was made or taken away in it is durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

const OPEN_FILES = "/proc/self/fd";
/** As `holdByDescriptor`, or, where that cannot be, as `holdByPath`. */
export const hold = existsSync(OPEN_FILES) ? holdByDescriptor : holdByPath;

/** Opens the folder `at`, which must really be `real`. */
export async function holdByDescriptor(at: string, real: string): Promise<Folder> {
  const handle = await openFolder(at);
  const path = `${OPEN_FILES}/${handle.fd}`;
  return checked(folderOf(handle, path, real), await readlink(path));
}

/** The weaker way where open files have no path of their own. */
export async function holdByPath(at: string, real: string): Promise<Folder> {
  const handle = await openFolder(at);
  return checked(folderOf(handle, real, real), await realpath(at));
}

function folderOf(handle: FileHandle, path: string, real: string): Folder {
  return { path, real, sync: () => handle.sync(), close: () => handle.close() };
}

function openFolder(at: string): Promise<FileHandle> {
  return open(at, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

async function checked(folder: Folder, found: string): Promise<Folder> {
  if (found === folder.real) return folder;
  await folder.close();
  throw new Refusal("That path changed while it was opened; try again.");
}
