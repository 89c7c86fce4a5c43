// Where git keeps the snapshots of one workspace: a folder of git of our own, that has nothing of the project but its objects, to read.
// No setting, attribute, hook or filter of the project holds in there, so git records each file byte by byte and runs nothing.

import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { WorktreeRepository } from "../environment.ts";
import { SCRIPT } from "./script.ts";

/** A folder of git. */
export interface SnapshotFolder {
  /** Absolute. */
  readonly path: string;
  /** Is it new, so that git would read every file there? */
  isNew: boolean;
}

export interface SnapshotStore {
  /** The folder in use, until it is given back. */
  take(): Promise<SnapshotFolder>;
  release(folder: SnapshotFolder): Promise<void>;
  /** It may be broken: who takes one from now on gets another. */
  discard(folder: SnapshotFolder): void;
  /** Is it the one that is in use? */
  isCurrent(folder: SnapshotFolder): boolean;
}

const CONFIG = [
  ...["[core]", "\trepositoryFormatVersion = 0", "\tbare = false", "\tfsmonitor = false"],
  ...["\thooksPath = /dev/null", "\tattributesFile = /dev/null"],
  // Of the sandbox: what is hidden there.
  ...["\texcludesFile = /etc/gitignore", "[gc]", "\tauto = 0"],
];
/** This file outranks all others. */
const ATTRIBUTES = "* -text -crlf -ident -filter -working-tree-encoding -diff\n";
const EXCLUDED = "node_modules\n.ai-legion\n";
const MAX_BYTES = 256 * 1024 * 1024;
/** How often it is weighed. */
const WEIGHED_AFTER = 64;

/** @param folder absolute; what is in it may be deleted whenever nobody runs */
export function createSnapshotStore(folder: string): SnapshotStore {
  let current: SnapshotFolder | undefined;
  let taken = 0;
  const users = new Map<SnapshotFolder, number>();
  const discard = (one: SnapshotFolder): void => {
    if (current === one) current = undefined;
  };
  return {
    discard,
    isCurrent: (one) => one === current,
    async take() {
      if (current && ++taken % WEIGHED_AFTER === 0 && (await bytesIn(current.path)) > MAX_BYTES)
        current = undefined;
      const one = (current ??= { path: join(folder, randomUUID()), isNew: true });
      users.set(one, (users.get(one) ?? 0) + 1);
      return one;
    },
    async release(one) {
      const left = users.get(one)! - 1;
      users.set(one, left);
      if (left > 0 || one === current) return;
      users.delete(one);
      await rm(one.path, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Makes it, with nothing in it yet. */
export async function makeFolder(path: string, { shared }: WorktreeRepository): Promise<void> {
  for (const name of ["objects/info", "objects/pack", "refs/heads", "info"])
    await mkdir(join(path, name), { recursive: true, mode: 0o700 });
  const files = {
    ...{ HEAD: "ref: refs/heads/none\n", config: `${CONFIG.join("\n")}\n`, script: SCRIPT },
    ...{ "info/attributes": ATTRIBUTES, "info/exclude": EXCLUDED },
    "objects/info/alternates": `${join(shared, "objects")}\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
}

async function bytesIn(path: string): Promise<number> {
  const names = await readdir(join(path, "objects"), { recursive: true });
  let bytes = 0;
  for (const name of names) bytes += (await stat(join(path, "objects", name)).catch(() => NOTHING)).size;
  return bytes;
}

const NOTHING = { size: 0 };
const COUNT_AT = 8;

/** How many files the index there lists; 0 if there is none. @see https://git-scm.com/docs/index-format */
export async function filesIn(path: string): Promise<number> {
  const file = await open(join(path, "index")).catch(() => undefined);
  if (!file) return 0;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, COUNT_AT);
    return bytesRead === 4 ? buffer.readUInt32BE(0) : 0;
  } finally {
    await file.close();
  }
}
