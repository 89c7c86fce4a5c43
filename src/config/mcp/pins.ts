// What a person said of the tools and prompts of an MCP server, and what of them agents do without.

import { DENIED } from "../../../modules/mcp/tools/pins.ts";
import type { WithheldTool } from "../../../modules/mcp/tools/offer.ts";
import type { ServerPins } from "../../storage/folder/person/trust.ts";

type Pin = ServerPins["tools"][number];

export interface PinChoice {
  /** The hash of the server's entry. */
  readonly entry: string;
  /** Empty: all that it has. */
  readonly tool: string;
}

/** Agents may have it, as it is `now`. What the person denied by name stays denied until they allow it by name. */
export function allowing(
  now: readonly Pin[],
  { entry, tool }: PinChoice,
  before: ServerPins | undefined,
): ServerPins {
  const denied = before?.tools.filter(isDenied) ?? [];
  const known = before?.entry === entry ? before.tools : denied;
  const others = (pins: readonly Pin[], than: readonly string[]): readonly Pin[] =>
    pins.filter(({ name }) => !than.includes(name));
  const tools =
    tool === ""
      ? [
          ...others(
            now,
            denied.map(({ name }) => name),
          ),
          ...denied,
        ]
      : [...others(known, [tool]), ...now.filter(({ name }) => name === tool)];
  const hashes = new Set(tools.map(({ hash }) => hash));
  return { entry, tools, waiting: now.filter(({ hash }) => !hashes.has(hash)) };
}

/** Agents may not have it, whatever it becomes. */
export function denying({ entry, tools, waiting = [] }: ServerPins, tool: string): ServerPins {
  const own = tools.filter((pin) => pin.name === tool && !isDenied(pin));
  const others = tools.filter(({ name }) => name !== tool);
  return { entry, tools: [...others, { name: tool, hash: DENIED }], waiting: [...waiting, ...own] };
}

/** What of `now` agents do without, with why. */
export function withheldBy(
  { tools, waiting = [] }: ServerPins,
  now: readonly Pin[] = waiting,
): readonly WithheldTool[] {
  const hashes = new Set(tools.map(({ hash }) => hash));
  const others = now.filter(({ hash }) => !hashes.has(hash));
  return others.map(({ name: tool }) => {
    const pin = tools.find(({ name }) => name === tool);
    return { tool, why: !pin ? "new" : isDenied(pin) ? "denied" : "changed" };
  });
}

function isDenied({ hash }: Pin): boolean {
  return hash === DENIED;
}
