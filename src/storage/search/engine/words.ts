// Texts as words, the same for what is found and for what is asked: without case, accents and forms of the same letter. Scripts
// that put no spaces between words are cut into overlapping pairs of characters, so that any part of a run is found.

import { foldText, isPlain } from "../../../base/text/folding.ts";

/** A word that is asked for; `begins`: all that begin with it count as well. */
export interface QueryWord {
  readonly text: string;
  readonly begins: boolean;
}

/** Hangul as well: its words have endings that nobody asks for. */
const DENSE =
  /((?:(?=[\p{L}\p{M}\p{N}])[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Yi}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}\p{scx=Javanese}\p{scx=Balinese}])+)/u;
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}\p{Co}]+/gu;
/** As the engine splits what it is given: anything but ASCII is part of a word. */
const WORD = /[a-z0-9\u0080-\u{10ffff}]+/gu;

/**
 * What an engine is given of a text that it splits at whatever is neither a letter nor a digit of ASCII nor outside of it, and
 * that compares the letters of ASCII without case.
 */
export function toIndexed(text: string): string {
  if (isPlain(text)) return text;
  return partsOf(text)
    .map((part, at) => (isDense(at) ? ` ${pairsOf(part, "and the last").join(" ")} ` : part))
    .join("");
}

/** The words of a query, each once, in their order; at most `max`. */
export function toWords(text: string, max: number): readonly QueryWord[] {
  const words = new Map<string, QueryWord>();
  for (const [at, part] of partsOf(text).entries()) {
    const found = isDense(at) ? pairsOf(part, "alone") : (part.match(WORD) ?? []);
    // A character by itself stands at the beginning of some pair.
    const begins = isDense(at) && found.length === 1 && isOne(part);
    for (const word of found) {
      if (words.size >= max) return [...words.values()];
      if (!words.has(word)) words.set(word, { text: word, begins });
    }
  }
  return [...words.values()];
}

/** Without case, accents and forms; every second part is a run of a script without spaces. */
function partsOf(text: string): readonly string[] {
  if (isPlain(text)) return [foldText(text)];
  return foldText(text)
    .split(DENSE)
    .map((part, at) => (isDense(at) ? part : part.replace(BETWEEN_WORDS, " ")));
}

function isDense(at: number): boolean {
  return at % 2 === 1;
}

function isOne(run: string): boolean {
  return [...run].length === 1;
}

/** A run of one character is that. `and the last`: which then is the beginning of something, as every other one is. */
function pairsOf(run: string, rest: "and the last" | "alone"): readonly string[] {
  const characters = [...run];
  const pairs = characters.slice(1).map((character, at) => characters[at]! + character);
  if (rest === "and the last" || pairs.length === 0) pairs.push(characters.at(-1)!);
  return pairs;
}
