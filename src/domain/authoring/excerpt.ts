// The piece of a long text that a search found it for.

import { foldText, isPlain } from "../../base/text/folding.ts";

export interface Excerpt {
  readonly text: string;
  /** How many characters stand before it, and behind it. */
  readonly before: number;
  readonly after: number;
}

/** This share of the room is for what stands before the word. */
const LEAD_SHARE = 1 / 4;
/** A word is looked for its beginning in so many characters. */
const MAX_WORD = 24;

/**
 * About `maxChars` of `text` around the first place where a word of `query` stands: the longest of them that there is, without case
 * and accents; short ones stand anywhere. The beginning where none does.
 */
export function excerptOf(text: string, query: string, maxChars: number): Excerpt {
  if (text.length <= maxChars) return { text, before: 0, after: 0 };
  const at = placeOf(text, query) ?? 0;
  const wanted = Math.min(at - Math.floor(maxChars * LEAD_SHARE), text.length - maxChars);
  const from = wanted <= 0 ? 0 : beginning(text, wanted, at);
  const piece = text
    .slice(from, from + maxChars)
    // Not in the middle of a character.
    .replace(/^[\udc00-\udfff]/, "")
    .replace(/[\ud800-\udbff]$/, "");
  return { text: piece, before: from, after: text.length - from - piece.length };
}

/** Of a word, where one begins soon. */
function beginning(text: string, from: number, at: number): number {
  const blank = text.slice(from, Math.min(from + MAX_WORD, at)).search(/\s/);
  return blank === -1 ? from : from + blank + 1;
}

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const INSIDE = /[\p{L}\p{M}\p{N}]$/u;
/** They put no spaces between words. */
const DENSE =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Yi}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}\p{scx=Javanese}\p{scx=Balinese}]/u;

function placeOf(text: string, query: string): number | undefined {
  const folded = foldWithPlaces(text);
  const words = [...new Set(foldText(query).match(WORDS) ?? [])];
  for (const word of words.flatMap(partsOf).sort((a, b) => b.length - a.length)) {
    const at = findWord(folded.text, word);
    if (at !== undefined) return folded.places?.[at] ?? at;
  }
  return undefined;
}

/** Of a run without spaces any two characters may be what was found. */
function partsOf(word: string): readonly string[] {
  if (!DENSE.test(word)) return [word];
  const characters = [...word];
  return [word, ...characters.slice(1).map((character, index) => characters[index]! + character)];
}

function findWord(text: string, word: string): number | undefined {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const isBegun = at === 0 || DENSE.test(word) || !INSIDE.test(text.slice(Math.max(0, at - 2), at));
    if (isBegun) return at;
  }
  return undefined;
}

/** With the place in `text` of each of its units; absent: they are the same. */
function foldWithPlaces(text: string): { readonly text: string; readonly places?: readonly number[] } {
  if (isPlain(text)) return { text: foldText(text) };
  const places: number[] = [];
  const parts: string[] = [];
  let at = 0;
  for (const character of text) {
    const part = foldText(character);
    for (let unit = 0; unit < part.length; unit++) places.push(at);
    parts.push(part);
    at += character.length;
  }
  return { text: parts.join(""), places };
}
