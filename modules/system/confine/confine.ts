// Where a path that a model names may lead. Its links are resolved, the folder it ends in is opened and asked where it
// really is, and the file is then reached through that open folder: who swaps a link in between gains nothing.
//
//   F1. Nothing outside the workspace is read, made, moved or deleted; but what a person has agents read may be read.
//   F2. A protected path is neither read nor changed, whatever name or link leads to it.
//   F3. A folder or link that is swapped while an action runs makes it fail, or changes nothing.
//   F4. What runs without being asked is not changed: what the next start loads, what editors, shells and git run.
//
// A command that a person allowed is bound by none of it: there is no sandbox yet.

import { constants } from "node:fs";
import { mkdir, open, opendir, realpath, type FileHandle } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Host } from "../../../src/domain/authoring/host.ts";
import { holdsReadOnly, isProtected, isReadOnly, liesIn } from "../../../src/domain/authoring/protected.ts";
import { hold, type Folder } from "./folder.ts";
import { addingInTurn, leadsThroughRepository } from "./repository.ts";
import { codeOf, Refusal } from "../refusal.ts";
import { tellMade } from "./made.ts";

/** What an action wants with a folder. */
export interface FolderErrand {
  readonly access: "read" | "change";
  readonly missingFolders: "create" | "refuse";
}

/** What an action wants with a path. */
export interface Errand extends FolderErrand {
  /** If the last name is a link: what it leads to, or the link itself. */
  readonly lastLink: "follow" | "keep";
}

/**
 * Hands `use` a path to the file or link that `path` leads to, which is good until `use` settles, and where it really is.
 */
export async function withEntry<T>(
  host: Host,
  path: string,
  errand: Errand,
  use: (at: string, real: string) => Promise<T>,
): Promise<T> {
  const asked = resolve(host.workspace.root, path);
  const isFollowed = errand.lastLink === "follow";
  const { real, missing } = await nearest(isFollowed ? asked : dirname(asked));
  const names = isFollowed ? missing : [...missing, basename(asked)];
  const target = join(real, ...names);
  return permitted(host, { asked, target }, errand, async () => {
    if (target === host.workspace.root)
      throw new Refusal("That path is the workspace itself, not a file in it.");

    const [start, folders] = names.length === 0 ? [dirname(real), []] : [real, names.slice(0, -1)];
    if (errand.missingFolders === "create") await tellMade(host, start, folders);
    const folder = await enter(start, folders, errand.missingFolders);
    try {
      return await use(`${folder.path}/${basename(target)}`, target);
    } finally {
      await folder.close();
    }
  });
}

/** Hands `use` a path to the folder that `path` leads to, links followed; it is good until `use` settles. */
export async function withFolder<T>(
  host: Host,
  path: string,
  errand: FolderErrand,
  use: (at: string) => Promise<T>,
): Promise<T> {
  const asked = resolve(host.workspace.root, path);
  const { real, missing } = await nearest(asked);
  const way = { asked, target: join(real, ...missing) };
  return permitted(host, way, { lastLink: "follow", ...errand }, async () => {
    if (errand.missingFolders === "create") await tellMade(host, real, missing);
    const folder = await enter(real, missing, errand.missingFolders);
    try {
      return await use(folder.path);
    } finally {
      await folder.close();
    }
  });
}

export interface OpenFile {
  readonly file: FileHandle;
  readonly size: number;
  readonly mode: number;
}

