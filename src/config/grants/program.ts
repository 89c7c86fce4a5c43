import { createHash } from "node:crypto";
import { readFile, realpath } from "node:fs/promises";
import { isInside } from "../../base/files/project-file.ts";

/**
 * What trust in the program at `path` holds on to: a program of this machine is known by its path, one that the project
 * (a real path) brings by its content.
 */
export async function programValue(path: string, project: string): Promise<string> {
  const real = await realpath(path).catch(() => path);
  if (!isInside(project, path) && !isInside(project, real)) return path;
  const content = await readFile(real).catch(() => "");
  return `sha256:${createHash("sha256").update(content).digest("hex")} ${path}`;
}
