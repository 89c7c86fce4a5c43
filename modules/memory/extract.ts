// A summary without a model: the beginning of the text, as far as whole sentences fit.

const MAX_SUMMARY = 512;
const LEAST = 80;

/** At most 512 characters on one line; empty for a text of blanks. */
export function extractSummary(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= MAX_SUMMARY) return line;
  const start = line.slice(0, MAX_SUMMARY);
  const sentence = Math.max(...[". ", "! ", "? ", "。", "！", "？"].map((end) => start.lastIndexOf(end)));
  if (sentence >= LEAST) return start.slice(0, sentence + 1);
  const word = start.lastIndexOf(" ", MAX_SUMMARY - 2);
  // Not in the middle of a character.
  const cut =
    word >= LEAST ? start.slice(0, word) : start.slice(0, MAX_SUMMARY - 2).replace(/[\ud800-\udbff]$/, "");
  return `${cut} …`;
}
