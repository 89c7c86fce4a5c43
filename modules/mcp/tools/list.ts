// All that a server that answers has to offer, within bounds.

import type { Client } from "@modelcontextprotocol/client";
import type { Listing, ListedTool, OfferedPrompt } from "./offer.ts";
import { canTellInHeaders } from "./param-headers.ts";
import { cleanLine } from "./text.ts";

const MAX_TOOLS = 128;
const MAX_PAGES = 64;
const MAX_PROMPTS = 32;
const MAX_TEXT = 200;

/** Rejects with what the server says, or where a page takes longer than `timeout` milliseconds. */
export async function listOffers(client: Client, timeout: number): Promise<Listing> {
  const has = client.getServerCapabilities() ?? {};
  const [tools, prompts] = await Promise.all([
    has.tools ? listTools(client, timeout) : { tools: [], left: 0 },
    has.prompts ? listPrompts(client, timeout) : [],
  ]);
  return { ...tools, hasResources: has.resources !== undefined, prompts };
}

async function listTools(client: Client, timeout: number): Promise<Pick<Listing, "tools" | "left">> {
  const tools: ListedTool[] = [];
  // Over HTTP, and where the protocol has it.
  const isToldInHeaders =
    client.getProtocolEra() === "modern" && client.transport?.hasPerRequestStream === true;
  let seen = 0;
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: "tools/list", params }, { timeout });
    const usable = listed.tools.filter(
      ({ inputSchema }) => !isToldInHeaders || canTellInHeaders(inputSchema),
    );
    tools.push(...usable.slice(0, MAX_TOOLS - tools.length));
    seen += listed.tools.length;
    cursor = listed.nextCursor;
    if (cursor === undefined) return { tools, left: seen - tools.length };
  }
  // How many the pages hold that were not asked for is not known.
  return { tools, left: seen - tools.length + 1 };
}

async function listPrompts(client: Client, timeout: number): Promise<readonly OfferedPrompt[]> {
  const { prompts } = await client.request({ method: "prompts/list", params: {} }, { timeout });
  return prompts.slice(0, MAX_PROMPTS).map((prompt) => ({
    name: cleanLine(prompt.name, MAX_TEXT),
    description: cleanLine(prompt.description ?? "", MAX_TEXT),
    arguments: (prompt.arguments ?? [])
      .slice(0, MAX_PROMPTS)
      .map(({ name, required }) => cleanLine(name, MAX_TEXT) + (required ? "" : "?")),
  }));
}
