// What runs or ran in a project, and what lies about in it. Reads only: no lock, no write.

import { holdsCopies } from "../../storage/folder/copies.ts";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isLegionError } from "../../base/errors.ts";
import { deadHolder, lockHolder } from "../../storage/folder/lock.ts";
import { placeOf } from "../../storage/files/journal/segments.ts";
import { CONTROL, type AgentId } from "../../domain/message.ts";
import { shownPath } from "../../base/files/project-file.ts";
import type { FileReader } from "../../storage/files/reader/reader.ts";
import { findNode } from "../../control/socket/client.ts";
import type { DoctorFinding } from "./finding.ts";

export async function* checkState(
  reader: FileReader,
  agents: readonly AgentId[],
): AsyncGenerator<DoctorFinding> {
  yield* checkRuns(reader);
  yield* checkForeign(reader, agents);
}

export async function* checkRuns(reader: FileReader): AsyncGenerator<DoctorFinding> {
  yield* checkNode(reader);
  yield* checkLeftovers(reader);
}

async function* checkNode({ paths, disk }: FileReader): AsyncGenerator<DoctorFinding> {
  const holder = await lockHolder(paths.lock, disk);
  const dead = await deadHolder(paths.lock, disk);
  const who = holder && `process ${holder.pid} on ${holder.host}`;
  const left =
    dead && `left by process ${dead.pid} on ${dead.host}, which is gone; the next start takes it over`;
  yield { check: "lock", status: "ok", detail: who ? `held by a ${holder.role}, ${who}` : (left ?? "free") };
  const node = await findNode(paths.socket);
  if (node) yield { check: "socket", status: "ok", detail: "a node answers" };
  else if (holder?.role === "node") {
    const detail = `${who} does not answer: it is starting, ending or stuck`;
    yield { check: "socket", status: "wrong", detail };
  } else if (disk.exists(paths.socket)) {
    yield { check: "socket", status: "ok", detail: "left by a dead node; the next one replaces it" };
  } else yield { check: "socket", status: "ok", detail: "none: no node runs" };
}

/** What a process that was killed did not put away, and what was set aside. */
async function* checkLeftovers({ paths, disk }: FileReader): AsyncGenerator<DoctorFinding> {
  const temporary = (await disk.list(paths.tmp)).length;
  if (temporary > 0 && !(await lockHolder(paths.lock, disk))) {
    yield {
      check: "tmp",
      status: "ok",
      detail: `${temporary} left by a dead process; the next start removes them`,
    };
  }
  const arrived = (await disk.list(paths.arrivals)).join(", ");
  if (arrived !== "")
    yield {
      check: "arrivals",
      status: "ok",
      detail: `imported, not in its place yet: ${arrived}; the next start ends it`,
    };
  const aside = await disk.list(paths.corrupt);
  if (aside.length > 0) {
    const where = shownPath(paths.project, paths.corrupt);
    yield {
      check: "corrupt",
      status: "ok",
      detail: `${aside.length} ${aside.length === 1 ? "copy" : "copies"} of what was damaged, in ${where}`,
    };
  }
}

const IN_ROOT = [
  "config.yaml",
  "config.schema.json",
  "workspace-id",
  "legion.sock",
  "lock",
  "agents",
  "arrivals",
  "memory",
  "runs",
  "logs",
  "tmp",
  "corrupt",
];

/** Names that no version of this program gives. Files of editors and systems, which begin with a dot, harm nobody. */
async function* checkForeign(reader: FileReader, agents: readonly AgentId[]): AsyncGenerator<DoctorFinding> {
  const { paths } = reader;
  yield* strangersIn(reader, paths.root, (name) => IN_ROOT.includes(name));
  yield* strangersIn(reader, paths.lock, (name) => /^\d+$/.test(name));
  yield* strangersIn(
    reader,
    paths.agents,
    (name) => name === CONTROL || agents.includes(name) || holdsCopies(reader.disk, paths.agent(name)),
  );
  for (const id of [CONTROL, ...agents]) yield* checkFolder(reader, id);
}

async function* checkFolder(reader: FileReader, id: AgentId): AsyncGenerator<DoctorFinding> {
  const folder = reader.paths.agent(id);
  for (const journal of ["log", "mailbox"])
    yield* strangersIn(reader, join(folder, journal), (name) => placeOf(name) !== undefined);
  const damaged = (name: string, detail: string): DoctorFinding => ({
    check: shownPath(reader.paths.project, join(folder, name)),
    status: "damaged",
    detail,
  });
  try {
    const record = await stateOf(reader.disk, join(folder, "agent.json"));
    if (record === "unreadable")
      yield damaged("agent.json", "cannot be read; the next start of the agent writes it anew");
    if (record === "no file")
      yield damaged("agent.json", "not a file, so this agent cannot start; `--repair` sets it aside");
    if ((await stateOf(reader.disk, join(folder, "goals.json"))) === "unreadable")
      yield damaged(
        "goals.json",
        "cannot be read; the next start sets it aside, and writes what the log says",
      );
    const names = await reader.disk.list(folder);
    if (!names.includes("log") && (names.includes("goals.json") || names.includes("notes")))
      yield damaged(
        "log",
        "gone; what else is kept of the agent waits for your word: `legion start --trust`",
      );
  } catch (error) {
    // What cannot be looked at is told of by the check of the modes.
    if (!isLegionError(error)) throw error;
  }
}

/** Of a file that holds a JSON object; `whole` also if nothing is there. */
export async function stateOf(
  disk: FileReader["disk"],
  path: string,
): Promise<"whole" | "unreadable" | "no file"> {
  const kind = await disk.kind(path);
  if (kind !== "file") return kind === undefined ? "whole" : "no file";
  return isObject((await disk.read(path))?.toString("utf8") ?? "{}") ? "whole" : "unreadable";
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

async function* strangersIn(
  { paths, disk }: FileReader,
  folder: string,
  belongs: (name: string) => boolean,
): AsyncGenerator<DoctorFinding> {
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => undefined,
  );
  if (isFolder === undefined) return;
  if (!isFolder) {
    yield {
      check: shownPath(paths.project, folder),
      status: "damaged",
      detail: "not a folder; move it away",
    };
    return;
  }
  for (const name of await disk.list(folder).catch(() => [])) {
    if (name.startsWith(".") || belongs(name)) continue;
    const check = shownPath(paths.project, join(folder, name));
    yield { check, status: "wrong", detail: "does not belong here, and is not read; move it away" };
  }
}
