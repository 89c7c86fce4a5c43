// Text for terminals: made harmless, measured, broken into rows, coloured.

import { inspect } from "node:util";
import type { Variables } from "../../base/process/variables.ts";

// Colours, cursor movements, window titles (CSI, OSC, DCS and their kin) and the two-character sequences. Each part
// stops at the next escape character, so that no input makes it read the same text twice.
const ESCAPE_SEQUENCES =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[ -/]*[0-~])/g;
/** What else could change how the rest is shown: control characters, marks that reverse the direction, half characters. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** What a person does not see and a model reads: characters without width that belong to no spelling, fillers, tags. */
const UNSEEN =
  /\u034f|[\u115f\u1160\u180b-\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]|[\ufe00-\ufe0d]/gu;

/** `text` without anything that a terminal acts on, and unseen characters spelt out; only line ends are left, as `\n`. */
export function plain(text: string): string {
  return text
    .replace(ESCAPE_SEQUENCES, "")
    .replace(/\r\n?/g, "\n")
    .replaceAll("\t", "    ")
    .replace(UNPRINTABLE, "")
    .replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

const HIDDEN = new RegExp(`[\\n\\u034f]|${UNPRINTABLE.source}|${UNSEEN.source}`, "gu");
const MAX_SPELT = 2_000;

/**
 * What a person decides about, on one line: nothing of it is taken away, and what a terminal would act on or not show is
 * spelt out. Of what is too long to read the length is told.
 */
export function spelt(text: string): string {
  const shown = text.length > MAX_SPELT ? `${text.slice(0, MAX_SPELT)}... (${text.length} characters)` : text;
  return shown.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

const ZERO_WIDTH = /^[\p{M}\p{Cf}]$/u;
/** East Asian wide characters and emoji. */
const DOUBLE_WIDTH =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]$/u;

/** How many columns `text` takes; right for what terminals agree on. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += widthOf(character);
  return columns;
}

function widthOf(character: string): 0 | 1 | 2 {
  if (character < "\u0300") return 1;
  if (ZERO_WIDTH.test(character)) return 0;
  return DOUBLE_WIDTH.test(character) ? 2 : 1;
}

/**
 * The first row of a line that is broken at a space to fit into `columns`, and what is left of the line; nothing is left
 * of a line that fits. A word longer than a row is cut.
 */
export function takeRow(line: string, columns: number): { readonly row: string; readonly rest: string } {
  let used = 0;
  let end = 0;
  let space = -1;
  let isIndentation = true;
  for (const character of line) {
    used += widthOf(character);
    if (character !== " ") isIndentation = false;
    else if (!isIndentation) space = end;
    if (used > columns && end > 0) {
      const cut = space > 0 ? space : end;
      return { row: withoutLastSpaces(line.slice(0, cut)), rest: line.slice(cut).replace(/^ +/, "") };
    }
    end += character.length;
  }
  return { row: withoutLastSpaces(line), rest: "" };
}

/** Only U+0020 goes: every other white space is part of the text, as no-break spaces are. */
function withoutLastSpaces(row: string): string {
  let end = row.length;
  while (row[end - 1] === " ") end--;
  return row.slice(0, end);
}

/** A text without line ends, in rows. */
export function wrap(text: string, columns: number): readonly string[] {
  return breakLine(plain(text).replace(/\s+/g, " ").trim(), columns);
}

/** A line in rows, all of them under its indentation. */
export function breakLine(line: string, columns: number): readonly string[] {
  const indent = /^ */.exec(line)![0].slice(0, Math.floor(columns / 2));
  const taken = takeRow(line, columns);
  const rows = [taken.row];
  for (let rest = taken.rest; rest !== "";) {
    const next = takeRow(indent + rest, columns);
    rows.push(next.row);
    rest = next.rest;
  }
  return rows;
}

/** Whole rows, those that are too long broken; JSON and what has colours stays as it is. */
export function fitRows(rows: string, columns: number): string {
  if (columns === Infinity) return rows;
  const isFixed = (row: string): boolean => row.startsWith("{") || plain(row) !== row;
  return rows
    .split("\n")
    .flatMap((row) => (isFixed(row) ? [row] : breakLine(row, columns)))
    .join("\n");
}

/** Cuts one line so that it fits, with a mark where something is missing. */
export function clip(line: string, columns: number): string {
  const cut = cutAt(line, columns);
  return cut === line ? line : `${cutAt(line, columns - 1)}…`;
}

function cutAt(line: string, columns: number): string {
  let used = 0;
  let end = 0;
  for (const character of line) {
    used += widthOf(character);
    if (used > columns) break;
    end += character.length;
  }
  return line.slice(0, end);
}

export type Look = "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

/** Colours a text; without colours, gives it back as it is. */
export type Paint = (look: Look, text: string) => string;

/** Colours on a terminal only; NO_COLOR and FORCE_COLOR are heeded. */
export function paintFor(stream: { readonly isTTY?: boolean }, env: Variables): Paint {
  if (!wantsColors(stream, env)) return (_, text) => text;
  return (look, text) => {
    const [on, off] = inspect.colors[look]!;
    return text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`;
  };
}

/** The rules of Node itself: FORCE_COLOR outranks NO_COLOR, and that a terminal. */
function wantsColors({ isTTY }: { readonly isTTY?: boolean }, env: Variables): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = env;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return Boolean(isTTY) && !NO_COLOR && TERM !== "dumb";
}
