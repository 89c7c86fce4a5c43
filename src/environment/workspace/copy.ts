// A copy of a folder, for somebody to work in: what a person sees in it is there, committed or not, and nothing done to the
// copy is done to the source.
//
//   G3. The source is only read: no byte, no name and no time of change of it is another afterwards.
//   G4. A copy is there as a whole or not at all: one that was interrupted is made anew.
//   G5. No link is followed, and none in the copy leads into the source.
//   G6. What git knows in the copy is the copy's own: no object of it is shared with the source, and no setting, link or worktree
//       leads back there.

import { appendFileSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { LegionError, codeOf, messageOf } from "../../base/errors.ts";
import { isInside } from "../../base/files/project-file.ts";
import type { Variables } from "../../base/process/variables.ts";
import { count } from "../../base/text/wording.ts";
import { STATE_NAMES } from "../../domain/state-names.ts";
import { settleRepositories } from "./copied-repositories.ts";
import { copyTree, freeTree, type TreeOrder } from "./tree.ts";

export interface CopyOrder {
  /** Absolute real path of a folder. */
  readonly source: string;
  /** Absolute; its parent is a real folder, or missing. It may lie in the source, and is not copied then. */
  readonly target: string;
  /** Is what lies at an absolute path left out besides, with all in it? */
  readonly isLeft?: (path: string) => Promise<boolean>;
  /** Absolute paths that git takes for no new part of the copy: of whoever adds all that is new, they are none of the work. */
  readonly ignored?: readonly string[];
  readonly variables: Variables;
  readonly signal?: AbortSignal;
}

const MAX_REMARKS = 5;

const STATE = new Set(STATE_NAMES);

/**
 * Makes it, unless it is there, as somebody has left it. Resolves with what is not as in the source, and why, a line each: the first
 * of them, and how many more there are. Rejects with USAGE where there is no such source or something else stands in its place,
 * with STORAGE if it cannot be written, with the reason of `signal`.
 */
export async function copyWorkspace(order: CopyOrder): Promise<readonly string[]> {
  const { source, target, signal, variables } = order;
  if (kindOf(source) !== "folder" || isInside(target, source))
    throw new LegionError("USAGE", `${source} is no folder that can be copied to ${target}`);
  if (kindOf(target) === "folder") return [];
  if (kindOf(target) !== "nothing") throw new LegionError("USAGE", `${target} is no folder; move it away`);
  const partial = `${target}.partial`;
  const remarks: string[] = [];
  const tree: TreeOrder = {
    source,
    target: partial,
    lasting: target,
    remark: (text) => void remarks.push(text),
    signal,
    isLeft: leaves(order, [target, partial]),
  };
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    discard(partial);
    const repositories = await copyTree(tree);
    await settleRepositories(repositories, tree, variables);
    ignoreIn(partial, order);
    // Whoever finds it under its name finds all of it.
    await rename(partial, target);
  } catch (error) {
    if (signal?.aborted || codeOf(error) === "") throw error;
    throw new LegionError("STORAGE", `${source} cannot be copied to ${target}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const more = remarks.length - MAX_REMARKS;
  return more > 0 ? [...remarks.slice(0, MAX_REMARKS), `and ${count(more, "more remark")}`] : remarks;
}

function ignoreIn(copy: string, { source, ignored = [] }: CopyOrder): void {
  const inside = ignored.filter((path) => path !== source && isInside(source, path) && !path.includes("\n"));
  if (inside.length === 0 || kindOf(join(copy, ".git")) !== "folder") return;
  const lines = inside.map((path) => `/${relative(source, path).replace(/[*?[\]\\ ]/g, "\\$&")}\n`);
  const info = join(copy, ".git/info");
  mkdirSync(info, { recursive: true });
  appendFileSync(join(info, "exclude"), `\n${lines.join("")}`);
}

/** Of what lies at `names` in the source: is it none of what a task works with? */
function leaves({ source, isLeft }: CopyOrder, own: readonly string[]): TreeOrder["isLeft"] {
  return async (names) => {
    const [outer, name = ""] = [names.at(-2), names.at(-1)];
    if (outer === ".ai-legion") return STATE.has(name);
    // Worktrees are of the source, a repository elsewhere is nobody's here, and a lock is of whoever works there at this moment.
    if (outer === ".git" && (name === "worktrees" || name === "commondir")) return true;
    if (names.includes(".git") && name.endsWith(".lock")) return true;
    const path = [source, ...names].join(sep);
    return own.includes(path) || ((await isLeft?.(path)) ?? false);
  };
}

function kindOf(path: string): "folder" | "something" | "nothing" {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? "nothing" : found.isDirectory() ? "folder" : "something";
}

/** What an interrupted copy left, also where it holds folders that nobody may write in. */
function discard(partial: string): void {
  freeTree(partial);
  rmSync(partial, { recursive: true, force: true, maxRetries: 10 });
}
