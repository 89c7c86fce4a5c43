// The skills in some folders. What is hostile, broken or twice there harms no other.

import { constants, fstatSync, type Dirent, type Stats } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { cleanLine } from "./clean.ts";
import { readHead, type SkillHead } from "./read.ts";

export interface Skill extends SkillHead {
  /** Absolute path of its folder, without links. */
  readonly root: string;
}

export interface FoundSkills {
  /** By name; each name once, of the first folder that has it. */
  readonly skills: readonly Skill[];
  /** For people, a line each: what is no skill here, and why. */
  readonly leftOut: readonly string[];
}

/** What was read of files that have not changed since, by path. */
export type KnownFiles = Map<string, { readonly stamp: string; readonly file: SkillFile }>;

interface SkillFile {
  readonly head?: SkillHead;
  readonly why?: string;
}

const FILE_NAMES = ["SKILL.md", "skill.md"];
/** Folders in which there is nothing of a skill. */
export const PASSED_OVER = ["node_modules", ".git"];
const MAX_DEPTH = 6;
const MAX_FOLDERS = 20_000;
const MAX_LINKS = 2_000;
const MAX_SKILLS = 2_000;
const MAX_TOLD = 500;
/** Of a file that is longer no more is read. */
const MAX_BYTES = 1_048_576;
const HEAD_BYTES = 262_144;
const READ_AT_ONCE = 16;

/**
 * Looks in `folders` (absolute real paths), those first that are first. A link is followed where it leads into one of them. Of
 * a folder that is not there nothing is said. Rejects only when `signal` aborts.
 */
export async function findSkills(
  folders: readonly string[],
  signal: AbortSignal,
  known: KnownFiles = new Map(),
): Promise<FoundSkills> {
  const skills = new Map<string, Skill>();
  const leftOut: string[] = [];
  for await (const { root, head, why } of readAhead(skillFolders(folders, signal), known)) {
    const other = head && skills.get(head.name);
    if (!head) leftOut.push(shown(root, why ?? "says nothing"));
    else if (/\p{C}/u.test(root)) leftOut.push(shown(root, "a folder's name has what nobody sees in it"));
    else if (other) leftOut.push(shown(root, `"${head.name}" is in ${other.root} already`));
    else if (skills.size === MAX_SKILLS) leftOut.push(shown(root, `there are ${MAX_SKILLS} skills already`));
    else skills.set(head.name, { ...head, root });
  }
  const byName = [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const more = leftOut.length - MAX_TOLD;
  return { skills: byName, leftOut: [...leftOut.slice(0, MAX_TOLD), ...(more > 0 ? [`${more} more`] : [])] };
}

/** The file that tells the skill in `root`; `undefined` if there is none that may be read. */
export async function skillFileIn(root: string, folders: readonly string[]): Promise<string | undefined> {
  const names = await readdir(root).catch((): string[] => []);
  const name = FILE_NAMES.find((each) => names.includes(each));
  return name === undefined ? undefined : leadingInto(join(root, name), folders);
}

/** The text of a SKILL.md, as far as it is read. Rejects, saying why, for what is no text. */
export async function readSkillText(path: string, maxBytes = MAX_BYTES): Promise<SkillText> {
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    // Of an open file it is known at once.
    const stats = fstatSync(file.fd);
    if (!stats.isFile()) throw new Error("is not a regular file");
    const { size } = stats;
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(Math.min(size, maxBytes)) });
    const bytes = buffer.subarray(0, bytesRead);
    if (bytes.includes(0)) throw new Error("is not text");
    const notes = size > MAX_BYTES ? [`${size} bytes long; at most ${MAX_BYTES} are shown`] : [];
    try {
      return {
        text: new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: bytesRead < size }),
        notes,
        stats,
      };
    } catch {
      return { text: new TextDecoder().decode(bytes), notes: [...notes, "is not UTF-8"], stats };
    }
  } finally {
    await file.close();
  }
}

interface SkillText {
  readonly text: string;
  readonly notes: readonly string[];
  /** Of the file when it was read. */
  readonly stats: Stats;
}

