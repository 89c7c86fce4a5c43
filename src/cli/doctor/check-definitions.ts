// Is what agents are made of right? Every definition and team of the project, not only those that somebody uses. None of
// its code runs: of its own modules only the files are looked for.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { findDefinition, findTeam, type Definition, type Places } from "../../config/definition.ts";
import { messageOf } from "../../base/errors.ts";
import { indexActions } from "../../agent/parts/module-set.ts";
import { textProtocol } from "../../model/protocol/text.ts";
import { isFileReference, loadModules, moduleFiles } from "../../config/module-loader.ts";
import type { DoctorFinding } from "./finding.ts";

export async function* checkDefinitions(places: Places): AsyncGenerator<DoctorFinding> {
  const files = await readdir(join(places.projectDir, "agents")).catch((): string[] => []);
  for (const file of files.sort()) {
    const path = `agents/${file}`;
    if (file.endsWith(".md"))
      yield await judge(path, "a valid definition", () => checkDefinition(path, places));
    else if (/\.ya?ml$/.test(file)) yield await judge(path, "a valid team", () => checkTeam(path, places));
  }
}

async function judge(check: string, detail: string, look: () => Promise<void>): Promise<DoctorFinding> {
  try {
    await look();
    return { check, status: "ok", detail };
  } catch (error) {
    return { check, status: "wrong", detail: messageOf(error) };
  }
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

/** They must be there, and no two of ours may have an action of the same name. */
async function checkModules(references: Definition["modules"], places: Places): Promise<void> {
  await moduleFiles(references, places.projectDir);
  const ours = references.filter((reference) => !isFileReference(reference));
  indexActions(await loadModules(ours, places), textProtocol);
}
