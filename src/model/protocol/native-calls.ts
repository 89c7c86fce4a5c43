import type { Call } from "../../domain/event/event.ts";
import type { Completion } from "../../domain/model.ts";

/** The native calls of a completion, in order. Ids are the provider's where they tell the calls apart. */
export function readNativeCalls(completion: Completion): Call[] {
  const ending = isCut(completion) ? "cut" : "whole";
  const taken = new Set<string>();
  return completion.calls.map((raw, index) => {
    const json = repairJson(raw.arguments, ending);
    const id = raw.id === "" || taken.has(raw.id) ? freeId(taken, index + 1) : raw.id;
    taken.add(id);
    return { id, action: raw.name, parameters: json ? json.value : raw.arguments };
  });
}

/** Was the completion stopped in the middle, so that its end may be half of what was meant? */
export function isCut({ stop }: Completion): boolean {
  return stop === "length" || stop === "refused";
}

function freeId(taken: ReadonlySet<string>, first: number): string {
  let n = first;
  while (taken.has(`n${n}`)) n++;
  return `n${n}`;
}

/** Deeper JSON would overflow the stack of whoever writes it out again. */
const MAX_DEPTH = 100;

interface ParsedJson {
  readonly value: unknown;
}

/** The value of `text`; `undefined` if it is no JSON, or nested too deep to be handed around. */
export function parseJson(text: string): ParsedJson | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isNestedWithin(value, MAX_DEPTH) ? { value } : undefined;
  } catch {
    return undefined;
  }
}

function isNestedWithin(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isNestedWithin(inner, depth - 1));
}

/**
 * Reads what was meant to be the JSON of a native call, where only one reading is left: trailing commas, raw line
 * breaks in strings, brackets or a quote missing at the end, a code fence around it, JSON written as a JSON string.
 * No text at all is an empty object. `cut`: the model ran out of tokens, so nothing that is missing may be added.
 * `undefined`: it could mean several things.
 */
export function repairJson(text: string, ending: "whole" | "cut"): ParsedJson | undefined {
  const bare = withoutFence(text.trim());
  if (bare === "") return ending === "whole" ? { value: {} } : undefined;
  const outer = parseJson(bare) ?? parseJson(mend(bare, ending) ?? "");
  return typeof outer?.value === "string" ? parseJson(outer.value) : outer;
}

function withoutFence(text: string): string {
  const firstBreak = text.indexOf("\n");
  if (!text.startsWith("```") || !text.endsWith("```") || firstBreak < 0) return text;
  return text.slice(firstBreak + 1, -3).trim();
}

/** The same text with what can be told to be missing or superfluous put right; still to be parsed. */
function mend(text: string, ending: "whole" | "cut"): string | undefined {
  const closers: string[] = [];
  let mended = "";
  let inString = false;
  let heldComma = false;
  for (let at = 0; at < text.length; at++) {
    const run = runAt(text, at, inString ? WITHIN : BETWEEN);
    if (run !== "") {
      mended += heldComma ? `,${run}` : run;
      heldComma = false;
      at += run.length - 1;
      continue;
    }
    const char = text[at]!;
    if (inString) {
      inString = char !== '"';
      mended +=
        char === "\\" ? char + (text[++at] ?? "") : char < " " ? JSON.stringify(char).slice(1, -1) : char;
      continue;
    }
    if (char.trim() !== "") {
      if (heldComma && !isCloser(char)) mended += ",";
      heldComma = char === ",";
    }
    if (char === "{") closers.push("}");
    if (char === "[") closers.push("]");
    if (closers.length > MAX_DEPTH || (isCloser(char) && closers.pop() !== char)) return undefined;
    inString = char === '"';
    if (!heldComma || char !== ",") mended += char;
  }
  if (!inString && closers.length === 0) return mended;
  // A bracket at the end of an unclosed string may belong to the string or to the JSON around it.
  if (ending === "cut" || (inString && isCloser(text.at(-1)!))) return undefined;
  return mended + (inString ? '"' : "") + closers.reverse().join("");
}

/** What stands as it is in a string, and what does outside: a number, or what is no JSON. */
const WITHIN = /[^"\\\0-\x1f]+/y;
const BETWEEN = /[^"{}[\],\s]+/y;

function runAt(text: string, at: number, expression: RegExp): string {
  expression.lastIndex = at;
  return expression.exec(text)?.[0] ?? "";
}

function isCloser(char: string): boolean {
  return char === "}" || char === "]";
}