interface SkillPlace {
  readonly root: string;
  readonly file: string | SkillFile;
}

interface Folder {
  readonly path: string;
  readonly depth: number;
  /** Absent: nobody has begun to read it. */
  entries?: Promise<Dirent[]>;
}

function entriesOf(folder: Folder): Promise<Dirent[]> {
  return (folder.entries ??= readdir(folder.path, { withFileTypes: true }).catch(() => []));
}

async function* skillFolders(folders: readonly string[], signal: AbortSignal): AsyncGenerator<SkillPlace> {
  let [looked, links] = [0, 0];
  const seen = new Set<string>();
  const waiting = folders.map((path): Folder => ({ path, depth: 0 }));
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    signal.throwIfAborted();
    const { path, depth } = next;
    for (const soon of waiting.slice(0, READ_AT_ONCE)) void entriesOf(soon);
    if (seen.has(path)) continue;
    seen.add(path);
    if (++looked > MAX_FOLDERS) {
      yield { root: path, file: { why: `and what comes after it: more than ${MAX_FOLDERS} folders` } };
      return;
    }
    const entries = await entriesOf(next);
    const file = FILE_NAMES.find((name) => entries.some((entry) => entry.name === name));
    if (file !== undefined) {
      const isPlain = entries.some((entry) => entry.name === file && entry.isFile());
      const real = isPlain ? join(path, file) : await leadingInto(join(path, file), folders);
      yield { root: path, file: real ?? { why: "leads out of the skills" } };
    }
    if (depth === MAX_DEPTH) continue;
    const inner: Folder[] = [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (PASSED_OVER.includes(entry.name)) continue;
      const below = join(path, entry.name);
      // More than that nobody would look into.
      if (entry.isDirectory() && looked + inner.length <= MAX_FOLDERS)
        inner.push({ path: below, depth: depth + 1 });
      if (!entry.isSymbolicLink() || ++links > MAX_LINKS) continue;
      const target = await realpath(below).catch(() => undefined);
      const found = target === undefined ? undefined : await stat(target).catch(() => undefined);
      if (target === undefined || !found?.isDirectory()) continue;
      if (folders.some((folder) => isInside(folder, target))) inner.push({ path: target, depth: depth + 1 });
      else yield { root: below, file: { why: "is a link that leads out of the skills" } };
    }
    if (links > MAX_LINKS) {
      yield { root: path, file: { why: `has links that are not followed: more than ${MAX_LINKS}` } };
      links = MAX_LINKS;
    }
    // Before what stands in the next of the folders.
    waiting.unshift(...inner);
  }
}

/** Several are read at once, and told in their order. */
async function* readAhead(places: AsyncIterable<SkillPlace>, known: KnownFiles) {
  const read = async ({ root, file }: SkillPlace) => ({
    root,
    ...(typeof file === "string" ? await readOnce(file, root, known) : file),
  });
  const reading: Promise<SkillFile & Pick<SkillPlace, "root">>[] = [];
  for await (const place of places) {
    if (reading.push(read(place)) > READ_AT_ONCE) yield await reading.shift()!;
  }
  for (const last of reading) yield await last;
}

async function readOnce(path: string, root: string, known: KnownFiles): Promise<SkillFile> {
  try {
    const before = known.get(path);
    if (before && before.stamp === stampOf(await stat(path), root)) return before.file;
    const { text, notes, stats } = await readSkillText(path, HEAD_BYTES);
    const head = readHead(text, root);
    const file = head ? { head: { ...head, notes: [...notes, ...head.notes] } } : {};
    known.set(path, { stamp: stampOf(stats, root), file });
    return file;
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

function stampOf({ mtimeMs, ctimeMs, size, ino }: Stats, root: string): string {
  return [root, mtimeMs, ctimeMs, size, ino].join(" ");
}

async function leadingInto(path: string, folders: readonly string[]): Promise<string | undefined> {
  const real = await realpath(path).catch(() => undefined);
  return real !== undefined && folders.some((folder) => isInside(folder, real)) ? real : undefined;
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function shown(root: string, why: string): string {
  return cleanLine(`${root}: ${why}`, 500);
}
