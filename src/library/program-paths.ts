// The code of the program that runs a legion, as far as it lies among the files that its agents work with.

import { realpath } from "node:fs/promises";
import { relative, sep } from "node:path";
import { isInside } from "../base/files/project-file.ts";
import { placesOf } from "../config/code/project-code.ts";

/**
 * What the next start of this program would run, relative to `project`, a real path: the file that Node was started with and
 * what that imports. None where it lies elsewhere, or is part of a package.
 */
export async function programPaths(project: string): Promise<readonly string[]> {
  const started = process.argv[1];
  const file = started === undefined ? undefined : await realpath(started).catch(() => undefined);
  if (file === undefined || !isInside(project, file)) return [];
  const way = relative(project, file);
  if (way.split(sep).includes("node_modules")) return [];
  // Of a program that is too large to look through, the file itself.
  return placesOf(project, [file]).catch(() => [way]);
}
