// May and can the files of a project be written, and who else may read them?

import { constants } from "node:fs";
import { access, lstat, readdir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import type { LegionPaths } from "../../storage/folder/paths.ts";
import { shownPath } from "../../base/files/project-file.ts";
import type { FileReader } from "../../storage/files/reader/reader.ts";
import type { DoctorFinding } from "./finding.ts";

/** A start needs little; what agents do needs more. */
const MIN_FREE_BYTES = 16 * 1_048_576;
const MIN_FREE_FILES = 100;
const MAX_NAMED = 5;
const OWNER_MAY_ALL = 0o700;

export async function* checkAccess(reader: FileReader): AsyncGenerator<DoctorFinding> {
  yield await checkWritable(reader);
  yield await checkSpace(reader.paths.project);
  yield* checkPrivacy(reader.paths);
  yield* checkOwners(reader.paths);
}

async function checkWritable({ paths, disk }: FileReader): Promise<DoctorFinding> {
  const folders = [paths.project, paths.root, paths.agents].filter((path) => disk.exists(path));
  for (const folder of folders) {
    try {
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
      // Root is let in by most systems whatever the modes say, and not by all.
      const { uid, mode } = await lstat(folder);
      if (uid === process.getuid?.() && (mode & OWNER_MAY_ALL) !== OWNER_MAY_ALL)
        throw new Error(`the mode of ${folder} forbids it; chmod u+rwx it`);
    } catch (error) {
      return { check: "folder", status: "wrong", detail: `cannot be written: ${messageOf(error)}` };
    }
  }
  return { check: "folder", status: "ok", detail: `${paths.project} can be written` };
}

async function checkSpace(project: string): Promise<DoctorFinding> {
  try {
    return judgeSpace(await statfs(project));
  } catch (error) {
    return { check: "disk", status: "missing", detail: `its free space is unknown: ${messageOf(error)}` };
  }
}

/** What `statfs` says of a disk; some have no fixed number of files and say 0 of 0. */
export function judgeSpace(space: {
  readonly bavail: number;
  readonly bsize: number;
  readonly files: number;
  readonly ffree: number;
}): DoctorFinding {
  const free = space.bavail * space.bsize;
  const shown = `${Math.floor(free / 1_048_576)} MiB free`;
  if (free < MIN_FREE_BYTES)
    return { check: "disk", status: "wrong", detail: `full: ${shown}; agents halt when they cannot write` };
  if (space.files > 0 && space.ffree < MIN_FREE_FILES)
    return { check: "disk", status: "wrong", detail: `full: room for ${space.ffree} more files` };
  return { check: "disk", status: "ok", detail: shown };
}

/** State and keys are nobody else's business. What lies in a private folder is private. */
async function* checkPrivacy(paths: LegionPaths): AsyncGenerator<DoctorFinding> {
  if (process.getuid === undefined) return;
  for (const path of [...(await exposedPaths(paths)), join(paths.project, ".env")]) {
    if (!(await isOpen(path))) continue;
    const shown = shownPath(paths.project, path);
    yield { check: shown, status: "wrong", detail: `others may open it; chmod go= ${shown}` };
  }
}

/** Others can get to these, if their own modes let them. `config.yaml` is for everybody. */
async function exposedPaths({ root, agents, ...paths }: LegionPaths): Promise<readonly string[]> {
  if (!(await isOpen(root))) return [];
  const exposed = [agents, paths.lock, paths.logs, paths.corrupt, paths.socket];
  if (!(await isOpen(agents))) return exposed;
  for (const name of await readdir(agents).catch(() => [])) {
    const folder = join(agents, name);
    exposed.push(folder);
    if (!(await isOpen(folder))) continue;
    for (const inner of await readdir(folder).catch(() => [])) exposed.push(join(folder, inner));
  }
  return exposed;
}

/** May anybody but its owner do anything with it? */
async function isOpen(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && !found.isSymbolicLink() && (found.mode & 0o077) !== 0;
}

/**
 * A start as another user leaves files that this one cannot go on with. Root can in most places, and not in a container over
 * another one's mount; and what root writes there, nobody else can go on with.
 */
async function* checkOwners({ project, root }: LegionPaths): AsyncGenerator<DoctorFinding> {
  const uid = process.getuid?.();
  if (uid === undefined) return;
  const foreign: string[] = [];
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])) {
    const path = join(entry.parentPath, entry.name);
    const found = await lstat(path).catch(() => undefined);
    const isOurs = found === undefined || found.uid === uid;
    const isWritable =
      isOurs && (found === undefined || entry.isSymbolicLink() || (found.mode & 0o200) !== 0);
    if (!isWritable) foreign.push(shownPath(project, path));
  }
  if (foreign.length === 0) return;
  const named = foreign.slice(0, MAX_NAMED).join(", ");
  const more = foreign.length > MAX_NAMED ? ` and ${foreign.length - MAX_NAMED} more` : "";
  const detail = `not yours, or not to be written: ${named}${more}; chown or chmod u+w them`;
  yield { check: "owner", status: "wrong", detail };
}
