// How one action is written as text:
//
//   addGoal                     the name alone; or `action: addGoal` or `name: addGoal` among the other lines
//   thoughts: why               these lines in any order, each key once
//   goal: "x": it's literal     to the end of the line; only what is one JSON string as a whole is unquoted
//   plan: |                     the indented lines that follow, without their margin; also `>`, also nothing at all
//   code: % ff9d7713-...        everything up to the next delimiter, verbatim; it may also open on the next line
//
// Whatever the model writes is read in time linear to its length, and nothing here throws.

import { unquoted } from "../../base/text/json.ts";
import { quote } from "../../base/text/wording.ts";

/** Stands before and after a value of several lines. */
export const MULTILINE_DELIMITER = "% ff9d7713-0bb0-40d4-823c-5a66de48761b";

export interface WrittenAction {
  readonly name: string;
  readonly thoughts?: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** `broken`: a name could be read, but not all of `text`. `prose`: no name where one should be. */
export type Reading =
  | { readonly kind: "action"; readonly action: WrittenAction }
  | { readonly kind: "broken"; readonly name: string; readonly mistake: string; readonly text: string }
  | { readonly kind: "prose"; readonly firstLine: string };

/** The lines of `text` without their line breaks. */
export function toLines(text: string): readonly string[] {
  const lines = text.split("\n");
  // Only a text that begins with CRLF is CRLF throughout: in any other, a CR belongs to the value it stands in.
  const isCrlf = lines.length > 1 && lines[0]!.endsWith("\r");
  return isCrlf ? lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line)) : lines;
}

const HEADERS = ["action", "Action", "name", "Name"];

/** Reads lines that should be one action and nothing else. */
export function readLines(lines: readonly string[]): Reading {
  const start = lines.findIndex((line) => !isBlank(line));
  const firstLine = lines[start] ?? "";
  const bare = toName(firstLine);
  const { values, mistake } = readFields(lines.slice(bare === undefined ? start : start + 1));
  const header = bare === undefined ? HEADERS.find((key) => values.has(key)) : undefined;
  const name = bare ?? (header && toName(values.get(header)!));
  if (name === undefined) return { kind: "prose", firstLine };
  if (mistake !== undefined) return { kind: "broken", name, mistake, text: lines.slice(start).join("\n") };
  const thoughts = values.get("thoughts");
  const parameters = Object.fromEntries([...values].filter(([key]) => key !== header && key !== "thoughts"));
  return { kind: "action", action: { name, ...(thoughts && { thoughts }), parameters } };
}

/** Why an action cannot be read of `text`, though it names one: the end of a sentence. */
export function mistakeIn(text: string): string | undefined {
  const reading = readLines(toLines(text));
  return reading.kind === "broken" ? reading.mistake : undefined;
}

const NAME = /^[\p{L}_$][\p{L}\p{N}_$.-]{0,127}$/u;

/** The action name that `text` is, perhaps in backticks, quotes or asterisks. */
export function toName(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.length > 140) return undefined;
  const name = trimmed.replace(/^[`*"']+|[`*"']+$/g, "");
  return NAME.test(name) ? name : undefined;
}

interface WrittenFields {
  readonly values: ReadonlyMap<string, string>;
  /** Why the rest could not be read: the end of a sentence that names the action. */
  readonly mistake?: string;
}

function readFields(lines: readonly string[]): WrittenFields {
  const values = new Map<string, string>();
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]!;
    if (isBlank(line)) {
      at++;
      continue;
    }
    const key = readKey(line);
    if (!key) return { values, mistake: `the line ${quote(line)} is no \`parameter: value\`` };
    if (values.has(key.name)) return { values, mistake: `${quote(key.name)} is given twice` };
    const value = readValue(lines, at, key);
    if (!value) return { values, mistake: `the delimiter that opens ${quote(key.name)} is never closed` };
    values.set(key.name, value.text);
    at = value.end;
  }
  return { values };
}

