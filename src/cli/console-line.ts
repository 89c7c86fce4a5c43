// What a line typed at the console means.

import type { AgentId } from "../message.ts";

export type ConsoleLine =
  | { readonly kind: "nothing" }
  | { readonly kind: "command"; readonly argv: readonly string[] }
  | { readonly kind: "say"; readonly targets: readonly AgentId[] | "all"; readonly text: string };

/** `2: text`, `2,3: text`, `all: text`, `/command`, or a text for all: a colon counts only behind known ids. */
export function readConsoleLine(line: string, known: readonly AgentId[]): ConsoleLine {
  const typed = line.trim();
  if (typed === "") return { kind: "nothing" };
  if (typed.startsWith("/")) return { kind: "command", argv: splitWords(typed.slice(1)) };
  const colon = typed.indexOf(":");
  const ids = typed
    .slice(0, Math.max(0, colon))
    .split(",")
    .map((id) => id.trim());
  if (colon < 0 || !ids.every((id) => id === "all" || known.includes(id))) {
    return { kind: "say", targets: "all", text: typed };
  }
  const text = typed.slice(colon + 1).trim();
  if (text === "") return { kind: "nothing" };
  return { kind: "say", targets: ids.includes("all") ? "all" : [...new Set(ids)], text };
}

/** Words as a shell would see them, with '...' and "..." around what has spaces in it. */
function splitWords(text: string): string[] {
  const words = text.match(/(?:"[^"]*"|'[^']*'|[^\s"']|["'])+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
