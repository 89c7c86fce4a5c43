// Is what a project calls `.ai-legion` what this program would make there? A clone or an archive may bring links that lead
// our writes, our deletions and what a model is shown to somewhere else. So before anything in it is read or written,
// every folder that is used is a real one of this user, and every file a real file.
//
//   I1. Nothing is read, written or deleted through a link, a pipe or a device in `.ai-legion`.
//   I2. What another user owns is nobody's project until the person says so.
//
// It is looked at once, when it is opened, and files are opened without following links after that; of very many agents each is
// looked at when something of it is first used. Whoever may write in the folder later runs as this user, outside of any sandbox, and
// needs no link.

import { lstatSync, readdirSync, type Dirent, type Stats } from "node:fs";
import { join, relative, sep } from "node:path";
import { LegionError } from "../../base/errors.ts";
import { beforeEach } from "../../base/files/before-each.ts";
import type { Disk } from "../../base/files/disk.ts";
import type { LegionPaths } from "./paths.ts";
import type { PersonFolder } from "./person/folder.ts";
import { grant, granted } from "./person/trust.ts";
import { isInside, shownPath } from "../../base/files/project-file.ts";

/** How deep is looked, and where folders have no business. Folders that are not named here are used as a whole, or not at all. */
const DEPTH: ReadonlyMap<string, number> = new Map([
  ["agents", 3],
  ["arrivals", 3],
  // Vault by vault, memory by memory.
  ["cache", 3],
  ["lock", 1],
  ["memory", 3],
]);
/** Of more agents than this each is looked at by `lookingFirst`. */
const MANY = 64;
const FILES_ONLY = /^(agents|arrivals)\/[^/]+\/(log|mailbox|blobs|undo)\/[^/]+$/;

interface Home {
  readonly paths: LegionPaths;
  /** May its folders belong to this user? */
  readonly isOurs: (found: Stats) => boolean;
}

/**
 * Throws CONFIG, saying what to do, where the project belongs to another user whom the person does not trust, or holds
 * something that is no real file or folder. Nothing is written. A project without `.ai-legion` is sound.
 */
export async function checkHome(paths: LegionPaths, person: PersonFolder): Promise<void> {
  const owner = foreignOwner(paths.project);
  if (owner !== undefined && (await granted(person, paths.project, "owner")) !== String(owner))
    throw new LegionError(
      "CONFIG",
      `${paths.project} belongs to another user (${owner}); if you trust what is in it, \`legion doctor --trust\` says so`,
    );
  checkRoot({ paths, isOurs: ownersOf(owner) });
}

function ownersOf(owner: number | undefined): Home["isOurs"] {
  const me = process.getuid?.();
  return ({ uid }) => me === undefined || uid === me || uid === owner;
}

/**
 * The disk, for a home that was checked: of very many agents the folder of each is looked at before anything in it is first used. It throws
 * as `checkHome`.
 */
export function lookingFirst(disk: Disk, paths: LegionPaths): Disk {
  const home: Home = { paths, isOurs: ownersOf(foreignOwner(paths.project)) };
  const all = `${paths.agents}${sep}`;
  const looked = new Set<string>();
  let isLater: boolean | undefined;
  return beforeEach(disk, (path) => {
    if (!path.startsWith(all)) return;
    isLater ??= listed(paths.agents).length > MANY;
    if (!isLater) return;
    const end = path.indexOf(sep, all.length);
    const folder = end === -1 ? path : path.slice(0, end);
    if (looked.has(folder)) return;
    checkFolder(home, folder, DEPTH.get("agents")! - 1);
    looked.add(folder);
  });
}

/** Keeps that the person trusts the owner of the project, if that is somebody else. */
export async function trustOwner({ project }: LegionPaths, person: PersonFolder): Promise<void> {
  const owner = foreignOwner(project);
  if (owner !== undefined) await grant(person, project, { what: "owner", value: String(owner) });
}

/** The user who owns the project and is not this one. */
function foreignOwner(project: string): number | undefined {
  const me = process.getuid?.();
  const uid = look(project)?.uid;
  return me === undefined || uid === me ? undefined : uid;
}

function checkRoot(home: Home): void {
  const { root, socket } = home.paths;
  if (!wayTo(home.paths).every((folder) => isSoundFolder(home, folder))) return;
  for (const entry of listed(root)) {
    const path = join(root, entry.name);
    if (path === socket && entry.isSocket()) continue;
    checkEntry(home, path, entry);
    const depth = DEPTH.get(entry.name) ?? 0;
    const isLater = path === home.paths.agents && listed(path).length > MANY;
    if (entry.isDirectory()) checkFolder(home, path, isLater ? 1 : depth);
  }
}

/** The folders that lead from the project to the home, which may lie deeper than `.ai-legion`, and the home. */
export function wayTo({ project, root }: LegionPaths): readonly string[] {
  if (!isInside(project, root)) return [root];
  const names = relative(project, root).split(sep);
  return names.map((_, index) => join(project, ...names.slice(0, index + 1)));
}

/** False if nothing is there. */
function isSoundFolder(home: Home, path: string): boolean {
  const found = look(path);
  if (!found) return false;
  if (found.isSymbolicLink())
    throw new LegionError(
      "CONFIG",
      `${path} is a link; state is kept in a real folder: move that folder here, or mount it here`,
    );
  if (!found.isDirectory()) throw new LegionError("CONFIG", `${path} is no folder; move it away`);
  checkOwner(home, path, found);
  return true;
}

/** @param depth how many levels below it are looked at, too */
function checkFolder(home: Home, path: string, depth: number): void {
  const found = look(path);
  if (found) checkOwner(home, path, found);
  if (depth === 0) return;
  for (const entry of listed(path)) {
    const inner = join(path, entry.name);
    checkEntry(home, inner, entry);
    if (entry.isDirectory() && depth > 1) checkFolder(home, inner, depth - 1);
  }
}

function checkEntry({ paths }: Home, path: string, entry: Dirent): void {
  const refuse = (what: string): never => {
    const shown = shownPath(paths.project, path);
    throw new LegionError("CONFIG", `${shown} ${what}; nothing is read or written until it is moved away`);
  };
  if (entry.isFile()) return;
  if (entry.isSymbolicLink()) refuse("is a link");
  if (!entry.isDirectory()) refuse("is neither a file nor a folder");
  // Of many agents, and their folders, that is asked of each.
  const inHome = path.slice(paths.root.length + 1).replaceAll(sep, "/");
  if (FILES_ONLY.test(inHome)) refuse("is no file");
}

function checkOwner({ paths, isOurs }: Home, path: string, found: Stats): void {
  if (isOurs(found)) return;
  const shown = shownPath(paths.project, path);
  throw new LegionError(
    "CONFIG",
    `${shown} belongs to another user (${found.uid}); chown it, or move it away`,
  );
}

function look(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** What is in a folder. Names with a dot in front are nobody's of ours: editors keep marks of that kind, which may be links. */
function listed(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith("."));
  } catch {
    // Whoever cannot list it says so when it is used.
    return [];
  }
}
