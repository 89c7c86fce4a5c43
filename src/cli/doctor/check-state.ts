// What runs or ran in a project, and what lies about in it. Reads only: no lock, no write.

import { holdsCopies } from "../../storage/folder/copies.ts";
import { isOfHome } from "../../storage/folder/strangers.ts";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isLegionError } from "../../base/errors.ts";
import { readJson } from "../../base/text/json.ts";
import { deadHolder, lockHolder } from "../../storage/folder/lock.ts";
import { placeOf } from "../../storage/files/journal/segments.ts";
import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import { shownPath } from "../../base/files/project-file.ts";
import type { FileReader } from "../../storage/files/reader/reader.ts";
import { findNode } from "../../control/socket/client.ts";
import { finding, type DoctorFinding } from "./finding.ts";

/** Does a node run, and what did processes leave that did not end as they should? */
export async function* checkRuns({ paths, disk }: FileReader): AsyncGenerator<DoctorFinding> {
  const holder = await lockHolder(paths.lock, disk);
  const dead = await deadHolder(paths.lock, disk);
  const who = holder && `process ${holder.pid} on ${holder.host}`;
  const left =
    dead && `left by process ${dead.pid} on ${dead.host}, which is gone; the next start takes it over`;
  yield finding("lock", "ok", who ? `held by a ${holder.role}, ${who}` : (left ?? "free"));
  if (await findNode(paths.socket)) yield finding("socket", "ok", "a node answers");
  else if (holder?.role === "node")
    yield finding("socket", "wrong", `${who} does not answer: it is starting, ending or stuck`);
  else if (disk.exists(paths.socket))
    yield finding("socket", "ok", "left by a dead node; the next one replaces it");
  else yield finding("socket", "ok", "none: no node runs");
  const temporary = (await disk.list(paths.tmp)).length;
  if (temporary > 0 && !holder)
    yield finding("tmp", "ok", `${temporary} left by a dead process; the next start removes them`);
  const arrived = (await disk.list(paths.arrivals)).join(", ");
  const pending = `imported, not in its place yet: ${arrived}; the next start ends it`;
  if (arrived !== "") yield finding("arrivals", "ok", pending);
  const aside = (await disk.list(paths.corrupt)).length;
  const copies = `${aside} ${aside === 1 ? "copy" : "copies"} of what was damaged`;
  if (aside > 0) yield finding("corrupt", "ok", `${copies}, in ${shownPath(paths.project, paths.corrupt)}`);
}

/** Names that no version of this program gives. Files of editors and systems, which begin with a dot, harm nobody. */
export async function* checkStrangers(
  reader: FileReader,
  agents: readonly AgentId[],
): AsyncGenerator<DoctorFinding> {
  const { paths, disk } = reader;
  const isAgent = (name: string): boolean =>
    name === CONTROL || agents.includes(name) || holdsCopies(disk, paths.agent(name));
  yield* strangersIn(reader, paths.root, (name) => isOfHome(paths.root, name));
  yield* strangersIn(reader, paths.lock, (name) => /^\d+$/.test(name));
  yield* strangersIn(reader, paths.agents, isAgent);
  for (const id of [CONTROL, ...agents]) yield* checkFolder(reader, id);
}

async function* checkFolder(reader: FileReader, id: AgentId): AsyncGenerator<DoctorFinding> {
  const { paths, disk } = reader;
  const folder = paths.agent(id);
  for (const journal of ["log", "mailbox"])
    yield* strangersIn(reader, join(folder, journal), (name) => placeOf(name) !== undefined);
  const damaged = (name: string, detail: string): DoctorFinding =>
    finding(shownPath(paths.project, join(folder, name)), "damaged", detail);
  try {
    const record = await stateOf(disk, join(folder, "agent.json"));
    if (record === "unreadable")
      yield damaged("agent.json", "cannot be read; the next start of the agent writes it anew");
    if (record === "no file")
      yield damaged("agent.json", "not a file, so this agent cannot start; `--repair` sets it aside");
    if ((await stateOf(disk, join(folder, "goals.json"))) === "unreadable")
      yield damaged(
        "goals.json",
        "cannot be read; the next start sets it aside, and writes what the log says",
      );
    const names = await disk.list(folder);
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
  const value = readJson((await disk.read(path))?.toString("utf8") ?? "{}");
  return typeof value === "object" && value !== null && !Array.isArray(value) ? "whole" : "unreadable";
}

async function* strangersIn(
  { paths, disk }: FileReader,
  folder: string,
  belongs: (name: string) => boolean,
): AsyncGenerator<DoctorFinding> {
  const found = await stat(folder).catch(() => undefined);
  if (!found) return;
  if (!found.isDirectory())
    return yield finding(shownPath(paths.project, folder), "damaged", "not a folder; move it away");
  for (const name of await disk.list(folder).catch(() => [])) {
    if (name.startsWith(".") || belongs(name)) continue;
    const check = shownPath(paths.project, join(folder, name));
    yield finding(check, "wrong", "does not belong here, and is not read; move it away");
  }
}
