// A context without a model: what was there, and the beginnings of what was said since, under its heading.

import { extractSummary } from "../extract.ts";
import { CUT_TO, cutContext } from "./cut-context.ts";
import type { Material } from "./material.ts";

const MAX_LINE = 160;
const HEADING = "# Timeline";

/** The newest lines stay where there is no room for all. */
export function extractContext({ context, entries }: Pick<Material, "context" | "entries">): string {
  const at = context.indexOf(HEADING);
  const before = (at === -1 ? context : context.slice(0, at)).trim();
  const known =
    at === -1
      ? []
      : context
          .slice(at + HEADING.length)
          .trim()
          .split("\n")
          .filter(Boolean);
  const lines = [...known, ...entries.map(lineOf)];
  const head = before === "" ? HEADING : `${cutContext(before, CUT_TO / 2)}\n\n${HEADING}`;
  let length = head.length;
  const kept: string[] = [];
  for (const line of lines.toReversed()) {
    length += line.length + 1;
    if (length > CUT_TO) break;
    kept.unshift(line);
  }
  return [head, ...kept].join("\n");
}

function lineOf({ said, speaker, raw }: Material["entries"][number]): string {
  const text = extractSummary(raw);
  const short =
    text.length > MAX_LINE ? `${text.slice(0, MAX_LINE - 2).replace(/[\ud800-\udbff]$/, "")} …` : text;
  return `- ${said.slice(0, 10)} ${speaker === "0" ? "Control" : speaker}: ${short}`;
}
