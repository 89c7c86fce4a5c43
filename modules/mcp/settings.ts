// What the runtime settled for this module, and which servers a person allowed.

import { z } from "zod";
import type { Host } from "../../src/domain/authoring/host.ts";
import type { ConfinementSettings } from "./config/confinement.ts";
import type { Entry, ServerChoice } from "./config/entry.ts";
import type { ServersFound } from "./config/read.ts";
import type { PinnedTool } from "./tools/pins.ts";

const callable = <Called>() => z.custom<Called>((value) => typeof value === "function");

type NamedEntry = Pick<Entry, "name" | "hash" | "way" | "project">;

const settings = z.object({
  /** Those that the project names, allowed or not. */
  servers: callable<() => Promise<ServersFound>>(),
  /** Of which the agent has these; absent: all. */
  names: z.union([z.literal("all"), z.array(z.string())]).optional(),
  /** Of the agent, where servers of its own may stand; absent: none do. */
  file: z.string().optional(),
  /** Names of servers that are taken at their word where they are allowed. */
  trusted: z.array(z.string()),
  /** Where they run, and what they reach. */
  confinement: z.custom<ConfinementSettings>((value) => typeof value === "object"),
  /** Did a person allow just this entry, in this project, and to run where it does? */
  isAllowed: callable<(entry: NamedEntry) => Promise<boolean>>(),
  /** The tools and prompts that the entry had when a person allowed it: `now`, where it is the first time that it tells them. */
  pinned: callable<(entry: NamedEntry, now: readonly PinnedTool[]) => Promise<readonly PinnedTool[]>>(),
});

/** Asked for with each call. */
const choice = settings.pick({ names: true, file: true });

export type McpSettings = z.output<typeof settings>;

/** Throws if they are not there. */
export function readSettings(given: Host["settings"]): McpSettings {
  return settings.parse(given);
}

/** Which servers an agent has, and where its programs run. */
export interface Asking {
  readonly choice: ServerChoice;
  readonly programs: Host["programs"];
}

/** Of one agent. Throws as `readSettings` does. */
export function askingFor({ settings: given, programs }: Pick<Host, "settings" | "programs">): Asking {
  const { names = "all", file } = choice.parse(given);
  return { choice: { names, file }, programs };
}

/** Why the server is not started, and what would allow it. */
export function refusal({ name, place }: Entry): string {
  return `The MCP server ${name} (${place}) is not allowed to start; a person may allow it: legion mcp allow ${JSON.stringify(name)}`;
}
