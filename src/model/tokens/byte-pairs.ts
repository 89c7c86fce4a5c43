// Counts the tokens that js-tiktoken makes of a text. That looks through a whole word, and anew at each pair in it, for every
// two neighbours that it joins: 20,000 letters without a blank take it half a minute. Here a pair is looked up once, and
// words that nobody writes are cut.

export interface Encoding {
  /** Splits a text into words; no token reaches over the end of one. */
  readonly pat_str: string;
  /** Lines of a sign, the first rank, and tokens in base64, each one rank higher. */
  readonly bpe_ranks: string;
}

/**
 * Returns what counts the tokens of a text, of any length. Exact, but for words of more than 256 bytes, and 32,768
 * characters without a blank or a new line: these are cut, and each cut makes a few tokens more, or one less.
 */
export function createByteCounter({ pat_str, bpe_ranks }: Encoding): (text: string) => number {
  const ranks = readRanks(bpe_ranks);
  const words = new RegExp(pat_str, "ug");
  const rankOf = createLookup(ranks);
  const join = createJoining(rankOf);
  /** Of what came of late. */
  const known = new Map<string, number>();
  const countBytes = (bytes: string): number => {
    if (bytes.length === 1 || rankOf(bytes, 0, bytes.length) !== NONE) return 1;
    if (bytes.length <= SHORT) return join(bytes);
    let count = known.get(bytes);
    if (count === undefined) {
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(bytes, (count = join(bytes)));
    }
    return count;
  };
  const countWord = (word: string): number => {
    const bytes = bytesOf(word);
    if (bytes.length <= MAX_WORD) return countBytes(bytes);
    let count = 0;
    for (let at = 0; at < bytes.length; at += SLICE) count += countBytes(bytes.slice(at, at + SLICE));
    return count;
  };
  return (text) => {
    let total = 0;
    for (let from = 0; from < text.length;) {
      const to = endOfPart(text, from);
      const part = text.slice(from, to);
      for (let at = (words.lastIndex = 0); words.test(part); at = words.lastIndex)
        total += countWord(part.slice(at, words.lastIndex));
      from = to;
    }
    return total;
  };
}

const MAX_KNOWN = 20_000;
/** Joined as fast as found among those. */
const SHORT = 4;
/** Nobody writes longer words. They are cut into slices, of bytes: of a run of one letter all are the same. */
const MAX_WORD = 256;
const SLICE = 128;

/** By the bytes of each token, one character for each. */
function readRanks(lines: string): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  for (const line of lines.split("\n")) {
    const [, first = "0", ...tokens] = line.split(" ");
    for (const [index, token] of tokens.entries())
      ranks.set(Buffer.from(token, "base64").toString("latin1"), Number(first) + index);
  }
  return ranks;
}

/** One character for each byte of UTF-8. */
function bytesOf(word: string): string {
  return /^[\0-\x7f]*$/.test(word) ? word : Buffer.from(word).toString("latin1");
}

/** No regular expression has to hold more in mind. */
const PART = 32_768;

/** Where a part of `text` that begins at `from` may end: no word reaches over a blank from before it, nor over a new line. */
function endOfPart(text: string, from: number): number {
  const most = from + PART;
  if (most >= text.length) return text.length;
  for (let at = most; at > from; at--) {
    const [before, after] = [text[at - 1]!, text[at]!];
    if (after === " " ? /\S/.test(before) : before === "\n" && /[^\s/]/.test(after)) return at;
  }
  return /[\uD800-\uDBFF]/.test(text[most - 1]!) ? most - 1 : most;
}

/** Above all ranks. */
const NONE = 2 ** 31 - 1;

/** Returns the rank of the token that is the part of `bytes` from `from` to `to`; `NONE` if it is none. */
type RankOf = (bytes: string, from: number, to: number) => number;

/** Most of what is asked for is short: it is found by its bytes as one number, as a string only what is longer. */
function createLookup(ranks: ReadonlyMap<string, number>): RankOf {
  const keys = new Uint32Array(SLOTS);
  const values = new Int32Array(SLOTS).fill(NONE);
  const placeOf = (key: number): number => {
    let place = Math.imul(key, 0x9e3779b1) >>> (32 - SLOT_BITS);
    while (keys[place] !== key && keys[place] !== 0) place = (place + 1) % SLOTS;
    return place;
  };
  for (const [token, rank] of ranks) {
    const key = keyOf(token, 0, token.length);
    if (key === 0) continue;
    keys[placeOf(key)] = key;
    values[placeOf(key)] = rank;
  }
  return (bytes, from, to) => {
    const key = keyOf(bytes, from, to);
    return key === 0 ? (ranks.get(bytes.slice(from, to)) ?? NONE) : values[placeOf(key)]!;
  };
}

const SLOT_BITS = 18;
const SLOTS = 2 ** SLOT_BITS;

/** At most four bytes as one number; 0 for more, and for those that end in a zero: shorter ones would have the same. */
function keyOf(bytes: string, from: number, to: number): number {
  if (to - from > 4 || bytes.charCodeAt(to - 1) === 0) return 0;
  let key = 0;
  for (let at = to - 1; at >= from; at--) key = key * 256 + bytes.charCodeAt(at);
  return key;
}

/** Returns how many tokens are left of a word where those neighbours are joined first that make the token of lowest rank. */
function createJoining(rankOf: RankOf): (bytes: string) => number {
  /** Where each part begins, and behind the last one the end; and the rank of what it makes with the next one. */
  const starts = new Int32Array(MAX_WORD + 1);
  const rank = new Int32Array(MAX_WORD);
  return (bytes) => {
    let parts = bytes.length;
    const look = (at: number): void => {
      rank[at] = at + 1 < parts ? rankOf(bytes, starts[at]!, starts[at + 2]!) : NONE;
    };
    for (let at = 0; at <= parts; at++) starts[at] = at;
    for (let at = 0; at < parts; at++) look(at);
    while (parts > 1) {
      let least = 0;
      for (let at = 1; at < parts; at++) if (rank[at]! < rank[least]!) least = at;
      if (rank[least] === NONE) return parts;
      starts.copyWithin(least + 1, least + 2, parts + 1);
      rank.copyWithin(least + 1, least + 2, parts);
      parts--;
      look(least);
      if (least > 0) look(least - 1);
    }
    return parts;
  };
}
