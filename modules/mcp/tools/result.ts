// What a server answered -> the result of an action: its text between markers that nothing in it can imitate.

import type { ContentBlock, ReadResourceResult } from "@modelcontextprotocol/client";
import { fail, fromOutside, ok, type ActionResult } from "../../../src/domain/authoring/module.ts";
import { wrapOutside } from "../../../src/domain/authoring/outside.ts";
import { cleanLine } from "./text.ts";
import type { Host } from "../../../src/domain/authoring/host.ts";

export interface Answer {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** Structured content that is longer is kept beside the log. */
const MAX_DETAILS = 65_536;

/** Each may be a file. */
const MAX_BLOCKS = 1_000;

export async function toResult(
  server: string,
  answer: Answer,
  host: Pick<Host, "keep">,
): Promise<ActionResult> {
  const { content, structuredContent, isError } = answer;
  const parts: string[] = [];
  // One after the other: each may be large.
  for (const block of content.slice(0, MAX_BLOCKS)) parts.push(await showBlock(block, host));
  if (content.length > MAX_BLOCKS) parts.push(`(${content.length - MAX_BLOCKS} more parts are left out.)`);
  const structured = structuredContent === undefined ? undefined : JSON.stringify(structuredContent);
  if (structured !== undefined && !content.some(({ type }) => type === "text")) parts.push(structured);
  const text = parts.filter((part) => part !== "").join("\n\n") || "(It answered nothing.)";
  const isLong = structured !== undefined && structured.length > MAX_DETAILS;
  const details = isLong ? { kept: await host.keep(structured) } : structuredContent;
  const source = sourceOf(server);
  return fromOutside((isError ? fail : ok)(wrapOutside(source, text), details), source);
}

/** That it did not work, in words that may be the server's. */
export function failure(server: string, words: string): ActionResult {
  const source = sourceOf(server);
  return fromOutside(fail(wrapOutside(source, words)), source);
}

function sourceOf(server: string): string {
  return `MCP server ${server}`;
}

export async function showResource(
  server: string,
  { contents }: Pick<ReadResourceResult, "contents">,
  host: Pick<Host, "keep">,
): Promise<ActionResult> {
  const content = contents.map((resource): ContentBlock => ({ type: "resource", resource }));
  return toResult(server, { content }, host);
}

async function showBlock(block: ContentBlock, host: Pick<Host, "keep">): Promise<string> {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return keepBinary(block.type, block.mimeType, block.data, host);
    case "resource_link":
      return `Resource ${cleanLine(block.uri, 2_000)}: ${cleanLine(block.description ?? block.name, 500)}`;
    case "resource": {
      const { resource } = block;
      const head = `Resource ${cleanLine(resource.uri, 2_000)}`;
      if ("text" in resource) return `${head}:\n${resource.text}`;
      const type = resource.mimeType ?? "application/octet-stream";
      return `${head}: ${await keepBinary("file", type, resource.blob, host)}`;
    }
  }
}

async function keepBinary(
  what: string,
  type: string,
  base64: string,
  { keep }: Pick<Host, "keep">,
): Promise<string> {
  const bytes = Buffer.from(base64, "base64");
  return `(${what} ${cleanLine(type, 100)}, ${bytes.length} bytes, kept in ${await keep(bytes)})`;
}
