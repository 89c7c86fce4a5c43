// What definitions name of skills and MCP servers, and which of it there is.

import { hasServer } from "../../modules/mcp/config/entry.ts";
import { SERVER_FILES } from "../../modules/mcp/config/files.ts";
import type { ServersFound } from "../../modules/mcp/config/read.ts";
import { nearest } from "../base/text/nearest.ts";
import type { Config } from "./config.ts";
import type { Definition } from "./definition.ts";
import { serverChoice } from "./mcp/servers.ts";
import { knownSkills } from "./skills/folders.ts";

type Naming = Pick<Definition, "modules" | "skills" | "preloaded" | "mcp" | "file">;

/** What there is to be named. */
export interface Nameable {
  /** Names, whether or not a person trusted them. */
  readonly skills: readonly string[];
  readonly servers: ServersFound;
}

const MAX_STRANGE = 5;
const MAX_KNOWN = 20;

/** Looks only for what one of `definitions` names, or has. */
export async function nameableFor(
  definitions: readonly Naming[],
  { skills, modules }: Pick<Config, "skills" | "modules">,
): Promise<Nameable> {
  const namesSkills = definitions.some((definition) => skillsNamed(definition).length > 0);
  return {
    skills: namesSkills ? await knownSkills(skills) : [],
    servers: definitions.some(hasServers)
      ? await modules.mcp.servers()
      : { entries: [], names: [], problems: [] },
  };
}

function hasServers({ modules, mcp }: Naming): boolean {
  return mcp !== undefined || modules.includes("mcp");
}

/** For people, a line each: what is wrong with entries that agents of `definitions` would have otherwise. */
export function wrongServers(
  definitions: readonly Naming[],
  { servers: { problems } }: Pick<Nameable, "servers">,
): readonly string[] {
  const own = definitions.filter(hasServers).map(({ file }) => file);
  const files = [...(own.length > 0 ? SERVER_FILES : []), ...own.flatMap((file) => file ?? [])];
  return problems.filter((problem) => files.some((file) => problem.startsWith(`${file}:`)));
}

/** For people, in one line: which skills it names that there are not; `undefined`: there are all. */
export function strangeSkills(definition: Naming, { skills }: Pick<Nameable, "skills">): string | undefined {
  return strange("skills", skillsNamed(definition), skills);
}

/** The same of MCP servers; one that is disabled is there, and one of another agent alone is not. */
export function strangeServers(
  definition: Naming,
  { servers: { entries, names } }: Pick<Nameable, "servers">,
): string | undefined {
  const { file } = serverChoice(definition);
  const others = new Set(
    entries.filter((entry) => !hasServer({ names: "all", file }, entry)).map(({ name }) => name),
  );
  return strange(
    "mcp",
    serversNamed(definition),
    names.filter((name) => !others.has(name)),
  );
}

/** Each once; empty: it names none, or all that there are. */
function skillsNamed({ skills = [], preloaded = [] }: Naming): readonly string[] {
  return [...new Set([...(skills === "all" ? [] : skills), ...preloaded])];
}

function serversNamed({ mcp = "all" }: Naming): readonly string[] {
  return mcp === "all" ? [] : mcp;
}

function strange(key: string, names: readonly string[], known: readonly string[]): string | undefined {
  const others = names.filter((name) => !known.includes(name));
  const [first] = others;
  if (first === undefined) return undefined;
  const named = others.slice(0, MAX_STRANGE).map((name) => JSON.stringify(name.slice(0, 80)));
  const more = others.length > MAX_STRANGE ? [`${others.length - MAX_STRANGE} more`] : [];
  const [meant] = others.length === 1 ? nearest(first, known) : [];
  const rest = known.length > MAX_KNOWN ? ` and ${known.length - MAX_KNOWN} more` : "";
  const listed = `there are ${known.slice(0, MAX_KNOWN).join(", ") || "none"}${rest}`;
  return `${key}: there is no ${[...named, ...more].join(", ")}; ${meant ? `did you mean "${meant}"?` : listed}`;
}
