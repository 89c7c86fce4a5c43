// What a definition is to a member of a team, which says some of it anew.

import { LegionError } from "../../base/errors.ts";
import { withFinders, type Definition, type Member } from "../../config/definition.ts";
import { heldSections, type ShownSections } from "../../config/mini/variables.ts";
import { withoutMark } from "../../config/skills/mark.ts";
import { isBuiltIn } from "../../config/module-loader.ts";
import type { Origin } from "./agent-plan.ts";
import { USUAL_MEMORY, type MemoryId } from "../../domain/memory/memory-id.ts";
import { enumerate } from "../../base/text/wording.ts";
import { displayName } from "../../domain/message/message.ts";

/** Of what is found for it, and of where it works. */
export function asMember(definition: Definition, { skills, mcp, memories, workspace }: Member): Definition {
  return {
    ...definition,
    skills: skills ?? definition.skills,
    mcp: mcp ?? definition.mcp,
    memories: memories ?? definition.memories,
    workspace: workspace ?? definition.workspace,
  };
}

/** What it says of its configuration, and its templates may name, is what came to hold. */
export function asHeld(definition: Definition, start: Parameters<typeof heldSections>[1]): Definition {
  const { sections: said, bash } = definition;
  if (!said || !bash) return definition;
  const sections = heldSections(said, start);
  const { agent, environment, model } = sections;
  return {
    ...definition,
    sections,
    bash: { ...bash, variables: { ...bash.variables, ...agent, ...environment, ...model } },
  };
}

export function originOf(
  { agent, brief, modules, actions, skills, mcp }: Member,
  { workspace = "project", sections, sources }: Definition,
): Origin {
  return {
    definition: agent,
    brief,
    modules,
    actions,
    skills,
    mcp,
    ...(workspace !== "project" && { workspace }),
    ...(sources && { sources }),
    configuration: sections && (JSON.parse(JSON.stringify(sections)) as ShownSections),
  };
}

/** Those that it reaches, the one that it writes to first. */
export function memoriesOf(
  { memories = [USUAL_MEMORY] }: Definition,
  modules: readonly string[],
): readonly MemoryId[] {
  return modules.includes("memory") || modules.includes("scribe") ? memories : [];
}

/** A mark that nothing will be put in place of is taken out. */
export function briefOf(brief: string, modules: readonly string[]): string {
  return modules.includes("skills") ? brief : withoutMark(brief);
}

/**
 * Anybody may have written a record: it names no code that the definition does not name. Throws CONFIG if it does, and for what does not
 * fit its protocol.
 */
export function modulesOf(
  { id, agent, modules, modulesBy, actions, skills, mcp, memories }: Member,
  definition: Definition,
): readonly string[] {
  const isStrange = (reference: string): boolean =>
    !isBuiltIn(reference) && !definition.modules.includes(reference);
  const strange = modulesBy === "record" ? modules?.find(isStrange) : undefined;
  if (strange === undefined) {
    const named = modules ?? definition.modules;
    // A scribe writes to memories, and is shown nothing of them.
    const shown = named.includes("scribe") ? undefined : memories;
    const all = withFinders(named, { skills, mcp, memories: shown });
    checkFit(definition, all, actions);
    return all;
  }
  const way = "`start --team` hosts it if a team says so";
  throw new LegionError(
    "CONFIG",
    `the record of ${displayName(id)} names the module ${JSON.stringify(strange)}, and ${agent} does not; ${way}`,
  );
}

/** Throws CONFIG where somebody has an agent be what only another protocol, or only this one, makes of it. */
function checkFit(
  { name, bash }: Definition,
  modules: readonly string[],
  narrowed: readonly string[] = [],
): void {
  const others = [...modules, ...narrowed].filter((one) => one !== "bash");
  const quoted = JSON.stringify(name);
  if (bash && others.length > 0)
    throw new LegionError(
      "CONFIG",
      `agent ${quoted} acts in bash alone (\`protocol: bash\`): leave out ${enumerate(others)}`,
    );
  if (!bash && modules.includes("bash"))
    throw new LegionError(
      "CONFIG",
      `agent ${quoted} has the module bash, which comes with \`protocol: bash\`; the module system runs commands for others`,
    );
}
