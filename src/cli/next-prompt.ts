// What the model of an agent would be shown next, by the definition and the modules of today.

import { introductionOf, requestOf } from "../ask.ts";
import { loadConfig } from "../config.ts";
import { LegionError } from "../errors.ts";
import { displayName, type AgentId } from "../message.ts";
import type { ModelRequest } from "../model/model.ts";
import type { Reader } from "../reader.ts";
import { createCasting } from "../roster.ts";
import type { Io } from "./command.ts";
import { openDormant } from "./dormant.ts";
import { packageDir } from "./package.ts";

/** Nobody is asked anything, so it does not matter which keys are there and where they would go. */
const NOBODY = {
  ANTHROPIC_API_KEY: "none",
  ANTHROPIC_BASE_URL: "http://localhost",
  OPENAI_API_KEY: "none",
  OPENAI_BASE_URL: "http://localhost",
};

/** Throws REFUSED for an agent that no definition made; USAGE or CONFIG where definition or modules are wrong today. */
export async function nextPrompt(reader: Reader, id: AgentId, { env }: Io): Promise<ModelRequest> {
  const projectDir = reader.paths.project;
  const { definition, brief, modules, commands, model } = await reader.record(id);
  const config = await loadConfig({ projectDir, env: { ...NOBODY, ...env }, flags: { commands } });
  if (definition === undefined || model === undefined) {
    const advice = "--at <number> shows what it was shown for a decision";
    throw new LegionError("REFUSED", `${displayName(id)} was not made from a definition; ${advice}`);
  }
  const cast = createCasting({ config, places: { projectDir, packageDir } });
  const { plan } = await cast({ id, agent: definition, brief, modules, model, limits: {} });
  const sections = new Map(Object.entries(config.modules));
  const agent = await openDormant(plan, { reader, settings: (module) => sections.get(module) ?? {} });
  try {
    return requestOf(agent, await introductionOf(agent));
  } finally {
    await agent.modules.close();
  }
}
