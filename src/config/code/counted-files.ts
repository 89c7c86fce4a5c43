// Files that are read and hashed, each once.

import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { readFile, readdir, realpath, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { LegionError, messageOf } from "../../base/errors.ts";
import { meaningOf } from "./packages-near.ts";

/** Something in a folder. */
interface FoundEntry {
  readonly name: string;
  readonly kind: "file" | "folder";
  /** Real path. */
  readonly path: string;
}

export interface CountedFiles {
  /** The content of the file at the real path `file`; `undefined` if it is counted already. */
  take(file: string): Promise<Buffer | undefined>;
  /**
   * Counts what is in the folder at the real path `folder` and below, links followed as Node follows them, as far as
   * `isWanted` says so.
   */
  takeAll(folder: string, isWanted: (found: FoundEntry) => boolean): Promise<void>;
  /** How a path is shown: relative to the project, with `/`. */
  shown(path: string): string;
  /** By name, sorted; a hash over all names and contents. */
  sum(): { readonly files: readonly string[]; readonly hash: string };
}

const MAX_FILES = 50_000;
const AT_ONCE = 32;
const MAX_BYTES = 1_073_741_824;

/** Throws CONFIG at a file that cannot be read, or once there are too many. */
export function countFiles(project: string): CountedFiles {
  const hashes = new Map<string, string>();
  /** Real paths of those that were looked at as a whole: links may lead in circles. */
  const folders = new Set<string>();
  let bytes = 0;
  const shown = (path: string): string => relative(project, path).split(sep).join("/");
  const counted: CountedFiles = {
    shown,
    async take(file) {
      if (hashes.has(file)) return undefined;
      const content = await readFile(file).catch((cause: unknown) => {
        throw new LegionError("CONFIG", `${shown(file)}: ${messageOf(cause)}`, { cause });
      });
      bytes += content.length;
      if (hashes.size >= MAX_FILES || bytes > MAX_BYTES) {
        const limit = `more than ${MAX_FILES} files or ${MAX_BYTES / 1_048_576} MiB`;
        throw new LegionError("CONFIG", `the modules of this project bring ${limit}, too much to look at`);
      }
      hashes.set(file, sha256(basename(file) === "package.json" ? meaningOf(content) : content));
      return content;
    },
    async takeAll(folder, isWanted) {
      if (folders.has(folder)) return;
      folders.add(folder);
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      const found = await Promise.all(entries.map((entry) => foundAt(folder, entry)));
      const wanted = found.flatMap((each) => (each && isWanted(each) ? [each] : []));
      const files = wanted.filter(({ kind }) => kind === "file").map(({ path }) => path);
      for (let at = 0; at < files.length; at += AT_ONCE)
        await Promise.all(files.slice(at, at + AT_ONCE).map((file) => counted.take(file)));
      for (const { kind, path } of wanted) if (kind === "folder") await counted.takeAll(path, isWanted);
    },
    sum() {
      const lines = [...hashes].map(([path, hash]) => [shown(path), hash] as const);
      lines.sort(([a], [b]) => (a < b ? -1 : 1));
      return { files: lines.map(([name]) => name), hash: sha256(JSON.stringify(lines)) };
    },
  };
  return counted;
}

/** `undefined`: neither a file nor a folder, or a link that leads to none. */
async function foundAt(folder: string, entry: Dirent): Promise<FoundEntry | undefined> {
  const { name } = entry;
  const path = join(folder, name);
  if (entry.isFile()) return { name, kind: "file", path };
  if (entry.isDirectory()) return { name, kind: "folder", path };
  if (!entry.isSymbolicLink()) return undefined;
  const real = await realpath(path).catch(() => path);
  const target = await stat(real).catch(() => undefined);
  if (target?.isFile()) return { name, kind: "file", path: real };
  return target?.isDirectory() ? { name, kind: "folder", path: real } : undefined;
}

function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
