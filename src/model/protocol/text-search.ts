import type { Call } from "../../domain/event/event.ts";
import type { ShownDecision } from "./protocol.ts";
import {
  indentOf,
  isBlank,
  MULTILINE_DELIMITER,
  readLines,
  toLines,
  toName,
  type Reading,
} from "./text-syntax.ts";

type IsKnown = (name: string) => boolean;

/** Reads a text that should be one action and nothing else, except a code fence around it. */
export function readAction(text: string): Reading {
  return readWhole(toLines(text));
}

/**
 * Reads a text that should be one action, and finds it also where prose stands around the only code fence, or before
 * the first line that names a known action, if everything from there on belongs to that action.
 */
export function findAction(text: string, isKnown: IsKnown): Reading {
  const lines = toLines(text);
  const whole = readWhole(lines);
  if (nameIn(whole, isKnown)) return whole;
  const fence = soleFence(lines);
  const fenced = fence && readLines(fence.lines);
  if (fenced && nameIn(fenced, isKnown)) return fenced;
  const start = firstStart(lines, isKnown);
  const rest = start === undefined ? undefined : readLines(lines.slice(start));
  return rest?.kind === "action" ? rest : whole;
}

/** The one call that a written action asks for: its id has to be unique in the decision only. */
export function toCall({ name, parameters }: Pick<Call, "parameters"> & { readonly name: string }): Call {
  return { id: "c1", action: name, parameters };
}

/** True if the text of `decision` is its one call, so that showing both would show it twice. */
export function isWritten({ text, calls }: ShownDecision): boolean {
  const [call, another] = calls;
  if (!call || another) return false;
  const reading = findAction(text, (name) => name === call.action);
  // One that could not be read has its own text for parameters.
  if (reading.kind === "broken") return reading.name === call.action && reading.text === call.parameters;
  return reading.kind === "action" && reading.action.name === call.action;
}

function nameIn(reading: Reading, isKnown: IsKnown): boolean {
  if (reading.kind === "prose") return false;
  return isKnown(reading.kind === "action" ? reading.action.name : reading.name);
}

function readWhole(lines: readonly string[]): Reading {
  const fence = soleFence(lines);
  return readLines(fence?.isAlone ? fence.lines : lines);
}

interface Fence {
  readonly lines: readonly string[];
  /** Nothing stands before or after it. */
  readonly isAlone: boolean;
}

/** The only code fence of a text; one that is never closed reaches to the end. Fences within values do not count. */
function soleFence(lines: readonly string[]): Fence | undefined {
  const first = lines.findIndex((line) => isFence(line.trimStart()));
  if (first < 0) return undefined;
  const mark = /^(?:`+|~+)/.exec(lines[first]!.trimStart())![0];
  const indent = indentOf(lines[first]!);
  const found: number[] = [];
  for (const at of outsideValues(lines)) {
    if (lines[at]!.trimStart().startsWith(mark) && indentOf(lines[at]!) <= indent) found.push(at);
    if (found.length > 2) return undefined;
  }
  const [open, close = lines.length] = found;
  if (open === undefined) return undefined;
  const around = [...lines.slice(0, open), ...lines.slice(close + 1)];
  return { lines: lines.slice(open + 1, close), isAlone: around.every(isBlank) };
}

function isFence(line: string): boolean {
  return line.startsWith("```") || line.startsWith("~~~");
}

/** The first line that could begin an action with a known name. */
function firstStart(lines: readonly string[], isKnown: IsKnown): number | undefined {
  for (const at of outsideValues(lines)) {
    const key = /^[Aa]ction:/.exec(lines[at]!);
    const name = toName(key ? lines[at]!.slice(key[0].length) : lines[at]!);
    if (name !== undefined && isKnown(name)) return at;
  }
  return undefined;
}

/** The lines that do not stand between two delimiters. */
function* outsideValues(lines: readonly string[]): Generator<number> {
  let isInside = false;
  for (const [at, line] of lines.entries()) {
    if (!isInside) yield at;
    if (!line.includes(MULTILINE_DELIMITER)) continue;
    const isOdd = line.split(MULTILINE_DELIMITER).length % 2 === 0;
    if (isOdd) isInside = !isInside;
  }
}
