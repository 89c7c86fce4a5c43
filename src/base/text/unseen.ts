/** Controls, what reverses the direction of writing, line ends, halves of characters, and what is not assigned. */
const CONTROLS = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** What has no width, fills a place with nothing, or only changes how a neighbour looks. */
const FILLERS = new RegExp(
  "\\u00a0|\\u034f|\\u115f|\\u1160|\\u17b4|\\u17b5|[\\u180b-\\u180f]|\\u3164|[\\ufe00-\\ufe0f]|\\uffa0|[\\u{e0100}-\\u{e01ef}]",
  "gu",
);

/** One line of text with all that nobody would see written out, such as `\u{202e}`. */
export function showUnseen(line: string): string {
  const writtenOut = (unseen: string): string => `\\u{${unseen.codePointAt(0)!.toString(16)}}`;
  return line.replace(CONTROLS, writtenOut).replace(FILLERS, writtenOut);
}
