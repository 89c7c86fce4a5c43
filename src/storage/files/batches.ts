// Where a batch is: a legion whose home is the folder that its results are left in. A file in it says that it is one, and each task
// that was begun has a folder of its own there, with a file that says what was begun.

import { existsSync } from "node:fs";
import { lstat, mkdir, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { z } from "zod";
import { codeOf, LegionError } from "../../base/errors.ts";
import { createDisk, type Disk } from "../../base/files/disk.ts";
import { isInside } from "../../base/files/project-file.ts";
import { readJson } from "../../base/text/json.ts";
import { quote } from "../../base/text/wording.ts";
import { isProtected } from "../../domain/authoring/protected.ts";
import { isAgentId } from "../../domain/message/message.ts";
import { checkHome } from "../folder/home.ts";
import { legionPaths } from "../folder/paths.ts";
import type { PersonFolder } from "../folder/person/folder.ts";

/** What a task was when it was begun. */
export interface BegunTask {
  /** Who works at it. */
  readonly agent: string;
  /** Of its line in the tasks file, and of who works at it: other texts mean something else. */
  readonly line: string;
  readonly worker: string;
  /** Is it over, and its trajectory as the log says? */
  readonly isToldWhole: boolean;
}

export interface BatchPlace {
  /** Absolute real path of the project. */
  readonly project: string;
  /** What is relative is so to this. */
  readonly cwd: string;
  readonly person: PersonFolder;
}

export interface BatchFolder {
  /** Absolute: what `home` is elsewhere. */
  readonly home: string;
  /** `undefined` for a task that was never begun. Throws DAMAGED if its file says nothing. */
  begun(id: string): Promise<BegunTask | undefined>;
  /** Makes the folder, with what says that it is a batch. */
  make(): Promise<void>;
  /** From now on this is what was begun of the task, also after a power cut. */
  keep(id: string, task: BegunTask): Promise<void>;
}

const SIGN = "batch.json";
const RECORD = "task.json";
const MAX_BYTES = 65_536;
const FORMAT = 1;
const SAID = { what: "a batch of AI Legion; legion batch with the same --output goes on", format: FORMAT };

const begunTask = z.object({
  agent: z.string().refine(isAgentId),
  line: z.string(),
  worker: z.string(),
  isToldWhole: z.boolean(),
});

/**
 * Settles where a batch is, or will be. Nothing is written, and it may be open elsewhere. Throws USAGE for a folder that is something
 * else, or cannot be one; CONFIG as `checkHome` does.
 */
export async function chooseBatch(
  folder: string,
  { project, cwd, person }: BatchPlace,
): Promise<BatchFolder> {
  const refuse = (why: string) => new LegionError("USAGE", `--output: ${quote(folder)} ${why}`);
  if (folder.trim() === "") throw new LegionError("USAGE", "--output: expected a folder, which may be new");
  const home = await realPlace(resolve(cwd, folder));
  if (isInside(home, project)) throw refuse("holds the project; name a folder of its own, such as ./out");
  const from = isInside(project, home) ? relative(project, home) : home;
  if (isProtected(from.split(sep)) || isInside(person.path, home))
    throw refuse("is protected; name a folder of its own, such as ./out");
  const found = await lstat(resolve(cwd, folder)).catch(unlessAbsent);
  if (found?.isSymbolicLink()) throw refuse("is a link; name the folder that it leads to");
  if (found && !found.isDirectory()) throw refuse("is no folder");
  if (found && !(await isBatch(home))) {
    const [first] = await readdir(home);
    if (first !== undefined)
      throw refuse(`is no batch, and holds ${quote(first)}; name a folder that is empty or new`);
  }
  await checkHome(legionPaths(project, home), person);
  return openBatch(project, home);
}

/** Is a batch there? Throws CONFIG if it is one of a newer version. */
export async function isBatch(folder: string): Promise<boolean> {
  const { format, what } = await signIn(folder);
  if (what !== SAID.what) return false;
  if (format === FORMAT) return true;
  throw new LegionError("CONFIG", `${folder} is a batch of a newer version; use that`);
}

/** The same, of any version, where all that a tree holds is asked about: mostly there is no such file. */
export async function holdsBatch(path: string): Promise<boolean> {
  return existsSync(join(path, SIGN)) && (await signIn(path)).what === SAID.what;
}

async function signIn(folder: string): Promise<Partial<typeof SAID>> {
  const disk = createDisk(join(folder, "tmp"));
  const text = await disk.read(join(folder, SIGN), MAX_BYTES).catch(() => undefined);
  return (readJson(text?.toString("utf8") ?? "") ?? {}) as Partial<typeof SAID>;
}

/**
 * The home of the batch that somebody names by its folder; `undefined` if there is none. Throws CONFIG as `checkHome` does.
 */
export async function findBatch(
  folder: string,
  { project, cwd, person }: BatchPlace,
): Promise<string | undefined> {
  const named = resolve(cwd, folder);
  const isFolder = (await lstat(named).catch(() => undefined))?.isDirectory();
  if (!isFolder || !(await isBatch(named))) return undefined;
  const home = await realpath(named);
  await checkHome(legionPaths(project, home), person);
  return home;
}

function openBatch(project: string, home: string): BatchFolder {
  const { tmp } = legionPaths(project, home);
  let opened: Disk | undefined;
  const disk = (): Disk => (opened ??= createDisk(tmp, dirname(home)));
  const recordOf = (id: string): string => join(home, id, RECORD);
  return {
    home,
    async begun(id) {
      const text = await disk().read(recordOf(id), MAX_BYTES);
      if (text === undefined) return undefined;
      const { data } = begunTask.safeParse(readJson(text.toString("utf8")));
      if (data) return data;
      throw new LegionError("DAMAGED", `${recordOf(id)} says nothing; --redo ${id} begins the task anew`);
    },
    async make() {
      await mkdir(home, { recursive: true, mode: 0o700 });
      await disk().claim(join(home, SIGN), `${JSON.stringify(SAID, null, 2)}\n`);
    },
    keep: (id, task) => disk().replace(recordOf(id), `${JSON.stringify(task, null, 2)}\n`),
  };
}

/** Links on the way to it are followed, as far as it is there. */
async function realPlace(path: string): Promise<string> {
  const real = await realpath(path).catch(unlessAbsent);
  if (real !== undefined) return real;
  const above = dirname(path);
  return above === path ? path : join(await realPlace(above), basename(path));
}

function unlessAbsent(error: unknown): undefined {
  if (codeOf(error) === "ENOENT") return undefined;
  if (codeOf(error) === "ENOTDIR")
    throw new LegionError("USAGE", "--output: a file is in the place of a folder");
  throw error;
}
