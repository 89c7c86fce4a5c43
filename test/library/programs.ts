// Legions as programs open them; each is stopped when the test is over.

import { onTestFinished } from "vitest";
import { Legion, type OpenOptions } from "../../src/index.ts";
import { createScriptedModel, type Script, type ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { createTempProject } from "../temp-project.ts";

export const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };

export function call(
  action: string,
  parameters: Readonly<Record<string, unknown>> = {},
): Exclude<ScriptedAnswer, string> {
  return { calls: [{ action, parameters }] };
}

/** In memory, with a model that answers so. */
export async function openInMemory(script: Script, options: OpenOptions = {}): Promise<Legion> {
  const project = await createTempProject();
  return openProgram({ project, store: "memory", model: createScriptedModel(script), ...options });
}

export async function openProgram(options: OpenOptions): Promise<Legion> {
  const legion = await Legion.open(options);
  onTestFinished(async () => {
    legion.runtime.interrupt();
    await legion.stop().catch(() => undefined);
  });
  return legion;
}
