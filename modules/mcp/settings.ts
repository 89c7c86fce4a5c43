// What the runtime settled for this module, and which servers a person allowed.

import { z } from "zod";
import type { Host } from "../../src/domain/authoring/host.ts";
import type { Entry, Variables } from "./config/entry.ts";

const settings = z.object({
  /** Absolute real path. */
  project: z.string(),
  /** A function, so that no listing of the settings shows them. */
  variables: z.custom<() => Variables>((value) => typeof value === "function"),
  /** What the person's own file allows: `name@hash`. */
  allow: z.array(z.string()),
  /** Names of servers that the person takes at their word. */
  trusted: z.array(z.string()),
  /** For people: where that file is. */
  place: z.string(),
});

export type McpSettings = Omit<z.output<typeof settings>, "variables"> & { readonly variables: Variables };

/** Throws if they are not there. */
export function readSettings(given: Host["settings"]): McpSettings {
  const { variables, ...rest } = settings.parse(given);
  return { ...rest, variables: variables() };
}

/** What a person writes to allow just this entry. */
export function grantFor({ name, hash }: Pick<Entry, "name" | "hash">): string {
  return `${name}@${hash}`;
}

/** Why the server may not be started, and what would allow it; `undefined` if it may. */
export function permission(
  entry: Entry,
  { allow, place: file }: Pick<McpSettings, "allow" | "place">,
): string | undefined {
  const grant = grantFor(entry);
  if (allow.includes(grant)) return undefined;
  const { name, place } = entry;
  return `The MCP server ${name} (${place}) is not allowed to start; a person may write mcp: { allow: ["${grant}"] } in ${file}.`;
}
