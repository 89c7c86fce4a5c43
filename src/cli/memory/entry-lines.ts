// What a memory holds, as people read it. All of it is somebody's words.

import { count } from "../../base/text/wording.ts";
import { excerptOf } from "../../domain/authoring/excerpt.ts";
import type { RememberedContext, RememberedEntry } from "../../domain/authoring/memories.ts";
import { displayName, isAgentId } from "../../domain/message/message.ts";
import { sourcesOf, type Taint } from "../../domain/message/taint.ts";
import { oneLine } from "../kit/output.ts";
import { momentOf } from "../kit/times.ts";

/** What is shown of a text where there are several. */
const MAX_TEXT = 300;

/** Its number, when and by whom it was said. */
export function entryHead({ seq, said, speaker, role, thread }: RememberedEntry): string {
  return `#${seq}  ${momentOf(said)}  ${speakerName(speaker)} (${role}, in ${oneLine(thread)})`;
}

/** Agents are called what they are called everywhere. */
export function speakerName(speaker: string): string {
  return isAgentId(speaker) || speaker === "0" ? displayName(speaker) : oneLine(speaker);
}

/** Two lines, and more if it is marked. Of a long text what it was found for by the words of `query`, or its beginning. */
export function entryLines(entry: RememberedEntry, query = ""): string {
  const text = oneLine(pieceOf(entry.raw, query));
  return [entryHead(entry), ...marksOf(entry).map(indented), indented(text || "(empty)"), ""].join("\n");
}

function pieceOf(raw: string, query: string): string {
  const { text, before, after } = excerptOf(raw, query, MAX_TEXT);
  const start = before > 0 ? `[... ${count(before, "character")}] ` : "";
  return `${start}${text}${after > 0 ? ` [... ${count(after, "character")} more]` : ""}`;
}

/** The whole of it. */
export function entryWhole(entry: RememberedEntry): string {
  const { raw, summary, summarised, tags, at, by } = entry;
  const named = Object.entries(tags).map(([name, value]) => oneLine(`${name}=${value}`));
  const whose = summarised === "model" ? "summary" : "summary, of its own words";
  return [
    entryHead(entry),
    `entered ${momentOf(at)} by ${displayName(by)}`,
    ...(named.length > 0 ? [`tags: ${named.join(", ")}`] : []),
    ...marksOf(entry),
    ...(oneLine(summary) === oneLine(raw) ? [] : [`${whose}: ${oneLine(summary)}`]),
    "",
    raw.trimEnd(),
  ].join("\n");
}

export function marksOf({ taint }: { readonly taint?: Taint }): readonly string[] {
  const sources = sourcesOf(taint);
  return sources.length > 0 ? [`(after words from outside: ${oneLine(sources.join(", "))})`] : [];
}

function indented(line: string): string {
  return `  ${line}`;
}

/** @param state what it is among the shards of its memory */
export function shardHead(
  { seq, at, by, content, taint }: RememberedContext,
  state: string,
  upTo: number,
): string {
  const made = upTo > 0 ? `, of the entries up to #${upTo}` : "";
  const head = `#${seq}  ${momentOf(at)}  context by ${displayName(by)}: ${state}${made}, ${count(content.length, "character")}`;
  return [head, ...marksOf({ taint })].join("\n");
}
