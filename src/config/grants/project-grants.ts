// All that the files of a project would have, whatever a start hosts.

import { completeStartable } from "../code/startable.ts";
import type { Config } from "../config.ts";
import { findDefinition, findTeam, type Places } from "../definition.ts";
import { serverGrants } from "../mcp/servers.ts";
import { memoryPrompts } from "./memory-prompts.ts";
import { skillGrants } from "../skills/folders.ts";
import { findModuleFile, isFileReference, type Brought } from "../module-loader.ts";

/** What is wrong in a definition, a team or a prompt grants nothing, and is passed over. */
export async function grantsIn(
  {
    agent,
    grants,
    trust,
    skills,
    modules: sections,
  }: Pick<Config, "agent" | "grants" | "trust" | "skills" | "modules">,
  { projectDir, packageDir }: Places,
): Promise<Brought> {
  const places = { projectDir, packageDir, trust };
  const known = { definitions: [agent], teams: [], modules: [], programs: [] };
  const { definitions, teams, modules } = await completeStartable(known, places);
  const said = await Promise.all(
    [
      ...definitions.map(async (name) => [await findDefinition(name, places)]),
      ...teams.map((name) => findTeam(name, places)),
    ].map((found) => found.catch(() => [])),
  );
  const files = await Promise.all(
    modules.filter(isFileReference).map((path) => findModuleFile(path, projectDir).catch(() => undefined)),
  );
  const wanted = [
    ...grants,
    ...(await skillGrants(skills)),
    ...(await serverGrants(sections.mcp, trust)),
    ...(await memoryPrompts(projectDir, trust).catch(() => [])).map(({ wanted: prompt }) => prompt),
    ...said.flat().flatMap((one) => one.grants ?? []),
  ];
  return {
    modules: [...new Set(files.filter((file) => file !== undefined))],
    grants: [...new Map(wanted.map((one) => [one.what, one])).values()],
  };
}
