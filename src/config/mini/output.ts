import { realpath } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { isInside } from "../../base/files/project-file.ts";
import { isProtected, isReadOnly } from "../../domain/authoring/protected.ts";

/** Is `path` in the project, links followed, under a name that only trajectories have, and not among what is guarded? */
export async function isOwnOutput(path: string, projectDir: string): Promise<boolean> {
  if (!/\.traj(?:\.json)?$/.test(basename(path))) return false;
  const [project, folder] = await Promise.all([realpath(projectDir), realOf(dirname(path))]);
  const names = relative(project, join(folder, basename(path))).split(sep);
  return isInside(project, folder) && !isProtected(names) && !isReadOnly(names, []);
}

/** Is `path` in the project by its name, and elsewhere with links followed? */
export async function leadsOut(path: string, projectDir: string): Promise<boolean> {
  const [project, folder] = await Promise.all([realpath(projectDir), realOf(dirname(path))]);
  return isInside(projectDir, path) && !isInside(project, folder);
}

/** With links followed as far as something is there. */
async function realOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined || dirname(path) === path) return real ?? path;
  return join(await realOf(dirname(path)), basename(path));
}
