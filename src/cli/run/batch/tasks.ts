// The tasks of a batch: a file with one JSON object a line, in a form of ours or that of SWE-bench. All of it is checked before
// anything is begun; what a task says is read again when it is its turn, so that a long file costs no memory.

import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { LegionError } from "../../../base/errors.ts";
import { isInside } from "../../../base/files/project-file.ts";
import { onceEach } from "../../../base/once-each.ts";
import { fieldsOf, readJson } from "../../../base/text/json.ts";
import { didYouMean, quote } from "../../../base/text/wording.ts";
import { isProtected } from "../../../domain/authoring/protected.ts";
import { MAX_CONTENT_BYTES, type AgentId } from "../../../domain/message/message.ts";
import { isImage } from "../../../environment/settings.ts";
import { foldName } from "../../../storage/folder/file-name.ts";
import { linesOf, readLine, withFile, type LinePlace, type TaskLine } from "./task-lines.ts";
import { agentFor, idFlaw } from "./task-names.ts";

export interface BatchTask extends LinePlace {
  readonly id: string;
  /** Who works at it, unless it is begun anew. */
  readonly agent: AgentId;
  /** The same for lines that say the same, whatever the white space. */
  readonly digest: string;
  /** Absolute real path of the folder that it works in a copy of; absent: what its image has, or else the project. */
  readonly source?: string;
  /** What its commands run in; absent: what the agent has. */
  readonly image?: string;
  /** Where an image of its kind has the workspace; absent: nobody knows. */
  readonly inImage?: string;
}

export interface TaskFile {
  /** Absolute, in a real folder. */
  readonly path: string;
  /** How people know it. */
  readonly shown: string;
  /** At least one. */
  readonly tasks: readonly BatchTask[];
  /** What the task says. Rejects with REFUSED if its line is another one by now. */
  read(task: BatchTask): Promise<string>;
}

export interface TaskPlaces {
  /** Absolute real path of the project. */
  readonly project: string;
  /** What `path` is relative to. */
  readonly cwd: string;
}

/** A line as it was read, in either form. */
interface SaidTask {
  readonly id: string;
  readonly task: string;
  readonly workspace?: string;
  readonly image?: string;
}

const FORM = '{"id": "a", "task": "...", "workspace": "folder", "image": "node:22"}';
/** Where images of SWE-bench have the repository. */
const SWE_BENCH_PLACE = "/testbed";
const KEYS = ["id", "task", "workspace", "image"];
const LIST = "a list; a tasks file has one object a line, which `jq -c '.[]'` makes of it";

/** Rejects with USAGE or CONFIG, with one line that names the line of the file and says what helps. Writes nothing. */
export async function readTasks(path: string, { project, cwd }: TaskPlaces): Promise<TaskFile> {
  const shown = path;
  const file = resolve(cwd, path);
  const sourceOf = await createSources(file, project);
  const names = createNames(shown);
  const tasks = await withFile(file, shown, async (handle) => {
    const read: BatchTask[] = [];
    for await (const taken of linesOf(handle, shown)) {
      const { said, digest, isSweBench } = readTask(taken, shown);
      const { line, at, bytes } = taken;
      const agent = agentFor(said.id);
      names.add(said.id, agent, line);
      const source =
        said.workspace === undefined ? undefined : await sourceOf(said.workspace).catch(atLine(shown, line));
      read.push({
        id: said.id,
        agent,
        line,
        at,
        bytes,
        digest,
        ...(source !== undefined && { source }),
        ...(said.image !== undefined && { image: said.image }),
        ...(isSweBench && { inImage: SWE_BENCH_PLACE }),
      });
    }
    return read;
  });
  if (tasks.length === 0)
    throw new LegionError("CONFIG", `${shown}: there is no task in it; a line is ${FORM}`);
  return {
    path: join(await realpath(dirname(file)), basename(file)),
    shown,
    tasks,
    async read(task) {
      const text = await withFile(file, shown, (handle) => readLine(handle, task, shown));
      const { said, digest } = readTask({ ...task, text }, shown);
      if (digest === task.digest) return said.task;
      throw new LegionError(
        "REFUSED",
        `${shown}:${task.line}: changed while the batch ran; it is read again when that goes on`,
      );
    },
  };
}

