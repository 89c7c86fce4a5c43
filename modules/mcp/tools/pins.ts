// What a person allowed was a server with just these tools and prompts: others, and those that changed, are withheld.

import { createHash } from "node:crypto";
import type { Listing, ListedTool, OfferedPrompt, WithheldTool } from "./offer.ts";
import { cleanLine } from "./text.ts";

export interface PinnedTool {
  /** As the server has it, cut where it is far too long; of a prompt with `prompt ` before it. */
  readonly name: string;
  /** Of its name, description, schema and annotations; or `DENIED`. */
  readonly hash: string;
}

/** No tool has this hash: a person does not want it, whatever it is. */
export const DENIED = "denied";
const MAX_NAME = 256;

export function pinOf({ name, description, inputSchema, annotations }: ListedTool): PinnedTool {
  return { name: name.slice(0, MAX_NAME), hash: hashOf([name, description, inputSchema, annotations]) };
}

function pinOfPrompt(prompt: OfferedPrompt): PinnedTool {
  return { name: `prompt ${prompt.name}`, hash: hashOf({ prompt }) };
}

/** All that it tells of that reaches what agents are told. */
export function pinsIn({ tools, prompts }: Pick<Listing, "tools" | "prompts">): readonly PinnedTool[] {
  return [...tools.map(pinOf), ...prompts.map(pinOfPrompt)];
}

/** The listing without what is not pinned. */
export function withhold(listing: Listing, pinned: readonly PinnedTool[]): Listing {
  const hashes = new Map(pinned.map(({ name, hash }) => [name, hash]));
  const allowed = new Set(pinned.map(({ hash }) => hash));
  const withheld: WithheldTool[] = [];
  const isAllowed = ({ name, hash }: PinnedTool): boolean => {
    if (allowed.has(hash)) return true;
    const before = hashes.get(name);
    const why = before === undefined ? "new" : before === DENIED ? "denied" : "changed";
    withheld.push({ tool: cleanLine(name, MAX_NAME), why });
    return false;
  };
  const tools = listing.tools.filter((tool) => isAllowed(pinOf(tool)));
  const prompts = listing.prompts.filter((prompt) => isAllowed(pinOfPrompt(prompt)));
  return { ...listing, tools, prompts, withheld };
}

function hashOf(said: unknown): string {
  return createHash("sha256").update(JSON.stringify(said, inOrder)).digest("hex");
}

/** The same map is the same text, however its keys are ordered. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
