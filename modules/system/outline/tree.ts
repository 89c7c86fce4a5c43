// Everything below a folder, but for what git ignores and what the machinery keeps to itself. Links are not followed.

import type { Dirent, Stats } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Host } from "../../../src/domain/authoring/host.ts";
import { aboutFile, importsOf } from "./about.ts";
import {
  namesTo,
  openFile,
  withEntry,
  withFolder,
  type Errand,
  type FolderErrand,
} from "../confine/confine.ts";
import { binaryKind } from "../excerpt.ts";
import { rulesDownTo, rulesIn } from "../search/ignored.ts";
import { ignoredBy, type Rules } from "../search/rules.ts";
import { codeOf, Refusal } from "../refusal.ts";
import { countNewlines, NEWLINE } from "../text.ts";

export interface Leaf {
  /** From the workspace. */
  readonly names: readonly string[];
  readonly bytes: number;
  /** 0 if it was not read. */
  readonly lines: number;
  /** A few words; may be empty. */
  readonly about: string;
  /** As paths from the workspace: for each import all that it may mean. */
  readonly imports: readonly (readonly string[])[];
  /** Why it was not read. */
  readonly problem?: string;
}

/** A folder that could not be opened. */
interface Closed {
  readonly names: readonly string[];
  readonly problem: string;
}

export interface Tree {
  /** Each folder's files by name, then its folders by name. */
  readonly leaves: readonly Leaf[];
  /** Folders that were opened. */
  readonly folders: number;
  readonly closed: readonly Closed[];
  /** There is more: it was too much, or too deep. */
  readonly isCut: boolean;
}

/** What belongs to no project, though it lies in it. */
const MACHINERY = new Set([".git", "node_modules", ".ai-legion"]);
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 40;
/** How many names are held against the rules of git before anything else gets its turn. */
const AT_ONCE = 32;
/** How many imports are kept in mind, of all files together: none of a project that people write is left out. */
const MAX_IMPORTS = 100_000;
const MAX_FILE_BYTES = 1024 * 1024;
/** Of all files together. */
const MAX_READ_BYTES = 128 * 1024 * 1024;

const FOLDER: FolderErrand = { access: "read", missingFolders: "refuse" };
const FILE: Errand = { ...FOLDER, lastLink: "keep" };

/** A tree that is still being read, and what that has taken so far. */
interface Growing {
  readonly leaves: Leaf[];
  readonly closed: Closed[];
  folders: number;
  isCut: boolean;
  entries: number;
  /** Bytes of files. */
  read: number;
  imports: number;
}

/** Of the folder or file at `path`; a link is not followed. */
export async function readTree(
  host: Host,
  path: string,
): Promise<Tree & { readonly names: readonly string[] }> {
  const names = namesTo(host, path);
  const tree: Growing = { leaves: [], folders: 0, closed: [], isCut: false, entries: 0, read: 0, imports: 0 };
  const entry = await statOf(host, path);
  if (entry && !entry.isDirectory()) tree.leaves.push(await readLeaf(host, names, entry, tree));
  else await grow(host, names, names.length > 0 ? await rulesDownTo(host, names.slice(0, -1)) : [], tree);
  return { ...tree, names };
}

/** `undefined`: it is the workspace. */
async function statOf(host: Host, path: string): Promise<Stats | undefined> {
  return resolve(host.workspace.root, path) === host.workspace.root
    ? undefined
    : withEntry(host, path, FILE, (at) => lstat(at));
}

async function grow(
  host: Host,
  names: readonly string[],
  above: readonly Rules[],
  tree: Growing,
): Promise<void> {
  const rules = [...above, await rulesIn(host, names)];
  const isIgnored = ignoredBy(rules, names);
  const entries = await entriesOf(host, names, MAX_ENTRIES - tree.entries);
  tree.entries += entries.length;
  if (tree.entries >= MAX_ENTRIES) tree.isCut = true;
  const kept: Dirent[] = [];
  for (const [index, entry] of entries.entries()) {
    // Many names and many rules take their time: others are let on in between.
    if (index % AT_ONCE === 0) await setImmediate();
    host.signal.throwIfAborted();
    if (!isIgnored(entry.name, entry.isDirectory() ? "folder" : "file")) kept.push(entry);
  }
  for (const entry of kept.filter((one) => !one.isDirectory())) {
    host.signal.throwIfAborted();
    tree.leaves.push(await readLeaf(host, [...names, entry.name], entry, tree));
  }
  for (const { name } of kept.filter((one) => one.isDirectory() && !MACHINERY.has(one.name))) {
    const folder = [...names, name];
    if (folder.length > MAX_DEPTH) tree.isCut = true;
    else {
      try {
        await grow(host, folder, rules, tree);
        tree.folders++;
      } catch (error) {
        tree.closed.push({ names: folder, problem: reasonOf(error) });
      }
    }
  }
}

async function entriesOf(host: Host, names: readonly string[], most: number): Promise<readonly Dirent[]> {
  return withFolder(host, names.join("/"), FOLDER, async (at) => {
    const entries: Dirent[] = [];
    for await (const entry of await opendir(at)) {
      host.signal.throwIfAborted();
      if (entries.length >= most) break;
      entries.push(entry);
    }
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  });
}

async function readLeaf(
  host: Host,
  names: readonly string[],
  entry: Pick<Dirent, "isSymbolicLink">,
  spent: Pick<Growing, "read" | "imports">,
): Promise<Leaf> {
  const unread = { names, bytes: 0, lines: 0, about: "", imports: [] };
  if (entry.isSymbolicLink()) return { ...unread, problem: "it is a link" };
  try {
    return await withEntry(host, names.join("/"), FILE, async (at) => {
      const { file, size: bytes } = await openFile(at, "read");
      try {
        const kind = await binaryKind(file);
        if (kind) return { ...unread, bytes, problem: `it is ${kind} (${bytes} bytes)` };
        if (bytes > MAX_FILE_BYTES || spent.read + bytes > MAX_READ_BYTES)
          return { ...unread, bytes, problem: `it is large (${bytes} bytes)` };
        spent.read += bytes;
        const seen = look(names, await file.readFile(), MAX_IMPORTS - spent.imports);
        spent.imports += seen.imports.length;
        return { ...unread, bytes, ...seen };
      } finally {
        await file.close();
      }
    });
  } catch (error) {
    return { ...unread, problem: reasonOf(error) };
  }
}

function look(
  names: readonly string[],
  content: Buffer,
  most: number,
): Pick<Leaf, "lines" | "about" | "imports"> {
  const path = names.join("/");
  const text = content.toString("utf8");
  const lines = countNewlines(content) + (content.length === 0 || content.at(-1) === NEWLINE ? 0 : 1);
  return { lines, about: aboutFile(path, text), imports: importsOf(path, text, most) };
}

/** In a few words; what the disk or the workspace did not refuse is thrown again. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Refusal) && !/^E[A-Z]/.test(codeOf(error) ?? "")) throw error;
  const [reason = ""] =
    error instanceof Refusal ? error.message.split(/[.:;]/, 1) : ["it could not be opened"];
  return reason.charAt(0).toLowerCase() + reason.slice(1);
}
