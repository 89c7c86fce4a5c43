// How the files of a project are. Reads only: no lock, no write.

import { isLegionError, messageOf } from "../../base/errors.ts";
import { CONTROL, type AgentId } from "../../domain/message.ts";
import { createBranch } from "../../past/fold.ts";
import { foreign } from "../../storage/contract/foreign.ts";
import type { FileReader } from "../../storage/files/reader/reader.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { checkAccess } from "./check-access.ts";
import { checkDefinitions } from "./check-definitions.ts";
import { checkJournals } from "./check-journals.ts";
import { checkRuns, checkState } from "./check-state.ts";
import type { DoctorFinding } from "./finding.ts";
import { packageDir } from "../../base/package.ts";

export async function* checkProject(reader: FileReader): AsyncGenerator<DoctorFinding> {
  yield* checkAccess(reader);
  yield* checkDefinitions({ projectDir: reader.paths.project, packageDir });
  const agents = await knownAgents(reader);
  yield* checkState(reader, agents);
  yield { check: "agents", status: "ok", detail: agents.join(", ") || "none yet" };
  for (const id of [CONTROL, ...agents]) {
    if (await reader.isForeign(id).catch(() => false))
      yield { check: `agent ${id}`, status: "warning", detail: foreign(id).message };
    yield* checkJournals(reader, id);
    yield* checkHalt(reader, id);
  }
}

/** Of the folder of a node whose legion is elsewhere: what is there of its agents is for people to read. */
export async function* checkWorkspace(reader: FileReader): AsyncGenerator<DoctorFinding> {
  yield* checkAccess(reader);
  yield* checkDefinitions({ projectDir: reader.paths.project, packageDir });
  yield* checkRuns(reader);
}

/** None, if their folder is something else: that is told already. */
async function knownAgents(reader: FileReader): Promise<readonly AgentId[]> {
  return reader.known().catch(() => []);
}

/** Does the agent wait for a person? */
export async function* checkHalt(reader: Reader, id: AgentId): AsyncGenerator<DoctorFinding> {
  const check = `agent ${id}`;
  try {
    const { halt } = (await reader.follow(id, createBranch)).branch.conversation;
    if (!halt) return;
    const kind = halt.reason.replace(/-.*/, "");
    const way = kind === "halted" ? "" : `; \`legion resume ${id}\` lets it go on`;
    const status = kind === "paused" ? "ok" : "wrong";
    yield { check, status, detail: `${kind} since ${halt.since}: ${halt.content}${way}` };
  } catch (error) {
    // What can be told of a damaged log, its own check has told.
    if (isLegionError(error)) return;
    yield { check, status: "damaged", detail: `its log cannot be understood: ${messageOf(error)}` };
  }
}
