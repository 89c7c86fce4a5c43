import { setImmediate as others } from "node:timers/promises";

/** How much of a text one result shows. */
export const MAX_LINES = 2_000;
export const MAX_BYTES = 50 * 1024;

export const NEWLINE = 10;

// Colours, cursor movements, window titles (CSI, OSC, DCS and their kin) and the two-character sequences. Each part
// stops at the next escape character, so that no input makes it read the same text twice.
const ESCAPE_SEQUENCES =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[ -/]*[0-~])/g;
/**
 * What could change how the rest is shown, is no text or is seen by nobody but a model: control characters, halves of
 * characters, odd line ends, marks of direction, zero-width and filling characters, tags, most variation selectors.
 */
const UNPRINTABLE = new RegExp(
  [
    "(?![\\n\\t])[\\p{Cc}\\p{Cs}\\u2028\\u2029]",
    "[\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f]",
    "[\\u3164\\ufe00-\\ufe0d\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}]|(?!^)\\ufeff",
    // Joiners belong to the spelling of some scripts and to emoji.
    "(?<![\\p{Script=Arabic}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}" +
      "\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}" +
      "\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])[\\u200c\\u200d]",
  ].join("|"),
  "gu",
);

/** `text` without what terminals act on; line ends are `\n`. Others have their turns meanwhile where it is long. */
export async function withoutEscapes(text: string): Promise<string> {
  let shown = "";
  for (const part of partsOf(text.replace(ESCAPE_SEQUENCES, ""))) {
    if (shown !== "") await others();
    shown += printable(part);
  }
  return shown;
}

const PART = 262_144;

/** In parts that are printable each by itself: none begins with what is told by what stands before it. */
function* partsOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    let to = from + PART;
    while (
      to < text.length &&
      /^(?:\r\n|.(?:\u200c|\u200d|\ufeff|[\udc00-\udfff]))$/s.test(text.slice(to - 1, to + 1))
    )
      to++;
    yield text.slice(from, to);
    from = to;
  }
}

/** `text` with line ends as `\n` and every other unprintable character spelt out, such as `\x07` or `\u{e0041}`. */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(UNPRINTABLE, spell);
}

/** The same of one line, without its end: it stays one. */
export function printableLine(line: string): string {
  return printable(line.replace(/\r$/, "")).replaceAll("\n", "\\x0d");
}

/** A name that could be taken for more than one line or hides something is shown quoted. */
export function shownName(name: string): string {
  const shown = printable(name);
  return shown === name && !/[\n\t]/.test(name) ? name : JSON.stringify(shown);
}

function spell(character: string): string {
  const code = character.codePointAt(0)!.toString(16);
  if (code.length > 4) return `\\u{${code}}`;
  return code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`;
}

/** The last lines of `text` that may be shown, and how many lines before them are left out, a cut one counted. */
export function lastLines(text: string): { readonly shown: string; readonly omittedLines: number } {
  const bytes = Buffer.from(text);
  const start = startOfLines(bytes, startOfBytes(bytes));
  const omitted = bytes.subarray(0, start);
  const isCut = start > 0 && omitted.at(-1) !== NEWLINE;
  return {
    shown: bytes.subarray(start).toString("utf8"),
    omittedLines: countNewlines(omitted) + (isCut ? 1 : 0),
  };
}

/** Where the last MAX_BYTES begin: at a line if one begins there, else at a character. */
function startOfBytes(bytes: Buffer): number {
  let start = Math.max(0, bytes.length - MAX_BYTES);
  if (start === 0 || bytes[start - 1] === NEWLINE) return start;
  const line = bytes.indexOf(NEWLINE, start) + 1;
  if (line > 0 && line < bytes.length) return line;
  while (isInsideCharacter(bytes[start])) start++;
  return start;
}

/** Where the last MAX_LINES begin, not before `start`. */
function startOfLines(bytes: Buffer, start: number): number {
  // The newline that ends the text ends its last line; it begins none.
  let end = bytes.at(-1) === NEWLINE ? bytes.length - 1 : bytes.length;
  for (let lines = 0; lines < MAX_LINES; lines++) {
    if (end <= start) return start;
    end = bytes.lastIndexOf(NEWLINE, end - 1);
  }
  return Math.max(start, end + 1);
}

/** `1 line`, `2 lines`. */
export function linesOf(lines: number): string {
  return lines === 1 ? "1 line" : `${lines} lines`;
}

/** `1 byte`, `2 bytes`. */
export function bytesOf(bytes: number): string {
  return bytes === 1 ? "1 byte" : `${bytes} bytes`;
}

export function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

/** UTF-8: true for every byte of a character but its first. */
export function isInsideCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
