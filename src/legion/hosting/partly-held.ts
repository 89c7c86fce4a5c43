import type { Definition } from "../../config/definition.ts";
import type { Config } from "../../config/config.ts";
import { nameableFor, strangeServers, strangeSkills, wrongServers } from "../../config/named.ts";

const MAX_NAMED = 3;

/** A definition with the name or path that it was found by. */
type NamedDefinition = readonly [string, Definition];

/** One line for each of the first that name skills or servers that there are not, and for what is wrong with entries of servers. */
export async function withoutNamed(
  found: readonly NamedDefinition[],
  config: Pick<Config, "skills" | "modules">,
): Promise<readonly string[]> {
  const definitions = found.map(([, definition]) => definition);
  const nameable = await nameableFor(definitions, config);
  const strange = found.flatMap(([reference, definition]) =>
    [strangeSkills(definition, nameable), strangeServers(definition, nameable)].flatMap((line) =>
      line === undefined ? [] : [`${reference}: ${line}`],
    ),
  );
  return [
    ...bounded(strange, "more name what there is not; `legion agents` lists it."),
    ...bounded(wrongServers(definitions, nameable), "more MCP servers are wrong; `legion mcp` lists them."),
  ];
}

function bounded(lines: readonly string[], more: string): readonly string[] {
  const each = [...new Set(lines)];
  const left = each.length - MAX_NAMED;
  return [...each.slice(0, MAX_NAMED), ...(left > 0 ? [`${left} ${more}`] : [])];
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
