// What a summary does not swallow: the texts that actions asked to keep, such as of skills, each once.

import { escapeHeaders } from "../../base/text/wording.ts";
import { estimateTokens } from "../../model/tokens/tokens.ts";

export interface KeptText {
  /** What it is, such as `skill pdf`. */
  readonly what: string;
  /** Empty: there was no room for it. */
  readonly text: string;
}

const MAX_NAMED = 20;

/** What `parts`, oldest first, keep in about `maxTokens`: the newest of each name, newer ones first where they do not all fit, and nothing that `others` show. */
export function keptOf(
  parts: readonly (readonly KeptText[])[],
  others: readonly (readonly KeptText[])[],
  maxTokens: number,
): readonly KeptText[] {
  const known = new Set(others.flat().map(({ what }) => what));
  const kept: KeptText[] = [];
  let room = maxTokens;
  for (const one of parts.flat().toReversed()) {
    if (known.has(one.what)) continue;
    known.add(one.what);
    const size = estimateTokens(one.text);
    const fits = size <= room;
    if (fits) room -= size;
    kept.unshift(fits ? one : { ...one, text: "" });
  }
  return kept;
}

/** For the model, behind a summary; empty if there is nothing. */
export function keptText(kept: readonly KeptText[]): string {
  const whole = kept.filter(({ text }) => text !== "");
  const left = kept.filter(({ text }) => text === "").map(({ what }) => what);
  const shown = whole.map(({ what, text }) => `\n\nKept whole (${what}):\n\n${escapeHeaders(text)}`).join("");
  return left.length === 0 ? shown : `${shown}\n\n${leftText(left)}`;
}

/** The newest are named. */
function leftText(left: readonly string[]): string {
  const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : "";
  const named = left.slice(-MAX_NAMED).join(", ");
  return `Not kept, for want of room: ${named}${more}. Read again what of it you still need.`;
}
