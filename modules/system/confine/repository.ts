// git takes a folder for a repository if these are in it, whatever it is called, and runs what its config says. So no
// action completes one, and nothing is changed in one that is there.
// @see https://git-scm.com/docs/gitrepository-layout and setup.c of git: is_git_directory

import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { fold } from "../../../src/domain/authoring/protected.ts";

const HEAD = "HEAD";
/** Beside HEAD: all of one of these. A `commondir` says where the rest of a worktree's repository is. */
const ENOUGH = [["objects", "refs"], ["commondir"]] as const;

/** Is one of the folders on the way from `root` to what `names` lead to a repository, or would it be one with them? */
export async function leadsThroughRepository(root: string, names: readonly string[]): Promise<boolean> {
  let folder = root;
  for (const name of names) {
    if (await isRepository(folder, fold(name))) return true;
    folder = join(folder, name);
  }
  return false;
}

async function isRepository(folder: string, added: string): Promise<boolean> {
  const has = async (part: string): Promise<boolean> =>
    fold(part) === added ||
    lstat(join(folder, part)).then(
      () => true,
      () => false,
    );
  if (!(await has(HEAD))) return false;
  for (const parts of ENOUGH) {
    const found = await Promise.all(parts.map(has));
    if (found.every(Boolean)) return true;
  }
  return false;
}

let lastTurn: Promise<unknown> = Promise.resolve();

/**
 * Runs what adds to the workspace, one after the other: what is looked at before a folder is moved is all that goes along, and
 * two that each add a part of a repository do not complete one.
 */
export function addingInTurn<T>(add: () => Promise<T>): Promise<T> {
  const turn = lastTurn.then(add);
  lastTurn = turn.catch(() => undefined);
  return turn;
}
