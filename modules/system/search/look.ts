// One search: where it begins, who does it, and which part of what is found is kept.

import { lstat } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import type { Host } from "../../../src/domain/authoring/host.ts";
import {
  mayRead,
  openFile,
  withEntry,
  withFolder,
  type Errand,
  type FolderErrand,
} from "../confine/confine.ts";
import { binaryKind } from "../excerpt.ts";
import { Refusal } from "../refusal.ts";
import { bytesOf } from "../text.ts";
import { rulesDownTo } from "./ignored.ts";
import { findRipgrep, ripgrep } from "./ripgrep.ts";
import { fromTop } from "./rules.ts";
import { MAX_FILE_BYTES, type Place, type Search } from "./search.ts";
import { walker, type StartWalker } from "./walker.ts";

export interface SearchOptions {
  /** Starts the thread that searches where ripgrep is not there. */
  readonly start: StartWalker;
  /** For one search. */
  readonly timeoutMs: number;
}

export interface Hit {
  readonly path: string;
  /** Absent where files are looked for. */
  readonly place: Place | undefined;
}

export interface Findings {
  /** By path, then by line. */
  readonly hits: readonly Hit[];
  /** There are more. */
  readonly isCut: boolean;
  /** Why it ended too early, in one sentence. */
  readonly problem: string | undefined;
}

const FOLDER: FolderErrand = { access: "read", missingFolders: "refuse" };
const FIND: Errand = { ...FOLDER, lastLink: "follow" };

/** Where `path` leads. Throws Refusal if that may not be read, or is no text that can be searched. */
export async function placeOf(host: Host, path: string): Promise<Omit<Search, "globs" | "pattern">> {
  const { root } = host.workspace;
  if (resolve(root, path) === root)
    return withFolder(host, path, FOLDER, () =>
      Promise.resolve({ root, folder: [], file: undefined, rules: [] }),
    );
  return withEntry(host, path, FIND, async (at, real) => {
    const names = relative(root, real).split(sep);
    if ((await lstat(at)).isDirectory()) {
      const above = await rulesDownTo(host, names.slice(0, -1));
      return { root, folder: names, file: undefined, rules: fromTop(above) };
    }
    await refuseUnlessText(at);
    return { root, folder: names.slice(0, -1), file: names.at(-1), rules: [] };
  });
}

async function refuseUnlessText(at: string): Promise<void> {
  const { file, size } = await openFile(at, "read");
  try {
    const kind = await binaryKind(file);
    if (kind !== undefined)
      throw new Refusal(`That is ${kind} (${bytesOf(size)}); it cannot be searched as text.`);
    if (size > MAX_FILE_BYTES) throw new Refusal(`That file is too big to be searched (${bytesOf(size)}).`);
  } finally {
    await file.close();
  }
}

/** The first `most` of what is found and may be read. */
export async function look(
  host: Host,
  search: Search,
  { start, timeoutMs, most }: SearchOptions & { readonly most: number },
): Promise<Findings> {
  const { environment } = host.node;
  const program = findRipgrep(environment["PATH"], search.root);
  const engine = program === undefined ? walker(start) : ripgrep(program, host.node);
  const late = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([host.signal, late]);
  const first = keepFirst(most);
  const problem = await engine(search, {
    signal,
    wants: (path) => first.wants(path, () => mayRead(host, path.split("/"))),
    tell(path, places) {
      if (search.pattern) places.forEach((place) => first.add({ path, place }));
      else first.add({ path, place: undefined });
    },
  });
  host.signal.throwIfAborted();
  const timeout = `The search was ended after ${timeoutMs / 1_000} s, its time limit: narrow it down`;
  return { ...first.sorted(), problem: late.aborted ? timeout : problem };
}

function keepFirst(most: number) {
  let hits: Hit[] = [];
  let isCut = false;
  /** What comes after it by its path is not among the first. */
  let last: string | undefined;
  const settle = (): void => {
    hits.sort((a, b) => (a.path === b.path ? a.place!.line - b.place!.line : a.path < b.path ? -1 : 1));
    isCut ||= hits.length > most;
    hits = hits.slice(0, most);
    if (hits.length === most) last = hits.at(-1)!.path;
  };
  return {
    /** Is there room for what is found at `path`? What is too much counts only if it may be read. */
    wants(path: string, mayBeRead: () => boolean): boolean {
      const hasRoom = last === undefined || path <= last;
      if (hasRoom) return mayBeRead();
      isCut ||= mayBeRead();
      return false;
    },
    add(hit: Hit) {
      if (hits.push(hit) > 3 * most) settle();
    },
    sorted() {
      settle();
      return { hits, isCut };
    },
  };
}
