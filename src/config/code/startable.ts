// Everything that some start of a project could make agents from, not only this one.

import { readdir, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { findDefinition, findTeam, type Member, type Places } from "../definition.ts";
import { CLAUDE_AGENTS, findClaudeAgents } from "../claude/files.ts";
import { PROJECT_SKILLS } from "../skills/folders.ts";
import { placesOf } from "./project-code.ts";
import { isInside, waysTo } from "../../base/files/project-file.ts";
import { createFileReader } from "../../storage/files/reader/reader.ts";
import type { AgentRecord } from "../../storage/contract/reader.ts";
import { findModuleFile, isFileReference } from "../module-loader.ts";

export interface Startable {
  /** Names or paths. */
  readonly definitions: readonly string[];
  readonly teams: readonly string[];
  /** As definitions and teams name them. */
  readonly modules: readonly string[];
  /** Guides of the project that are part of briefs; absent: none are known. */
  readonly guides?: readonly string[];
  /** Absolute paths. */
  readonly programs: readonly string[];
}

/**
 * What has a say in the code that the next start runs, whoever it hosts: paths relative to the project, of files and of
 * folders as a whole, also such that are not there yet. `known` is what the project's own folder does not tell. What is
 * wrong in a definition or a team runs nothing, and is passed over.
 */
export async function decisivePaths(
  known: Startable,
  { places, ownDir }: { readonly places: Places; readonly ownDir: string },
): Promise<readonly string[]> {
  const { projectDir } = places;
  const found = await completeStartable(known, places);
  const programs = found.programs.filter((path) => isInside(projectDir, path));
  const written = [...found.definitions, ...found.teams].filter((name) =>
    /^(?!~\/).*(?:[\\/]|\.(?:md|ya?ml)$)/.test(name),
  );
  const modules = found.modules.filter(isFileReference);
  const ways = await Promise.all(
    ["agents", CLAUDE_AGENTS, ...(found.guides ?? []), ...written, ...modules, ...programs].map((path) =>
      waysTo(projectDir, path),
    ),
  );
  const files = await Promise.all(
    modules.map((path) => findModuleFile(path, projectDir).catch(() => undefined)),
  );
  const brought = await placesOf(
    projectDir,
    files.filter((file) => file !== undefined),
  );
  // What the legion keeps is out of reach as a whole.
  const skills = (await Promise.all(PROJECT_SKILLS.map((path) => waysTo(projectDir, path)))).flat();
  const open = skills.filter((path) => !path.startsWith(".ai-legion"));
  const own = ownPaths(projectDir, await realpath(ownDir));
  return [...new Set([...ways.flat(), ...open, ...brought, ...own])];
}

/** What this program itself is started from, where that is the project: in a clone of it. */
function ownPaths(projectDir: string, ownDir: string): readonly string[] {
  if (!isInside(projectDir, ownDir)) return [];
  const way = relative(projectDir, ownDir);
  return way === "" ? OWN_PATHS : [way];
}

const OWN_PATHS = [
  "dist",
  "src",
  "modules",
  "scripts",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
];

/** `known`, and all that the project's own folder tells. */
export async function completeStartable(known: Startable, places: Places): Promise<Startable> {
  const files = (await readdir(join(places.projectDir, "agents")).catch((): string[] => [])).map(
    (file) => `agents/${file}`,
  );
  const recorded = await recordedIn(places.projectDir);
  const claude = await findClaudeAgents({ projectDir: places.projectDir });
  const teams = [...known.teams, ...files.filter((file) => /\.ya?ml$/.test(file))];
  const members = (
    await Promise.all(teams.map((team) => findTeam(team, places).catch((): Member[] => [])))
  ).flat();
  const definitions = new Set([
    ...known.definitions,
    ...recorded.definitions,
    ...files.filter((file) => file.endsWith(".md")),
    ...claude.map(({ shown }) => shown),
    ...members.map(({ agent }) => agent),
  ]);
  const inDefinitions = await Promise.all(
    [...definitions].map((name) => findDefinition(name, places).catch(() => undefined)),
  );
  const inAll = inDefinitions.flatMap((definition) => definition ?? []);
  const guides = new Set(inAll.flatMap((definition) => definition.guides ?? []));
  const named = [...inAll, ...members].flatMap(({ modules: list }) => list ?? []);
  const modules = new Set([...known.modules, ...recorded.modules, ...named]);
  return { ...known, definitions: [...definitions], teams, modules: [...modules], guides: [...guides] };
}

/** What agents were made from at their last start. */
async function recordedIn(projectDir: string): Promise<Pick<Startable, "definitions" | "modules">> {
  const reader = createFileReader(projectDir);
  const ids = await reader.known().catch(() => []);
  const records = await Promise.all(
    ids.map((id): Promise<AgentRecord> => reader.record(id).catch(() => ({}))),
  );
  return {
    definitions: records.flatMap(({ definition }) => definition ?? []),
    modules: records.flatMap(({ modules }) => modules ?? []),
  };
}