function readTask(
  { line, text }: TaskLine,
  shown: string,
): { readonly said: SaidTask; readonly digest: string; readonly isSweBench: boolean } {
  const refuse = (why: string) => new LegionError("CONFIG", `${shown}:${line}: ${why}`);
  const value = readJson(text);
  if (Array.isArray(value)) throw refuse(LIST);
  if (typeof value !== "object" || value === null) throw refuse(`no object of JSON, such as ${FORM}`);
  const fields = fieldsOf(value);
  const isSweBench = fields["instance_id"] !== undefined;
  const names = isSweBench
    ? ({ id: "instance_id", task: "problem_statement", image: "image_name" } as const)
    : ({ id: "id", task: "task", image: "image" } as const);
  const stranger = isSweBench ? undefined : Object.keys(fields).find((key) => !KEYS.includes(key));
  if (stranger !== undefined)
    throw refuse(
      `there is no key ${quote(stranger)}; a line has ${KEYS.join(", ")}.${didYouMean(stranger, KEYS)}`,
    );
  const textAt = (key: string): string | undefined => {
    const said = fields[key] ?? undefined;
    if (said !== undefined && (typeof said !== "string" || said.trim() === ""))
      throw refuse(`${key}: expected a text that is not empty`);
    return said;
  };
  const needed = (key: string): string => {
    const said = textAt(key);
    if (said === undefined) throw refuse(`${key} is missing; a line is ${FORM}`);
    return said;
  };
  const id = needed(names.id);
  const flaw = idFlaw(id);
  if (flaw !== undefined) throw refuse(`the id ${quote(id)} ${flaw}`);
  const task = needed(names.task);
  const bytes = Buffer.byteLength(task);
  if (bytes > MAX_CONTENT_BYTES)
    throw refuse(
      `the task is ${bytes} bytes long, and a message holds ${MAX_CONTENT_BYTES}; put what is long into a file of its workspace`,
    );
  const image = textAt(names.image);
  if (image !== undefined && !isImage(image))
    throw refuse(`${names.image}: ${quote(image)} is no image; expected a name such as node:22`);
  const digest = createHash("sha256").update(JSON.stringify(value)).digest("hex");
  const workspace = isSweBench ? undefined : textAt("workspace");
  return { said: { id, task, workspace, image }, digest, isSweBench };
}

/** Refuses two tasks that would share a folder, on any disk, or an agent. */
function createNames(shown: string) {
  const lines = new Map<string, number>();
  return {
    add(id: string, agent: AgentId, line: number): void {
      // What names a folder and what names an agent are compared each with its like.
      const keys = [`folder ${foldName(id)}`, `agent ${agent}`];
      const first = keys.map((key) => lines.get(key)).find((known) => known !== undefined);
      if (first !== undefined)
        throw new LegionError(
          "CONFIG",
          `${shown}:${line}: the id ${quote(id)} is that of line ${first}, too, as far as every disk can tell; rename one of them`,
        );
      for (const key of keys) lines.set(key, line);
    },
  };
}

function atLine(shown: string, line: number): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof LegionError)) throw error;
    throw new LegionError(error.code, `${shown}:${line}: ${error.message}`, { cause: error });
  };
}

/**
 * Finds the folders that lines name, relative to the file. Nobody's keys, and nothing that lies elsewhere, are copied because a
 * file says so.
 */
async function createSources(file: string, project: string): Promise<(text: string) => Promise<string>> {
  const beside = await realpath(dirname(file)).catch(() => dirname(file));
  return onceEach(async (text) => {
    const refuse = (why: string) => new LegionError("CONFIG", `workspace: ${quote(text)} ${why}`);
    if (text.includes("\0")) throw refuse("is no path");
    const named = resolve(beside, text);
    const found = await stat(named).catch(() => undefined);
    if (!found?.isDirectory()) throw refuse(`is no folder; it is looked for in ${beside}`);
    const real = await realpath(named);
    const top = [beside, project].find((folder) => isInside(folder, real));
    if (top === undefined)
      throw refuse(
        "lies neither beside the tasks file nor in the project; put the file next to it, or name the project with --dir",
      );
    if (isProtected(relative(top, real).split(sep))) throw refuse("is protected, and never copied");
    return real;
  });
}
