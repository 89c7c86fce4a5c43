// What strangers wrote, as models and people may be shown it.

/** Controls, what reverses the direction of writing, tags, halves of characters. */
const CONTROLS = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** What has no width, fills a place with nothing, or only changes how a neighbour looks. */
const FILLERS =
  /\u034f|\u115f|\u1160|\u17b4|\u17b5|[\u180b-\u180f]|\u3164|[\ufe00-\ufe0f]|\uffa0|[\u{e0100}-\u{e01ef}]/gu;

function withoutUnseen(text: string): string {
  return text.replace(CONTROLS, "").replace(FILLERS, "");
}

/** On one line, at most `length` characters long. */
export function cleanLine(text: string, length: number): string {
  // Of what is far too long the rest is not looked at.
  const line = withoutUnseen(text.slice(0, length * 8).replace(/\s+/gu, " ")).trim();
  return line.length <= length ? line : `${line.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Several lines, without what nobody would see. */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?|\u2028|\u2029/g, "\n")
    .split("\n")
    .map((line) => withoutUnseen(line.replace(/\t/g, "    ")).trimEnd())
    .join("\n");
}

/** Lower-case letters, digits and single hyphens, at most `length`; empty if nothing of it is left. */
export function cleanName(text: string, length: number): string {
  const folded = cleanLine(text, length * 4)
    .normalize("NFKC")
    .toLowerCase();
  const name = folded.replace(/[^\p{L}\p{M}\p{N}]+/gu, "-").replace(/^-/, "");
  return [...name].slice(0, length).join("").replace(/-$/, "");
}
