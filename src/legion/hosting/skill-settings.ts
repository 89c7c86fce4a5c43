// What the modules of an agent with skills are told: which it has and where they are, and that it may read there.

import type { Config } from "../../config/config.ts";
import type { Definition } from "../../config/definition.ts";
import { trustedFolders } from "../../config/skills/folders.ts";
import type { AgentPlan } from "./agent-plan.ts";

export function skillSettings(
  { skills: names = "all", preloaded }: Pick<Definition, "skills" | "preloaded">,
  { skills }: Pick<Config, "skills">,
): AgentPlan["settings"] {
  const folders = trustedFolders(skills);
  return { skills: { folders, names, preloaded }, system: { readablePaths: folders } };
}
