// What the modules of an agent are told beside their sections of config.yaml: which skills it has and where they are, and that it may
// read there; which servers; by what rules of the project its model is asked, where rules direct it.

import type { Config } from "../../config/config.ts";
import type { Definition } from "../../config/definition.ts";
import { grantedRules, memoryPrompts } from "../../config/grants/memory-prompts.ts";
import { serverChoice } from "../../config/mcp/servers.ts";
import { trustedFolders } from "../../config/skills/folders.ts";
import type { AgentPlan } from "./agent-plan.ts";

interface SettingsPlace {
  readonly config: Pick<Config, "skills" | "trust">;
  readonly projectDir: string;
}

/** Of an agent with these modules. Rejects as `memoryPrompts`. */
export async function moduleSettings(
  definition: Definition,
  modules: readonly string[],
  { config, projectDir }: SettingsPlace,
): Promise<AgentPlan["settings"]> {
  const { director } = definition;
  return {
    ...(modules.includes("skills") ? skillSettings(definition, config) : {}),
    ...(director && {
      [director]: { prompts: grantedRules(await memoryPrompts(projectDir, config.trust)) },
    }),
    mcp: { ...serverChoice(definition) },
  };
}

function skillSettings(
  { skills: names = "all", preloaded }: Pick<Definition, "skills" | "preloaded">,
  { skills }: Pick<Config, "skills">,
): NonNullable<AgentPlan["settings"]> {
  const folders = trustedFolders(skills);
  return { skills: { folders, names, preloaded }, system: { readablePaths: folders } };
}
