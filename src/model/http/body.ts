// Request bodies are put together from JSON that was made once per turn, so that a prompt over thousands of turns costs
// a join and not a serialisation of the whole history. What is sent is what the SDK would have sent.

import { createHash } from "node:crypto";
import type { ToolSpec } from "../../domain/model.ts";

/** The JSON of `value`. Lone surrogates, for which providers refuse a whole request, become U+FFFD. */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes("\\ud")) return json;
  return json.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) => (found === "\\\\" ? found : "\\ufffd"));
}

export function jsonArray(items: readonly string[]): string {
  return `[${items.join(",")}]`;
}

/** An object of members that are JSON already, in this order; absent ones are left out, long ones not copied. */
export function jsonObject(members: Readonly<Record<string, string | undefined>>): string {
  let written = "";
  for (const [key, json] of Object.entries(members)) {
    if (json !== undefined) written += `${written && ","}${JSON.stringify(key)}:${json}`;
  }
  return `{${written}}`;
}

const ALLOWED = /^[a-zA-Z0-9_-]{1,64}$/;

/** A call id or tool name that both providers allow: the same one where they do, else a stand-in of its own. */
export function wireName(name: string): string {
  if (ALLOWED.test(name)) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 16);
  return `${name.slice(0, 40).replace(/[^a-zA-Z0-9_-]/g, "_")}_${hash}`;
}

export interface Toolset {
  readonly json: string;
  /** The tool's own name for the one that was sent. */
  nameOf(wire: string): string;
}

/** Writes tools in a provider's form, once per list. */
export function createToolsets(
  shape: (tool: ToolSpec, wire: string) => unknown,
): (tools: readonly ToolSpec[]) => Toolset {
  const written = new WeakMap<readonly ToolSpec[], Toolset>();
  return (tools) => {
    const known = written.get(tools);
    if (known) return known;
    const names = new Map(tools.map((tool) => [wireName(tool.name), tool.name]));
    const toolset: Toolset = {
      json: jsonArray(tools.map((tool) => toJson(shape(tool, wireName(tool.name))))),
      nameOf: (wire) => names.get(wire) ?? wire,
    };
    written.set(tools, toolset);
    return toolset;
  };
}
