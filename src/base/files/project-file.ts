import { constants } from "node:fs";
import { open, realpath, type FileHandle } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { codeOf, LegionError, messageOf } from "../errors.ts";

/** The longest settings file that is read. */
export const MAX_FILE_BYTES = 1_048_576;

/**
 * The text of the file at `path` without its byte order mark; `undefined` if no file is there. Throws CONFIG, naming
 * the file as `shown`, if it is too long, cannot be read or is not UTF-8.
 */
export async function readTextFile(
  path: string,
  shown: string,
  maxBytes = MAX_FILE_BYTES,
): Promise<string | undefined> {
  let file: FileHandle | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = await file.stat();
    if (!stat.isFile()) return undefined;
    if (stat.size > maxBytes) throw new Error(`is ${stat.size} bytes long; at most ${maxBytes} are read`);
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile());
  } catch (error) {
    if (isMissing(error)) return undefined;
    const reason = error instanceof TypeError ? "is not UTF-8 text" : messageOf(error);
    throw new LegionError("CONFIG", `${shown}: ${reason}`, { cause: error });
  } finally {
    await file?.close();
  }
}

/**
 * As `readTextFile`, of the file `path` of the project, which is how errors name it. Throws CONFIG if a link on the way
 * to it leads out of the project.
 */
export async function readProjectFile(
  projectDir: string,
  path: string,
  maxBytes = MAX_FILE_BYTES,
): Promise<string | undefined> {
  let real: string;
  try {
    real = await realpath(resolve(projectDir, path));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new LegionError("CONFIG", `${path}: ${messageOf(error)}`, { cause: error });
  }
  if (isInside(await realpath(projectDir), real)) return readTextFile(real, path, maxBytes);
  throw new LegionError("CONFIG", `${path} leads out of the project; put a real file in its place`);
}

/**
 * The real path of the file or folder that `path`, relative to the project, names; `undefined` if nothing is there.
 * Throws USAGE if it leads out of the project, links followed.
 */
export async function findInProject(projectDir: string, path: string): Promise<string | undefined> {
  const refused = new LegionError(
    "USAGE",
    `${JSON.stringify(path)} lies outside the project; use a path inside it`,
  );
  if (path.includes("\0") || !isInside(projectDir, resolve(projectDir, path))) throw refused;
  try {
    const [root, real] = await Promise.all([realpath(projectDir), realpath(resolve(projectDir, path))]);
    if (isInside(root, real)) return real;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new LegionError("CONFIG", `${JSON.stringify(path)}: ${messageOf(error)}`, { cause: error });
  }
  throw refused;
}

/** The ways to `path`, relative to the project: as it is written, and with links followed where something is there. */
export async function waysTo(projectDir: string, path: string): Promise<readonly string[]> {
  const named = resolve(projectDir, path);
  const real = await realpath(named).catch(() => named);
  return [...new Set([named, real].map((way) => relative(projectDir, way)))];
}

/** How errors name a file: relative to the project where it lies inside, with `/` everywhere. */
export function shownPath(projectDir: string, path: string): string {
  return (isInside(projectDir, path) ? relative(projectDir, path) : path).replaceAll(sep, "/");
}

/** True for the folder itself, too; both are absolute. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "EISDIR"].includes(codeOf(error));
}
