// What agents wrote, as a person may look at it: text and nothing else, with all that nobody would see written out.

import { showUnseen } from "../../src/base/text/unseen.ts";

/** Of any number of lines. */
export function shown(text: string): string {
  return text.replace(/\r\n?/g, "\n").replaceAll("\t", "    ").split("\n").map(showUnseen).join("\n");
}

/** On one line. */
export function oneLine(text: string): string {
  return showUnseen(text.slice(0, 4_000).replace(/\s+/g, " ").trim());
}

/** A value that an agent gave, as a person reads it. */
export function written(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}
