// The code of the program that runs a legion, as far as it lies among the files that its agents work with.

import { realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import { relative, sep } from "node:path";
import { isInside } from "../base/files/project-file.ts";
import { placesOf } from "../config/code/project-code.ts";

/**
 * What the next start of this program would run, relative to `project`, a real path: the file that Node was started with and
 * what that imports. None where it lies elsewhere, or is part of a package.
 */
export async function programPaths(project: string): Promise<readonly string[]> {
  const file = await startedFile().catch(() => undefined);
  if (file === undefined || !isInside(project, file)) return [];
  const way = relative(project, file);
  if (way.split(sep).includes("node_modules")) return [];
  // Of a program that is too large to look through, the file itself.
  return placesOf(project, [file]).catch(() => [way]);
}

/** Node is also started with a folder, or a name without its ending. */
async function startedFile(): Promise<string | undefined> {
  const [, started] = process.argv;
  return started && realpath(createRequire(started).resolve(started));
}
