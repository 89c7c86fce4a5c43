// Agents with one task each, to their ends.

import { onTestFinished } from "vitest";
import type { BashSettings } from "../../../src/domain/task-templates.ts";
import {
  createScriptedModel,
  type Script,
  type ScriptedAnswer,
} from "../../../src/model/scripted/scripted.ts";
import { OUTAGE_MS, type OutagePatience } from "../../../src/legion/run/outage.ts";
import { takeUp, untilOver } from "../../../src/legion/run/task.ts";
import { createWorld, type World, type WorldAgent, type WorldOptions } from "../../world.ts";

export const BASH: BashSettings = {
  templates: { system: "S", instance: "{{ task }}", observation: "{{ output.output }}", formatError: "F" },
  calls: "auto",
  formatErrors: 3,
  timeoutMs: 30_000,
  variables: {},
};
export const PATIENCE: OutagePatience = { outageMs: OUTAGE_MS };

export const bash = (command: string): ScriptedAnswer => ({
  calls: [{ action: "bash", parameters: { command } }],
});
export const SUBMIT = bash("echo MINI_SWE_AGENT_FINAL_OUTPUT; echo a patch");
export const busy: ScriptedAnswer = { error: { code: "MODEL_BUSY", message: "nobody answers" } };

export interface Case {
  readonly script: Script;
  readonly agent?: Partial<WorldAgent>;
  readonly options?: WorldOptions;
}

export async function worldOf({ script, agent, options }: Case) {
  const model = createScriptedModel(script, agent?.profile);
  return { world: await createWorld({ 1: { model, bash: BASH, ...agent } }, options), model };
}

export function attend(world: World, task: string | undefined, patience = PATIENCE) {
  const workshop = { legion: world.legion, agent: "1" };
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const over = takeUp(workshop, { task }).then(() => untilOver(workshop, stop.signal, patience));
  return { over, stop };
}

export const ends = async (world: World) =>
  (await world.kinds("1", "notice")).filter(({ reason }) => reason === "ended");
