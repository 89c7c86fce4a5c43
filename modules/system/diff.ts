// What a change did to a file, for people and programs: no model is shown it.

import { createTwoFilesPatch, FILE_HEADERS_ONLY, formatPatch } from "diff";
import { countNewlines, linesOf } from "./text.ts";

/** The `details` of a result that changed the workspace. */
export interface Change {
  /** There was nothing at that path before. */
  readonly created: boolean;
  /** Unified, or as git shows a move; with a remark in brackets where something is left out. */
  readonly diff: string;
}

/** Of what is longer no diff is made: everybody would wait for it. */
export const MAX_COMPARED = 1024 * 1024;
const MAX_COMPARING_MS = 200;
const MAX_SHOWN = 32 * 1024;
const NEW = "/dev/null";

/** What a file held; without `text` nobody may know, or it is too long. */
export interface Held {
  readonly text?: string;
}

/** @param held `undefined`: there was no such file */
export function changeOf(path: string, held: Held | undefined, after: string): Change {
  const created = held === undefined;
  const before = created ? "" : held.text;
  if (before === after) return { created, diff: "" };
  if (before === undefined || Math.max(before.length, after.length) > MAX_COMPARED)
    return { created, diff: "[Not compared: too long, or not to be read.]" };
  if (before.includes("\0") || after.includes("\0")) return { created, diff: "[Not compared: no text.]" };
  const names = [created ? NEW : path, path] as const;
  const patch = createTwoFilesPatch(...names, before, after, undefined, undefined, {
    context: 3,
    timeout: MAX_COMPARING_MS,
    headerOptions: FILE_HEADERS_ONLY,
  });
  return { created, diff: patch === undefined ? "[Not compared: too much is different.]" : cut(patch) };
}

export function moveOf(from: string, to: string): Change {
  const patch = {
    oldFileName: `a/${from}`,
    oldHeader: undefined,
    newFileName: `b/${to}`,
    newHeader: undefined,
    isGit: true,
    isRename: true,
    hunks: [],
  };
  return { created: true, diff: formatPatch(patch) };
}

function cut(patch: string): string {
  if (patch.length <= MAX_SHOWN) return patch;
  const end = patch.lastIndexOf("\n", MAX_SHOWN) + 1;
  return `${patch.slice(0, end)}[Left out: ${linesOf(countNewlines(Buffer.from(patch.slice(end))))} more.]\n`;
}
