// An agent that does not run, as its definition and its modules would make it today.

import type { Config } from "../../config/config.ts";
import type { KnownPlace } from "../../config/definition.ts";
import { isReference, readReferred } from "../../config/mini/reference.ts";
import { LegionError } from "../../base/errors.ts";
import type { AgentPlan } from "../hosting/agent-plan.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import { chooseModel } from "../../model/registry/choice.ts";
import { createCasting, type RosterDeps } from "../roster.ts";
import { packageDir } from "../../base/package.ts";
import type { Variables } from "../../base/process/variables.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { loadConfigAnyway } from "../../config/load-config.ts";

/** Nobody is asked anything, so it does not matter which keys are there and where they would go. */
const NOBODY = {
  ANTHROPIC_API_KEY: "none",
  ANTHROPIC_BASE_URL: "http://localhost",
  OPENAI_API_KEY: "none",
  OPENAI_BASE_URL: "http://localhost",
};

/** Where its definition and its modules are found today, and what of them may run. */
export interface Today extends Pick<RosterDeps, "admit"> {
  readonly env: Variables;
}

export interface CastToday {
  readonly config: Config;
  /** Made for the model of that name; without one, for that of the last start, or of the first. */
  planFor(model?: string): Promise<AgentPlan>;
  /** The section of config.yaml that has the module's name. */
  settings(module: string): Readonly<Record<string, unknown>>;
}

/**
 * One that was never started is as its first start would make it. Throws REFUSED for an agent that no definition made; USAGE
 * or CONFIG where definition or modules are wrong today.
 */
export async function castToday(
  { reader, project: projectDir }: { readonly reader: Reader; readonly project: string },
  id: AgentId,
  { env, admit }: Today,
  modelFor?: (config: Config) => RosterDeps["modelFor"],
): Promise<CastToday> {
  const { definition, model: newest, sources: kept, ...record } = await reader.record(id);
  const { brief, modules, actions, skills, mcp, workspace } = record;
  const said = { brief, modules, actions, skills, mcp, workspace };
  if (definition === undefined && newest !== undefined) {
    const advice = `legion prompt ${id} --at <number> shows what it was shown for a decision`;
    throw new LegionError("REFUSED", `${displayName(id)} was not made from a definition; ${advice}`);
  }
  const sources = { projectDir, env: { ...NOBODY, ...env }, flags: {} };
  const { config: settled } = await loadConfigAnyway(sources);
  const first = newest === undefined && (await firstModel({ ...sources, env }));
  const config = { ...settled, ...(first && { model: first }) };
  const agent = definition ?? config.agent;
  const others =
    isReference(agent) && kept
      ? new Map([[agent, ({ trust }: KnownPlace) => readReferred(kept, { projectDir, trust })]])
      : undefined;
  const places = { projectDir, packageDir, others };
  const cast = createCasting({ config, places, admit, modelFor: modelFor?.(config) });
  const sections = new Map(Object.entries(config.modules));
  return {
    config,
    planFor: async (model = newest) =>
      (await cast({ id, agent, ...said, modulesBy: "record", model, limits: {} })).plan,
    settings: (module) => sections.get(module) ?? {},
  };
}

/** That of whoever names none. */
async function firstModel(sources: Parameters<typeof loadConfigAnyway>[0]): Promise<string> {
  const { model, providers, environment } = (await loadConfigAnyway(sources)).config;
  return (await chooseModel(environment(), { config: model, providers })).name;
}
