import type { Definition } from "../../config/definition.ts";
import { knownSkills, namedSkills, strangeSkills, type SkillFolder } from "../../config/skills/folders.ts";

const MAX_NAMED = 3;

/** A definition with the name or path that it was found by. */
type NamedDefinition = readonly [string, Definition];

/** One line for each of the first that name skills that there are not. */
export async function withoutSkills(
  found: readonly NamedDefinition[],
  folders: readonly SkillFolder[],
): Promise<readonly string[]> {
  if (found.every(([, definition]) => namedSkills(definition).length === 0)) return [];
  const known = await knownSkills(folders);
  const lines = new Set(
    found.flatMap(([reference, definition]) => {
      const strange = strangeSkills(namedSkills(definition), known);
      return strange === undefined ? [] : [`${reference}: ${strange}`];
    }),
  );
  const more =
    lines.size > MAX_NAMED ? [`${lines.size - MAX_NAMED} more name skills that there are not.`] : [];
  return [...[...lines].slice(0, MAX_NAMED), ...more];
}

/** One line about definitions that say more than holds here; or none. */
export function partlyHeld(found: readonly NamedDefinition[]): readonly string[] {
  const partly = found.filter(([, { remarks = [] }]) => remarks.length > 0);
  const names = [...new Set(partly.map(([reference]) => reference))];
  if (names.length === 0) return [];
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return [
    `Not all holds that ${names.slice(0, MAX_NAMED).join(", ")}${more} ${names.length === 1 ? "says" : "say"}; \`legion agents\` lists it.`,
  ];
}
