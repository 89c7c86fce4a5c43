// What servers offer, as the log of an agent keeps it: known tools keep their place and their name, new ones come last.

import type { Effects, ParametersSchema } from "../../../src/domain/authoring/module.ts";
import { nameTool } from "./names.ts";
import { cleanSchema } from "./schema.ts";
import { cleanLine } from "./text.ts";

export interface OfferedTool {
  /** As mcp.json has it. */
  readonly server: string;
  /** As the server has it. */
  readonly tool: string;
  /** That of the action. */
  readonly name: string;
  readonly description: string;
  readonly schema: ParametersSchema;
  readonly effects: Effects;
}

export interface OfferedPrompt {
  readonly name: string;
  readonly description: string;
  /** Names of its arguments, with `?` behind those that may be left out. */
  readonly arguments: readonly string[];
}

export interface OfferedServer {
  readonly name: string;
  readonly hasResources: boolean;
  readonly prompts: readonly OfferedPrompt[];
  /** How many of its tools are not offered, because there are too many; `undefined`: none. */
  readonly left?: number;
  /** Tools and prompts that are not as they were when a person allowed the server; absent: none. */
  readonly withheld?: readonly WithheldTool[];
}

export interface WithheldTool {
  /** Its name; of a prompt with `prompt ` before it. */
  readonly tool: string;
  /** `denied`: a person does not want it, whatever it is. */
  readonly why: "new" | "changed" | "denied";
}

export interface Offer {
  /** In the order of mcp.json. */
  readonly servers: readonly OfferedServer[];
  readonly tools: readonly OfferedTool[];
}

/** A tool as a server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: unknown;
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly idempotentHint?: boolean };
}

/** What a server that answers has. */
export interface Listing {
  readonly tools: readonly ListedTool[];
  /** How many more there are, as far as that was looked at. */
  readonly left: number;
  readonly hasResources: boolean;
  readonly prompts: readonly OfferedPrompt[];
  /** Absent: none. */
  readonly withheld?: readonly WithheldTool[];
}

export interface Found {
  readonly name: string;
  /** Does the person take it at its word? */
  readonly isTrusted: boolean;
  /** `undefined`: it is away, and what is known of it stays. */
  readonly listing: Listing | undefined;
}

export interface Room {
  /** For the tools of all servers together. */
  readonly tokens: number;
  readonly count: (text: string) => number;
}

const MAX_DESCRIPTION = 4_000;
const MAX_TOOL_NAME = 256;
const NOTHING: Offer = { servers: [], tools: [] };

export function mergeOffers(known: Offer = NOTHING, found: readonly Found[], room: Room): Offer {
  const candidates = [...stillThere(known, found), ...added(known, found)];
  const taken = new Set(known.tools.map(({ name }) => name.toLowerCase()));
  const left = new Map(found.map(({ name, listing }) => [name, listing?.left ?? 0]));
  const tools: OfferedTool[] = [];
  let tokens = 0;
  for (const candidate of candidates) {
    const { server, tool } = candidate;
    const name = candidate.name ?? nameTool(server, tool, taken);
    const named = { ...candidate, name };
    const cost = room.count(JSON.stringify([name, named.description, named.schema]));
    if (tokens + cost > room.tokens) {
      left.set(server, left.get(server)! + 1);
      continue;
    }
    tokens += cost;
    taken.add(name.toLowerCase());
    tools.push(named);
  }
  const servers = found.flatMap(({ name, listing }) => {
    const before = known.servers.find((server) => server.name === name);
    if (!listing) return before ?? [];
    const { hasResources, prompts, withheld = [] } = listing;
    const more = left.get(name)!;
    return {
      name,
      hasResources,
      prompts,
      left: more > 0 ? more : undefined,
      withheld: withheld.length > 0 ? withheld : undefined,
    };
  });
  return { servers, tools };
}

type Candidate = Omit<OfferedTool, "name"> & { readonly name?: string };

/** Those that were known, as they are described now. */
function stillThere(known: Offer, found: readonly Found[]): readonly Candidate[] {
  const byServer = new Map(
    found.map((server) => [
      server.name,
      { server, tools: new Map(toolsOf(server).map((tool) => [tool.name, tool])) },
    ]),
  );
  return known.tools.flatMap((tool): readonly Candidate[] => {
    const now = byServer.get(tool.server);
    if (!now) return [];
    if (!now.server.listing) return [tool];
    const listed = now.tools.get(tool.tool);
    return listed ? [{ ...candidate(now.server, listed), name: tool.name }] : [];
  });
}

function added(known: Offer, found: readonly Found[]): readonly Candidate[] {
  const keyOf = (server: string, tool: string): string => JSON.stringify([server, tool]);
  const seen = new Set(known.tools.map(({ server, tool }) => keyOf(server, tool)));
  return found.flatMap((server) =>
    toolsOf(server).flatMap((tool) => {
      const key = keyOf(server.name, tool.name);
      if (seen.has(key)) return [];
      seen.add(key);
      return [candidate(server, tool)];
    }),
  );
}

function toolsOf({ listing }: Found): readonly ListedTool[] {
  return listing?.tools.filter(({ name }) => name !== "" && name.length <= MAX_TOOL_NAME) ?? [];
}

function candidate({ name: server, isTrusted }: Found, listed: ListedTool): Candidate {
  const { name: tool, description = "", inputSchema, annotations } = listed;
  return {
    server,
    tool,
    description: cleanLine(description, MAX_DESCRIPTION) || `The tool ${cleanLine(tool, 64)} of ${server}.`,
    schema: cleanSchema(inputSchema),
    effects: isTrusted && annotations ? hinted(annotations) : "once",
  };
}

function hinted({ readOnlyHint, idempotentHint }: NonNullable<ListedTool["annotations"]>): Effects {
  return readOnlyHint ? "reads" : idempotentHint ? "idempotent" : "once";
}
