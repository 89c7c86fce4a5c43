// How the files of a project are. Reads only: no lock, no write. Of what agents are made of, every definition and team is
// looked at, not only those that somebody uses; none of its code runs.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { indexActions } from "../../agent/parts/module-set.ts";
import { isLegionError, messageOf } from "../../base/errors.ts";
import { packageDir } from "../../base/package.ts";
import { findDefinition, findTeam, type Definition, type Places } from "../../config/definition.ts";
import { isFileReference, loadModules, moduleFiles } from "../../config/module-loader.ts";
import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import { textProtocol } from "../../model/protocol/text.ts";
import { createBranch } from "../../past/fold.ts";
import { foreign } from "../../storage/contract/foreign.ts";
import type { FileReader } from "../../storage/files/reader/reader.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { checkAccess } from "./check-access.ts";
import { checkJournals } from "./check-journals.ts";
import { checkRuns, checkStrangers } from "./check-state.ts";
import { finding, type DoctorFinding } from "./finding.ts";

/** Wherever its legion is kept. Of one that is elsewhere, what is here of its agents is for people to read. */
export async function* checkProject(reader: FileReader): AsyncGenerator<DoctorFinding> {
  yield* checkAccess(reader);
  yield* checkDefinitions({ projectDir: reader.paths.project, packageDir });
  yield* checkRuns(reader);
}

/** Those that are kept in the files of the project. */
export async function* checkAgents(reader: FileReader): AsyncGenerator<DoctorFinding> {
  // None, if their folder is something else: that is told of as a stranger.
  const agents = await reader.known().catch(() => []);
  yield* checkStrangers(reader, agents);
  yield finding("agents", "ok", agents.join(", ") || "none yet");
  for (const id of [CONTROL, ...agents]) {
    if (await reader.isForeign(id).catch(() => false))
      yield finding(`agent ${id}`, "warning", foreign(id).message);
    yield* checkJournals(reader, id);
    yield* checkHalt(reader, id);
  }
}

/** Does the agent wait for a person? */
export async function* checkHalt(reader: Reader, id: AgentId): AsyncGenerator<DoctorFinding> {
  const check = `agent ${id}`;
  try {
    const { halt } = (await reader.follow(id, createBranch)).branch.conversation;
    if (!halt) return;
    const kind = halt.reason.replace(/-.*/, "");
    const way = kind === "halted" ? "" : `; \`legion resume ${id}\` lets it go on`;
    const detail = `${kind} since ${halt.since}: ${halt.content}${way}`;
    yield finding(check, kind === "paused" ? "ok" : "wrong", detail);
  } catch (error) {
    // What can be told of a damaged log, its own check has told.
    if (isLegionError(error)) return;
    yield finding(check, "damaged", `its log cannot be understood: ${messageOf(error)}`);
  }
}

async function* checkDefinitions(places: Places): AsyncGenerator<DoctorFinding> {
  const files = await readdir(join(places.projectDir, "agents")).catch((): string[] => []);
  for (const file of files.sort()) {
    const path = `agents/${file}`;
    if (file.endsWith(".md")) yield await judge(path, "definition", checkDefinition(path, places));
    else if (/\.ya?ml$/.test(file)) yield await judge(path, "team", checkTeam(path, places));
  }
}

function judge(check: string, kind: string, work: Promise<void>): Promise<DoctorFinding> {
  return work.then(
    () => finding(check, "ok", `a valid ${kind}`),
    (error: unknown) => finding(check, "wrong", messageOf(error)),
  );
}

async function checkDefinition(reference: string, places: Places): Promise<void> {
  await checkModules((await findDefinition(reference, places)).modules, places);
}

async function checkTeam(reference: string, places: Places): Promise<void> {
  for (const { agent, modules } of await findTeam(reference, places)) {
    const definition = await findDefinition(agent, places);
    await checkModules(modules ?? definition.modules, places);
  }
}

/** They must be there, and no two of ours may have an action of the same name. Of the others only the files are looked for. */
async function checkModules(references: Definition["modules"], places: Places): Promise<void> {
  await moduleFiles(references, places);
  const ours = references.filter((reference) => !isFileReference(reference));
  indexActions(await loadModules(ours, places), textProtocol);
}
