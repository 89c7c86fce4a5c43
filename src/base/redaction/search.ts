// Finds many texts in a long one at once (Wu and Manber): where no three characters of any of them stand, none begins, and
// the search goes on up to six characters further. Its time hardly depends on how many there are.

import { MIN_SECRET } from "./forms.ts";

export interface Pattern {
  /** At least `MIN_SECRET` characters. */
  readonly text: string;
  readonly name: string;
}

/** A part of a text: `end` is the first character behind it. */
export interface FoundSecret {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** Everything that is found in a text, in its order, with what overlaps as one, named as the longest of it; mostly empty. */
export type SecretSearch = (text: string) => readonly FoundSecret[];

const BLOCK = 3;
const MASK = 0xffff;
const NOTHING: readonly FoundSecret[] = [];

/** Of the blocks in the first characters of all patterns. */
interface Tables {
  /** By hash of a block: how far behind it the first characters of a pattern end at the earliest. */
  readonly shifts: Uint8Array;
  /** By hash of the block that ends them, the longest first. */
  readonly candidates: ReadonlyMap<number, readonly Pattern[]>;
}

export function createSearch(patterns: readonly Pattern[]): SecretSearch {
  const tables = createTables(patterns);
  const hasLines = patterns.some(({ text }) => /[\r\n]/.test(text));
  return (text) => {
    const joined = joinLines(text);
    if (!joined) return united(searchIn(text, tables));
    const across = searchIn(joined.text, tables).map((part) => ({
      ...part,
      start: joined.before(part.start),
      end: joined.before(part.end - 1) + 1,
    }));
    const within = hasLines ? searchIn(text, tables) : NOTHING;
    return united([...within, ...across].sort((a, b) => a.start - b.start));
  };
}

function createTables(patterns: readonly Pattern[]): Tables {
  const shifts = new Uint8Array(MASK + 1).fill(MIN_SECRET - BLOCK + 1);
  const candidates = new Map<number, Pattern[]>();
  for (const pattern of patterns) {
    for (let at = BLOCK - 1; at < MIN_SECRET; at++) {
      const hash = hashAt(pattern.text, at);
      shifts[hash] = Math.min(shifts[hash]!, MIN_SECRET - 1 - at);
    }
    const last = hashAt(pattern.text, MIN_SECRET - 1);
    candidates.set(last, [...(candidates.get(last) ?? []), pattern]);
  }
  for (const group of candidates.values()) group.sort((a, b) => b.text.length - a.text.length);
  return { shifts, candidates };
}

/** Of the block that ends with the character at `last`. */
function hashAt(text: string, last: number): number {
  const [first, second] = [text.charCodeAt(last - 2), text.charCodeAt(last - 1)];
  return ((first << 10) ^ (second << 5) ^ text.charCodeAt(last)) & MASK;
}

/** The longest at each place. */
function searchIn(text: string, { shifts, candidates }: Tables): readonly FoundSecret[] {
  let found: FoundSecret[] | undefined;
  for (let last = MIN_SECRET - 1; last < text.length;) {
    // As `hashAt`, without a call: this is where all of the time goes.
    const block =
      (text.charCodeAt(last - 2) << 10) ^ (text.charCodeAt(last - 1) << 5) ^ text.charCodeAt(last);
    const hash = block & MASK;
    const shift = shifts[hash]!;
    if (shift > 0) {
      last += shift;
      continue;
    }
    const start = last - MIN_SECRET + 1;
    const pattern = candidates.get(hash)?.find((candidate) => text.startsWith(candidate.text, start));
    if (pattern) (found ??= []).push({ start, end: start + pattern.text.length, name: pattern.name });
    last++;
  }
  return found ?? NOTHING;
}

/** @param found by their starts */
function united(found: readonly FoundSecret[]): readonly FoundSecret[] {
  if (found.length < 2) return found;
  const parts: FoundSecret[] = [];
  let longest = 0;
  for (const part of found) {
    const before = parts.at(-1);
    const length = part.end - part.start;
    if (!before || part.start >= before.end) {
      parts.push(part);
      longest = length;
      continue;
    }
    const name = length > longest ? part.name : before.name;
    parts[parts.length - 1] = { start: before.start, end: Math.max(before.end, part.end), name };
    longest = Math.max(longest, length);
  }
  return parts;
}

export interface JoinedText {
  readonly text: string;
  /** Where the character at `index` stands in the text before it was joined. */
  before(index: number): number;
}

/** Base64 and hex are written in lines of at least so many characters. */
const LEAST_LINE = 16;

/**
 * `text` without the ends of lines within what looks like base64 or hex: programs break it into lines of 60, 64 or 76
 * characters. `undefined` if there are none.
 */
export function joinLines(text: string): JoinedText | undefined {
  const pieces: string[] = [];
  /** By piece: where it begins here, and how much was left out before it. */
  const starts: number[] = [];
  const gaps: number[] = [];
  let [from, left] = [0, 0];
  const add = (to: number): void => {
    starts.push(from - left);
    gaps.push(left);
    pieces.push(text.slice(from, to));
  };
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    if (text.charCodeAt(at + 1) === NEWLINE) {
      // An empty line ends what stands before it.
      while (text.charCodeAt(at + 1) === NEWLINE) at++;
      continue;
    }
    const end = text.charCodeAt(at - 1) === CARRIAGE_RETURN ? at - 1 : at;
    if (!isCode(text.charCodeAt(end - 1)) || !isBroken(text, end, at + 1)) continue;
    add(end);
    left += at + 1 - end;
    from = at + 1;
  }
  if (pieces.length === 0) return undefined;
  add(text.length);
  let piece = 0;
  return {
    text: pieces.join(""),
    before(index) {
      while (piece > 0 && starts[piece]! > index) piece--;
      while (piece + 1 < starts.length && starts[piece + 1]! <= index) piece++;
      return index + gaps[piece]!;
    },
  };
}

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

/** Does a line of code that ends at `end` go on at `next`? What a text begins with may be the end of such a line. */
function isBroken(text: string, end: number, next: number): boolean {
  if (next < text.length && !isCode(text.charCodeAt(next))) return false;
  const first = Math.max(0, end - LEAST_LINE);
  for (let at = end - 1; at >= first; at--) if (!isCode(text.charCodeAt(at))) return false;
  return true;
}

/** Is it a character of base64 or hex? */
function isCode(unit: number): boolean {
  if (unit >= 97) return unit <= 122;
  if (unit >= 65) return unit <= 90 || unit === 95;
  return unit >= 47 ? unit <= 57 : unit === 43 || unit === 45;
}
