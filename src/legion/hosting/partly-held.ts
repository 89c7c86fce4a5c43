import type { Definition } from "../../config/definition.ts";

const MAX_NAMED = 3;

/** One line about definitions, each with the name or path that it was found by, that say more than holds here; or none. */
export function partlyHeld(found: readonly (readonly [string, Definition])[]): readonly string[] {
  const partly = found.filter(([, { remarks = [] }]) => remarks.length > 0);
  const names = [...new Set(partly.map(([reference]) => reference))];
  if (names.length === 0) return [];
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return [
    `Not all holds that ${names.slice(0, MAX_NAMED).join(", ")}${more} say; \`legion agents\` lists it.`,
  ];
}