interface Key {
  readonly name: string;
  readonly indent: number;
  /** What follows the colon. */
  readonly rest: string;
}

// A key that is no plain word stands in quotes, as JSON.
const KEY = /^\s*(?:([\p{L}_$][\p{L}\p{N}_$.-]{0,127})|("(?:[^"\\]|\\.){0,256}"))\s*:/u;

function readKey(line: string): Key | undefined {
  const match = KEY.exec(line);
  if (!match) return undefined;
  const name = match[1] ?? unquoted(match[2]!);
  return { name, indent: indentOf(line), rest: line.slice(match[0].length).trim() };
}

interface Value {
  readonly text: string;
  /** The first line after it. */
  readonly end: number;
}

const BLOCK = /^[|>][-+\d]{0,2}$/;

/** `undefined`: its delimiter is never closed. */
function readValue(lines: readonly string[], at: number, { rest, indent }: Key): Value | undefined {
  if (rest.startsWith(MULTILINE_DELIMITER)) return readDelimited(lines, at, rest);
  if (rest !== "" && !BLOCK.test(rest)) return { text: unquoted(rest), end: at + 1 };
  let next = at + 1;
  while (next < lines.length && isBlank(lines[next]!)) next++;
  const opening = lines[next]?.trim() ?? "";
  if (opening.startsWith(MULTILINE_DELIMITER)) return readDelimited(lines, next, opening);
  return readIndented(lines, next, indent);
}

/** `opening` is what stands on line `at` from the delimiter on. */
function readDelimited(lines: readonly string[], at: number, opening: string): Value | undefined {
  const value: string[] = [];
  for (let i = at; i < lines.length; i++) {
    const line = i === at ? opening.slice(MULTILINE_DELIMITER.length).trim() : lines[i]!;
    const trimmed = line.trimEnd();
    const isLast = trimmed.endsWith(MULTILINE_DELIMITER);
    const content = isLast ? trimmed.slice(0, -MULTILINE_DELIMITER.length) : line;
    // Nothing beside a delimiter is no line of the value.
    if ((i > at && !isLast) || !isBlank(content)) value.push(content);
    if (isLast) return { text: value.join("\n"), end: i + 1 };
  }
  return undefined;
}

function readIndented(lines: readonly string[], from: number, indent: number): Value {
  let end = from;
  let margin = Infinity;
  for (; end < lines.length; end++) {
    if (isBlank(lines[end]!)) continue;
    if (indentOf(lines[end]!) <= indent) break;
    margin = Math.min(margin, indentOf(lines[end]!));
  }
  const block = lines.slice(from, end).map((line) => line.slice(margin));
  return { text: block.join("\n").trimEnd(), end };
}

/**
 * The text from which the same action is read again. Values that are no strings are written as JSON; parameters that
 * are no object, as one value named `parameters`.
 */
export function writeAction(name: string, parameters: unknown, thoughts = ""): string {
  const isObject = typeof parameters === "object" && parameters !== null && !Array.isArray(parameters);
  const fields = isObject
    ? Object.entries(parameters)
    : parameters == null
      ? []
      : [["parameters", parameters] as const];
  const lines = fields.map(([key, value]) => writeField(key, value));
  return [name, ...(thoughts === "" ? [] : [writeField("thoughts", thoughts)]), ...lines].join("\n");
}

function writeField(key: string, value: unknown): string {
  const name = NAME.test(key) ? key : JSON.stringify(key);
  const isJson = typeof value !== "string" || value.includes(MULTILINE_DELIMITER);
  if (isJson) return `${name}: ${JSON.stringify(value)}`;
  const isPlain = value !== "" && !/[\n\r]/.test(value) && value === value.trim() && !BLOCK.test(value);
  if (isPlain && unquoted(value) === value) return `${name}: ${value}`;
  return `${name}: ${MULTILINE_DELIMITER}\n${value}\n${MULTILINE_DELIMITER}`;
}

export function isBlank(line: string): boolean {
  return line.trim() === "";
}

/** How many characters of white space `line` begins with. */
export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
