// A regular expression that means the same to ripgrep, to JavaScript and to who wrote it: what only one of the two knows is
// refused, and what both know differently is spelt out for each.

import { Mistake } from "./mistake.ts";

/** It is held against one line at a time, without its end. */
export interface Pattern {
  /** For ripgrep, in the syntax of Rust's crate `regex`. */
  readonly rust: string;
  /** For JavaScript. */
  readonly source: string;
  readonly flags: string;
}

interface Written {
  readonly rust: string;
  readonly js: string;
}

interface Reading {
  readonly characters: readonly string[];
  at: number;
}

const WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}";
/** Stands in a line for bytes that are no character: nothing fits them. */
export const NO_CHARACTER = "\udfff";
const BROKEN = "\\u{dfff}";
/** What Rust takes for them. */
const SHORTHANDS: Readonly<Record<string, string>> = {
  d: "\\p{Nd}",
  D: `[^\\p{Nd}${BROKEN}]`,
  s: "\\p{White_Space}",
  S: `[^\\p{White_Space}${BROKEN}]`,
  w: `[${WORD}]`,
  W: `[^${WORD}${BROKEN}]`,
};
const BOUNDARIES: Readonly<Record<string, string>> = {
  b: `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`,
  B: `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`,
};
const CONTROLS: Readonly<Record<string, string>> = { t: "\t", r: "\r", f: "\f", v: "\v" };
const CLASSES: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  blank: "\\u{9}\\u{20}",
  digit: "0-9",
  lower: "a-z",
  punct: "\\u{21}-\\u{2f}\\u{3a}-\\u{40}\\u{5b}-\\u{60}\\u{7b}-\\u{7e}",
  space: "\\u{9}-\\u{d}\\u{20}",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};
const MAX_REPEATS = 1_000;

/** Throws Mistake. `(?i)` may stand at its beginning. */
export function readPattern(text: string): Pattern {
  const flags = /^\(\?[ims]+\)/.exec(text)?.[0] ?? "";
  const reading: Reading = { characters: Array.from(text), at: flags.length };
  const { rust, js } = readAll(reading);
  const isCaseless = flags.includes("i");
  const pattern = { rust: isCaseless ? `(?i)${rust}` : rust, source: js, flags: isCaseless ? "isv" : "sv" };
  try {
    new RegExp(pattern.source, pattern.flags);
  } catch {
    throw new Mistake("it cannot be read");
  }
  return pattern;
}

