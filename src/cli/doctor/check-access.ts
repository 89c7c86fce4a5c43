// May and can the files of a project be written, and who else may read them?

import { constants, type Stats, type StatsFs } from "node:fs";
import { access, lstat, readdir, statfs } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { messageOf } from "../../base/errors.ts";
import type { LegionPaths } from "../../storage/folder/paths.ts";
import { shownPath } from "../../base/files/project-file.ts";
import type { FileReader } from "../../storage/files/reader/reader.ts";
import { finding, type DoctorFinding } from "./finding.ts";

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
      return finding("folder", "wrong", `cannot be written: ${messageOf(error)}`);
    }
  }
  return finding("folder", "ok", `${paths.project} can be written`);
}

async function checkSpace(project: string): Promise<DoctorFinding> {
  try {
    return judgeSpace(await statfs(project));
  } catch (error) {
    return finding("disk", "missing", `its free space is unknown: ${messageOf(error)}`);
  }
}

/** What `statfs` says of a disk; some have no fixed number of files and say 0 of 0. */
export function judgeSpace(space: Pick<StatsFs, "bavail" | "bsize" | "files" | "ffree">): DoctorFinding {
  const free = space.bavail * space.bsize;
  const shown = `${Math.floor(free / 1_048_576)} MiB free`;
  if (free < MIN_FREE_BYTES)
    return finding("disk", "wrong", `full: ${shown}; agents halt when they cannot write`);
  if (space.files > 0 && space.ffree < MIN_FREE_FILES)
    return finding("disk", "wrong", `full: room for ${space.ffree} more files`);
  return finding("disk", "ok", shown);
}

/** Only the outermost is named, as what lies in a private folder is private. */
async function* checkPrivacy(paths: LegionPaths): AsyncGenerator<DoctorFinding> {
  if (process.getuid === undefined) return;
  const isRootOpen = await isOpen(paths.root);
  for (const path of await privatePaths(paths)) {
    const isInReach = isRootOpen || dirname(path) !== paths.root;
    const shown = shownPath(paths.project, path);
    if (isInReach && (await isOpen(path)))
      yield finding(shown, "wrong", `others may open it; chmod go= ${shown}`);
  }
}

/** Settings, what agents are taught, and results that people hand on. */
const PUBLIC =
  /^(prompts|skills|config\.yaml|config\.schema\.json|\.gitignore|trajectory\.json|preds\.json|summary\.json|.+\.traj\.json)$/;

/** Is a file of this name for others as well, as far as the folder around it lets them in? */
export function isPublic(path: string): boolean {
  return PUBLIC.test(basename(path));
}

/** State and keys, which are nobody else's business, with all that is in them. */
export async function privatePaths({ project, root }: LegionPaths): Promise<readonly string[]> {
  const names = await readdir(root).catch(() => []);
  const state = names.filter((name) => !isPublic(name)).map((name) => join(root, name));
  return [...state, join(project, ".env")];
}

export interface FoundState {
  readonly path: string;
  readonly found: Stats;
}

/**
 * What lies at `path`, a folder before what is in it: who may not enter it sees nothing else. What agents make as they like is not
 * looked at.
 */
export async function* stateAt(path: string, root: string): AsyncGenerator<FoundState> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return;
  yield { path, found };
  if (!found.isDirectory() || AGENTS_OWN.test(relative(root, path))) return;
  for (const name of await readdir(path).catch(() => [])) yield* stateAt(join(path, name), root);
}

/** In the home of a legion, and of a run in it. */
const AGENTS_OWN = /^(runs\/[^/]+\/)?(homes|workspaces|set-aside)$/;

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
  for (const name of await readdir(root).catch(() => []))
    for await (const { path, found } of stateAt(join(root, name), root)) {
      const isWritable = found.uid === uid && (found.isSymbolicLink() || (found.mode & 0o200) !== 0);
      if (!isWritable) foreign.push(shownPath(project, path));
    }
  if (foreign.length === 0) return;
  const named = foreign.slice(0, MAX_NAMED).join(", ");
  const more = foreign.length > MAX_NAMED ? ` and ${foreign.length - MAX_NAMED} more` : "";
  yield finding(
    "owner",
    "wrong",
    `not yours, or not to be written: ${named}${more}; chown or chmod u+w them`,
  );
}
