// Text that would mean something else in Markdown. Only where it would: a reader that is a model reads `snake_case` as it is.

const LINE_START = /^(?:#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|~~~|```|={3,}\s*$|-{3,}\s*$|\*{3,}\s*$|_{3,}\s*$)/;
const NUMBERED = /^(\d{1,9})([.)])(?=\s|$)/;

/** `text` as the beginning of a line that is no heading, list, quote, rule or code block. */
export function escapeLineStart(text: string): string {
  return text.replace(LINE_START, "\\$&").replace(NUMBERED, "$1\\$2");
}

/** `text` anywhere: what reads like a link is none. */
export function escapeText(text: string): string {
  return text.replace(/\](?=\()/g, "\\]");
}

/** An address for `(…)`: without spaces, and with every bracket paired. */
export function escapeTarget(url: string): string {
  let depth = 0;
  let isPaired = true;
  for (const character of url) {
    if (character === "(") depth++;
    if (character === ")") isPaired &&= --depth >= 0;
  }
  const target = isPaired && depth === 0 ? url : url.replaceAll("(", "%28").replaceAll(")", "%29");
  return target.replace(/\s/g, "%20").replaceAll("<", "%3C").replaceAll(">", "%3E");
}
