// A legion in a repository, whose agents run commands in a real sandbox.

import { onTestFinished } from "vitest";
import type { Script } from "../../../src/model/scripted/scripted.ts";
import { openChosen, placeIn } from "../../environment/opened.ts";
import { repository } from "../../environment/workspace/trees.ts";
import { temporaryFolder, type World, type WorldOptions } from "../../world.ts";
import { createYard } from "./yard.ts";

export const run = (command: string) => ({ action: "executeCommand", parameters: { command } });
/** Says that it is there, and waits until the test has it go on. */
export const gate = (name: string): string =>
  `mkfifo ${name}; echo at ${name}; read line < ${name}; rm ${name}`;

/** A machine that is busy is no reason to know less in a test. */
const PATIENT = { files: 100_000, ms: 60_000 };

/** Agents that run commands in a sandbox, in a repository with those files. */
export async function createRepositoryYard(
  files: Readonly<Record<string, string>>,
  scripts: Readonly<Record<string, Script>>,
  options: WorldOptions = {},
): Promise<World> {
  const project = repository(await temporaryFolder(), { ".gitignore": "/.ai-legion\n/ignored\n", ...files });
  const environment = await openChosen({ kind: "bubblewrap" }, placeIn(project));
  onTestFinished(environment.close);
  return createYard({}, scripts, { environment, snapshots: PATIENT, ...options, project });
}

export function untilPrinted(world: World, agent: string, text: string): Promise<void> {
  return world.until(
    (seen) => seen.kind === "live:progress" && seen.agent === agent && seen.text.includes(text),
  );
}

export function untilResult(world: World, agent: string): Promise<void> {
  return world.until((seen) => seen.kind === "event" && seen.agent === agent && seen.event.kind === "result");
}
