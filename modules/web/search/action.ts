import { z } from "zod";
import {
  defineAction,
  fail,
  fromOutside,
  ok,
  type ActionResult,
} from "../../../src/domain/authoring/module.ts";
import { wrapOutside } from "../../../src/domain/authoring/outside.ts";
import { readSettings } from "../settings.ts";
import { openSearch } from "./open.ts";
import { SearchError, type SearchHit, type SearchProvider } from "./provider.ts";
import type { Host } from "../../../src/domain/authoring/host.ts";

/** What all providers take. */
const MAX_QUERY = 400;

export const searchWeb = defineAction({
  description: "Search the web for pages: titles, addresses and excerpts of the 10 best",
  parameters: {
    query: z
      .string()
      .max(MAX_QUERY, `write at most ${MAX_QUERY} characters`)
      .refine((text) => text.trim() !== "", "say what to search for")
      .describe("What to search for, in a few words"),
  },
  effects: "reads",
  touches(_, host) {
    const provider = openSearch(readSettings(host.settings));
    return typeof provider === "string" ? [] : [{ kind: "net", url: provider.address, isChosen: true }];
  },
  aliases: ["searchString"],
  execute({ query }, host) {
    const provider = openSearch(readSettings(host.settings));
    const words = query.replace(/[\p{Cc}\s]+/gu, " ").trim();
    return typeof provider === "string" ? fail(provider) : search(provider, words, host);
  },
});

async function search(
  provider: SearchProvider,
  query: string,
  { node, signal }: Host,
): Promise<ActionResult> {
  try {
    const hits = await provider.search(query, { network: node.network, signal });
    if (hits.length === 0) return ok(`${provider.name} found nothing for "${query}". Try other words.`);
    const list = hits.map(describe).join("\n");
    const found = ok(wrapOutside(provider.name, `Search results for "${query}":\n\n${list}`));
    return { ...fromOutside(found, `search by ${provider.name}`), leads: hits.map(({ url }) => url) };
  } catch (error) {
    if (error instanceof SearchError) return fail(error.message, error.details);
    throw error;
  }
}

function describe({ title, url, snippet }: SearchHit, index: number): string {
  const name = title || new URL(url).host;
  const link = `[${name.replace(/[\\[\]]/g, "\\$&")}](${url.replace(/[()]/g, encodeParenthesis)})`;
  return `${index + 1}. ${link}${snippet && `\n   ${snippet}`}`;
}

/** The end of a link in Markdown. */
function encodeParenthesis(character: string): string {
  return character === "(" ? "%28" : "%29";
}
