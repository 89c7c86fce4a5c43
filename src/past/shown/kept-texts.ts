// What a summary does not swallow: the texts that actions asked to keep, such as of skills, each once.

import { escapeHeaders } from "../../base/text/wording.ts";
import { estimateTokens } from "../../model/tokens/tokens.ts";

export interface KeptText {
  /** What it is, such as `skill pdf`. */
  readonly what: string;
  readonly text: string;
}

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
    if (size > room) continue;
    room -= size;
    kept.unshift(one);
  }
  return kept;
}

/** For the model, behind a summary; empty if there is nothing. */
export function keptText(kept: readonly KeptText[]): string {
  return kept.map(({ what, text }) => `\n\nKept whole (${what}):\n\n${escapeHeaders(text)}`).join("");
}