function readAll(reading: Reading): Written {
  const parts: Written[] = [];
  const groups: number[] = [];
  let repeatable = false;
  while (reading.at < reading.characters.length) {
    const start = reading.at;
    const repeat = readRepeat(reading);
    if (repeat !== undefined) {
      if (!repeatable) throw new Mistake(`there is nothing to repeat before ${placed(reading, start)}`);
      repeatable = false;
      parts.push({ rust: repeat, js: repeat });
      continue;
    }
    const character = reading.characters[start]!;
    if (character === "(") groups.push(start);
    else if (character === ")" && groups.pop() === undefined)
      throw new Mistake(`${placed(reading, start)} closes no group`);
    const part = readPart(reading);
    repeatable = !/^(?:[\^$|]|\(\?:|\\[bB])$/.test(part.rust);
    parts.push(part);
  }
  const open = groups.at(-1);
  if (open !== undefined)
    throw new Mistake(`${placed(reading, open)} is never closed; \\( is a bracket itself`);
  return join(parts);
}

/** `*`, `+?`, `{2,3}`; a brace that is none of these stands for itself. */
function readRepeat(reading: Reading): string | undefined {
  const rest = reading.characters.slice(reading.at, reading.at + 20).join("");
  const [repeat, least, , most] = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/.exec(rest) ?? [];
  if (repeat === undefined) return undefined;
  const isReversed = Boolean(most) && Number(most) < Number(least);
  if (isReversed || Number(least) > MAX_REPEATS || Number(most) > MAX_REPEATS)
    throw new Mistake(`${repeat} has to count up, to ${MAX_REPEATS} at most`);
  reading.at += repeat.length;
  return repeat;
}

/** One character, class, assertion, `|`, or the beginning or end of a group. */
function readPart(reading: Reading): Written {
  const character = take(reading)!;
  if (character === "\\") return readEscape(reading);
  if (character === "[") return readClass(reading);
  if (character === "(") return readGroup(reading);
  if (character === ".") return { rust: ".", js: `[^${BROKEN}]` };
  if ("^$|)".includes(character)) return same(character);
  return same(spell(character));
}

function readGroup(reading: Reading): Written {
  const rest = reading.characters.slice(reading.at, reading.at + 100).join("");
  if (!rest.startsWith("?")) return same("(?:");
  if (/^\?<?[=!]/.test(rest)) throw new Mistake("it cannot look ahead or behind");
  const [opening] = /^\?(?::|P?<\w+>)/.exec(rest) ?? [];
  if (opening === undefined)
    throw new Mistake("(?i) can stand only at its beginning, and other flags nowhere");
  reading.at += opening.length;
  return same("(?:");
}

function readEscape(reading: Reading): Written {
  const start = reading.at - 1;
  const letter = reading.characters[reading.at];
  const boundary = BOUNDARIES[letter ?? ""];
  if (boundary === undefined) return readMember(reading, start);
  reading.at++;
  return { rust: `\\${letter}`, js: boundary };
}

/** What comes after a backslash, in a class or outside. */
function readMember(reading: Reading, start: number): Written {
  const letter = take(reading);
  if (letter === undefined) throw new Mistake("it ends in a \\; \\\\ is the character itself");
  const shorthand = SHORTHANDS[letter];
  if (shorthand !== undefined) return { rust: `\\${letter}`, js: shorthand };
  if (letter === "p") return same(`\\p{${readProperty(reading)}}`);
  if (letter === "P") {
    const name = readProperty(reading);
    return { rust: `\\P{${name}}`, js: `[^\\p{${name}}${BROKEN}]` };
  }
  if (letter === "x" || letter === "u") return same(spell(readCode(reading, letter)));
  const control = CONTROLS[letter];
  if (control === undefined && /[0-9A-Za-z]/.test(letter)) {
    if (letter === "n") throw lineEnd();
    if (/[1-9k]/.test(letter)) throw new Mistake("it cannot refer back to a group");
    throw new Mistake(`\\${letter} at character ${start + 1} is not known here`);
  }
  return same(spell(control ?? letter));
}

function readProperty(reading: Reading): string {
  const rest = reading.characters.slice(reading.at, reading.at + 60).join("");
  const [written = "", long, short] = /^(?:\{([\w=]+)\}|([A-Z]))/.exec(rest) ?? [];
  reading.at += written.length;
  const name = long ?? short ?? "";
  const known = [name, `Script=${name}`].find((one) => {
    try {
      return new RegExp(`\\p{${one}}`, "v");
    } catch {
      return false;
    }
  });
  if (known === undefined) throw new Mistake(`\\p{${name}} is no kind of character`);
  return known;
}

function readCode(reading: Reading, letter: "x" | "u"): string {
  const rest = reading.characters.slice(reading.at, reading.at + 10).join("");
  const digits =
    letter === "x" ? /^(?:\{([\da-f]{1,6})\}|([\da-f]{2}))/i : /^(?:\{([\da-f]{1,6})\}|([\da-f]{4}))/i;
  const [written, long, short] = digits.exec(rest) ?? [];
  const code = parseInt(long ?? short ?? "", 16);
  if (written === undefined || code > 0x10ffff) throw new Mistake(`\\${letter} wants a hexadecimal number`);
  reading.at += written.length;
  return String.fromCodePoint(code);
}

/** From after its `[`. */
function readClass(reading: Reading): Written {
  const start = reading.at - 1;
  const isNegated = reading.characters[reading.at] === "^";
  if (isNegated) reading.at++;
  const members: Written[] = [];
  for (let isFirst = true; isFirst || reading.characters[reading.at] !== "]"; isFirst = false) {
    if (reading.at >= reading.characters.length)
      throw new Mistake(`${placed(reading, start)} is never closed; \\[ is a bracket itself`);
    const low = readOne(reading);
    const [dash, next] = reading.characters.slice(reading.at, reading.at + 2);
    if (dash !== "-" || next === undefined || next === "]") members.push(low);
    else {
      reading.at++;
      members.push(range(low, readOne(reading)));
    }
  }
  reading.at++;
  const { rust, js } = join(members);
  return isNegated ? { rust: `[^${rust}]`, js: `[^${js}${BROKEN}]` } : { rust: `[${rust}]`, js: `[${js}]` };
}

function readOne(reading: Reading): Written {
  const [named, name = ""] =
    /^\[:([a-z]+):\]/.exec(reading.characters.slice(reading.at, reading.at + 12).join("")) ?? [];
  if (named !== undefined) {
    const known = CLASSES[name];
    if (known === undefined) throw new Mistake(`${named} is no kind of character`);
    reading.at += named.length;
    return same(known);
  }
  const character = take(reading)!;
  return character === "\\" ? readMember(reading, reading.at - 1) : same(spell(character));
}

function range(low: Written, high: Written): Written {
  const [from, to] = [low, high].map(({ js }) => /^(?:\\u\{([\da-f]+)\}|(.))$/u.exec(js));
  if (!from || !to)
    throw new Mistake("a range in [ ] goes from one character to another; \\- is a dash itself");
  const [first, last] = [from, to].map(([, code, plain]) =>
    code ? parseInt(code, 16) : plain!.codePointAt(0)!,
  );
  if (first! > last!) throw new Mistake("a range in [ ] has to go up");
  return same(`${low.js}-${high.js}`);
}

/** One character for both, whatever it means to either. */
function spell(character: string): string {
  if (character === "\n") throw lineEnd();
  return /^[\p{L}\p{N}_]$/u.test(character) ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

function lineEnd(): Mistake {
  return new Mistake("it is held against single lines, and cannot hold the end of one");
}

function take(reading: Reading): string | undefined {
  return reading.characters[reading.at++];
}

function same(written: string): Written {
  return { rust: written, js: written };
}

function join(parts: readonly Written[]): Written {
  return { rust: parts.map(({ rust }) => rust).join(""), js: parts.map(({ js }) => js).join("") };
}

function placed({ characters }: Reading, at: number): string {
  return `${characters[at]} at character ${at + 1}`;
}
