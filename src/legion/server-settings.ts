// What the module of MCP servers is told: which there are, and which of them a person allowed.

import type { Config } from "../config/config.ts";
import { serverGrant } from "../config/mcp.ts";
import type { PersonFolder } from "../storage/folder/person/folder.ts";
import { granted } from "../storage/folder/person/trust.ts";

/** `project`: real path. What the person says while the node runs counts as well. */
export function serverSettings(
  { modules }: Pick<Config, "modules">,
  project: string,
  person: PersonFolder,
): Readonly<Record<string, unknown>> {
  const { servers, trusted } = modules.mcp;
  return {
    servers,
    trusted,
    isAllowed: async (entry: Parameters<typeof serverGrant>[0]) => {
      const { what, value } = serverGrant(entry, trusted);
      return (await granted(person, project, what)) === value;
    },
  };
}
