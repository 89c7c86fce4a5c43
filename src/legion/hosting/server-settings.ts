// What the module of MCP servers is told: which there are, and which of them a person allowed.

import type { Config } from "../../config/config.ts";
import { serverGrant, type GrantedEntry } from "../../config/mcp/servers.ts";
import { allowing } from "../../config/mcp/pins.ts";
import type { PersonFolder } from "../../storage/folder/person/folder.ts";
import { granted, pinsOf, pinTools, type ServerPins } from "../../storage/folder/person/trust.ts";

/** `project`: real path. What the person says while the node runs counts as well. */
export function serverSettings(
  { modules }: Pick<Config, "modules">,
  project: string,
  person: PersonFolder,
): Readonly<Record<string, unknown>> {
  const { mcp } = modules;
  const { servers, trusted, confinement } = mcp;
  const isAllowed = async (entry: GrantedEntry): Promise<boolean> => {
    const { what, value } = await serverGrant(entry, mcp);
    return (await granted(person, project, what)) === value;
  };
  return {
    servers,
    trusted,
    confinement,
    isAllowed,
    pinned: async (entry: GrantedEntry, now: ServerPins["tools"]) => {
      // It was taken back meanwhile, with what was pinned.
      if (!(await isAllowed(entry))) return [];
      const { name, hash } = entry;
      let pins = pinning(hash, now, await pinsOf(person, project, name));
      if (pins.isNew)
        await pinTools(
          person,
          { project, server: name },
          (before) => (pins = pinning(hash, now, before)).pins,
        );
      return pins.pins.tools;
    },
  };
}

/** What is pinned once the server told of its tools: all of them the first time, and then which are others. */
function pinning(entry: string, now: ServerPins["tools"], before: ServerPins | undefined) {
  if (before?.entry !== entry) return { pins: allowing(now, { entry, tool: "" }, before), isNew: true };
  const hashes = new Set(before.tools.map(({ hash }) => hash));
  const waiting = now.filter(({ hash }) => !hashes.has(hash));
  const isNew = JSON.stringify(waiting) !== JSON.stringify(before.waiting ?? []);
  return { pins: { ...before, waiting }, isNew };
}
