// What a person allowed was a server with just these tools: others, and those that changed, are withheld.

import { createHash } from "node:crypto";
import type { Listing, ListedTool, WithheldTool } from "./offer.ts";
import { cleanLine } from "./text.ts";

export interface PinnedTool {
  /** As the server has it, cut where it is far too long. */
  readonly name: string;
  /** Of its name, description, schema and annotations. */
  readonly hash: string;
}

const MAX_NAME = 256;

export function pinOf({ name, description, inputSchema, annotations }: ListedTool): PinnedTool {
  const said = JSON.stringify([name, description, inputSchema, annotations], inOrder);
  return { name: name.slice(0, MAX_NAME), hash: createHash("sha256").update(said).digest("hex") };
}

/** The listing without what is not pinned. */
export function withhold(listing: Listing, pinned: readonly PinnedTool[]): Listing {
  const hashes = new Set(pinned.map(({ hash }) => hash));
  const names = new Set(pinned.map(({ name }) => name));
  const withheld: WithheldTool[] = [];
  const tools = listing.tools.filter((tool) => {
    const { name, hash } = pinOf(tool);
    if (hashes.has(hash)) return true;
    withheld.push({ tool: cleanLine(name, MAX_NAME), why: names.has(name) ? "changed" : "new" });
    return false;
  });
  return { ...listing, tools, withheld };
}

/** The same map is the same text, however its keys are ordered. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