/** Opens a regular file as it is found; never follows a link, never waits for a pipe. */
export async function openFile(at: string, access: Errand["access"]): Promise<OpenFile> {
  const { O_RDONLY, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(at, (access === "read" ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK);
  const stat = await file.stat();
  const isShared = access === "change" && stat.nlink > 1;
  if (stat.isFile() && !isShared) return { file, size: stat.size, mode: stat.mode };
  await file.close();
  if (stat.isDirectory()) throw new Refusal("That is a folder, not a file.");
  throw new Refusal(
    isShared ? "That file has a second name (a hard link), maybe elsewhere." : "That is not a regular file.",
  );
}

interface Way {
  readonly asked: string;
  /** Where `asked` leads, without links. */
  readonly target: string;
}

/** Goes the way if it is permitted, which nothing that is added meanwhile can change. */
function permitted<T>(host: Host, way: Way, errand: Errand, go: () => Promise<T>): Promise<T> {
  permit(host, way, errand);
  if (errand.access === "read") return go();
  const names = relative(host.workspace.root, way.target).split(sep);
  const change = async (): Promise<T> => {
    if (await leadsThroughRepository(host.workspace.root, names)) throw new Refusal(OFF_LIMITS);
    return go();
  };
  return errand.missingFolders === "create" ? addingInTurn(change) : change();
}

const OFF_LIMITS =
  "That path is off-limits: version control, installed packages, keys and the legion's own files are protected.";
const NOT_PERMITTED = "That path is not permitted: a rule of your policy stands against it.";
const ONLY_READ =
  "That path can only be read: it says what agents are, what code they run or what other programs run by themselves, " +
  "which only a person may change.";

/** Throws unless the way leads into the workspace and neither of its ends is off-limits for the errand. */
function permit(host: Host, { asked, target }: Way, { access, lastLink }: Errand): void {
  const from = relative(host.workspace.root, asked).split(sep);
  const to = relative(host.workspace.root, target).split(sep);
  if (access === "read" && isReadable(host, target)) {
    if (!host.permits({ kind: "read", path: target })) throw new Refusal(NOT_PERMITTED);
    return;
  }
  if (isOutside(to)) throw new Refusal("The path must be inside the workspace.");
  const ends = isOutside(from) ? [to] : [to, from];
  if (ends.some((names) => isOffLimits(host, names, access))) throw new Refusal(OFF_LIMITS);
  const kind = access === "read" ? "read" : "write";
  if (![asked, target].every((path) => host.permits({ kind, path }))) throw new Refusal(NOT_PERMITTED);
  if (access === "read") return;
  const kept = pathsIn(host, "protectedPaths");
  // Who moves a folder away can put another in its place.
  const isKept = lastLink === "keep" ? holdsReadOnly : () => false;
  if (ends.some((names) => isReadOnly(names, kept) || isKept(names, kept))) throw new Refusal(ONLY_READ);
}

/** Does it lie in a folder that this agent may read wherever that is, and is no secret there, or among its own long outputs? */
function isReadable(host: Host, target: string): boolean {
  if (isOwnText(host, relative(host.workspace.root, target).split(sep))) return true;
  const ways = pathsIn(host, "readablePaths").map((path) => relative(path, target).split(sep));
  return ways.some((names) => !isOutside(names) && !isProtected(names));
}

/** May what lies at `names` be read, as far as that can be said without looking where links lead? */
export function mayRead(host: Host, names: readonly string[]): boolean {
  const path = join(host.workspace.root, ...names);
  return !isOffLimits(host, names, "read") && host.permits({ kind: "read", path });
}

export interface Move {
  /** A path to the folder. */
  readonly at: string;
  /** Where it really is. */
  readonly from: string;
  readonly to: string;
}

/** Throws if something in the folder is off-limits or may not be changed, before or after it is moved: it would go along. */
export async function permitMove(host: Host, { at, from, to }: Move): Promise<void> {
  const kept = pathsIn(host, "protectedPaths");
  const hidden = pathsIn(host, "privatePaths");
  const places = [from, to].map((path) => relative(host.workspace.root, path));
  let looked = 0;
  for await (const { name, parentPath } of await opendir(at, { recursive: true })) {
    host.signal.throwIfAborted();
    if (++looked > MAX_MOVED)
      throw new Refusal(`That folder holds more than ${MAX_MOVED} files; move its parts.`);
    const inside = join(relative(at, parentPath), name);
    const paths = places.map((place) => join(place, inside).split(sep));
    const isPermitted = [from, to].every((place) =>
      host.permits({ kind: "write", path: join(place, inside) }),
    );
    if (
      !isPermitted ||
      paths.some((names) => isProtected(names) || liesIn(names, hidden) || isReadOnly(names, kept))
    )
      throw new Refusal(`That folder holds what only a person may move (${inside}).`);
  }
}

const MAX_MOVED = 100_000;

/**
 * As the legion was started, relative to the workspace: what may only be read, and what not even that. Absolute, without
 * links: what may be read though it is outside, or off-limits.
 */
function pathsIn(
  { settings }: Host,
  kind: "protectedPaths" | "privatePaths" | "readablePaths",
): readonly string[] {
  const paths = settings[kind];
  return Array.isArray(paths) ? paths.filter((path) => typeof path === "string") : [];
}

/** The names on the way from the workspace to `path`, as it is written; none for the workspace itself, or a way out of it. */
export function namesTo(host: Host, path: string): readonly string[] {
  const names = relative(host.workspace.root, resolve(host.workspace.root, path)).split(sep);
  return names[0] === "" || isOutside(names) ? [] : names;
}

function isOutside(names: readonly string[]): boolean {
  return names[0] === "..";
}

function isOffLimits(host: Host, names: readonly string[], access: Errand["access"]): boolean {
  const isPrivate = isProtected(names) || liesIn(names, pathsIn(host, "privatePaths"));
  return isPrivate && !(isOwnText(host, names) && access === "read");
}

function isOwnText({ workspace, agent }: Host, names: readonly string[]): boolean {
  return names.slice(0, -1).join("/") === `${workspace.home}/agents/${agent.id}/blobs`;
}

/** The nearest part of `path` that exists, without links, and the names that are missing from there on. */
async function nearest(path: string): Promise<{ real: string; missing: string[] }> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return { real: await realpath(at), missing };
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || at === dirname(at)) throw error;
      missing.unshift(basename(at));
    }
  }
}

async function enter(
  start: string,
  names: readonly string[],
  missing: Errand["missingFolders"],
): Promise<Folder> {
  if (names.length > 0 && missing === "refuse") throw new Refusal("There is no such file or folder.");
  let folder = await hold(start, start);
  for (const name of names) {
    const outer = folder;
    try {
      await makeFolder(`${outer.path}/${name}`);
      folder = await hold(`${outer.path}/${name}`, join(outer.real, name));
    } finally {
      await outer.close();
    }
  }
  return folder;
}

async function makeFolder(at: string): Promise<void> {
  try {
    await mkdir(at);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}
