// What makes a text of one that is near it: pieces of that one, and what is new between them.

/** Text, or `[from, length]` of the other text, in UTF-16 units. */
export type PatchPart = string | readonly [from: number, length: number];

/** A shorter piece takes as much to be named as to be written. */
const LEAST_PIECE = 16;
/** Lines and list entries: what moves as a whole. */
const ENTRIES = /[^\n,]{1,160}[\n,]?|[\n,]/g;

/** Of which `applyPatch` makes `text`. How many there are grows with what is new, what moved, and what is gone. */
export function patchText(base: string, text: string): readonly PatchPart[] {
  const start = alike(base, text);
  const end = alikeAtEnd(base.slice(start), text.slice(start));
  const middle = text.slice(start, text.length - end);
  const pieces: TextPiece[] = [
    { from: 0, length: start },
    ...piecesOf(middle, base.slice(0, base.length - end), start),
    { from: base.length - end, length: end },
  ];
  return joined(
    grown(joined(pieces), base).map((piece) => (isShort(piece) ? textOf(piece, base) : piece)),
  ).map((piece) => (typeof piece === "string" ? piece : [piece.from, piece.length]));
}

/** `undefined` if they name what `base` does not have, or come to more than `most` characters. */
export function applyPatch(base: string, parts: readonly PatchPart[], most: number): string | undefined {
  let text = "";
  for (const part of parts) {
    if (typeof part === "string") text += part;
    else if (Math.min(...part) >= 0 && part[0] + part[1] <= base.length)
      text += base.slice(part[0], part[0] + part[1]);
    else return undefined;
    // Whoever forged a log could have a gigabyte made of a line.
    if (text.length > most) return undefined;
  }
  return text;
}

/** Of the base, or new. */
type TextPiece = { readonly from: number; readonly length: number } | string;

function isShort({ length }: TextPiece): boolean {
  return length < LEAST_PIECE;
}

function textOf(piece: TextPiece, base: string): string {
  return typeof piece === "string" ? piece : base.slice(piece.from, piece.from + piece.length);
}

/** Where one piece was found, the next one is likely to go on; else entries are looked for from `start` on. */
function piecesOf(middle: string, base: string, start: number): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let places: ReadonlyMap<string, number> | undefined;
  let next = start;
  for (let at = 0; at < middle.length;) {
    const length = lastEnd(middle.slice(at, at + alike(base.slice(next), middle.slice(at))));
    if (length > 0) pieces.push({ from: next, length });
    at += length;
    next += length;
    const entry = entryAt(middle, at);
    const from = entry.length < LEAST_PIECE ? undefined : (places ??= placesIn(base, start)).get(entry);
    pieces.push(from === undefined ? entry : { from, length: entry.length });
    if (from !== undefined) next = from + entry.length;
    at += entry.length;
  }
  return pieces;
}

/** Where the last entry ends in it that is whole. */
function lastEnd(text: string): number {
  return Math.max(text.lastIndexOf("\n"), text.lastIndexOf(",")) + 1;
}

function entryAt(text: string, at: number): string {
  ENTRIES.lastIndex = at;
  return ENTRIES.exec(text)?.[0] ?? "";
}

/** Where each of the entries from `start` on begins that are worth to be named. */
function placesIn(base: string, start: number): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  let from = start;
  for (const entry of base.slice(start).match(ENTRIES) ?? []) {
    if (entry.length >= LEAST_PIECE && !places.has(entry)) places.set(entry, from);
    from += entry.length;
  }
  return places;
}

/** Neighbours as one; none is empty. */
function joined(pieces: readonly TextPiece[]): readonly TextPiece[] {
  const all: TextPiece[] = [];
  for (const piece of pieces) {
    if (piece.length === 0) continue;
    const last = all.at(-1);
    if (typeof piece === "string" && typeof last === "string") all[all.length - 1] = last + piece;
    else if (typeof piece === "object" && typeof last === "object" && last.from + last.length === piece.from)
      all[all.length - 1] = { from: last.from, length: last.length + piece.length };
    else all.push(piece);
  }
  return all;
}

/** What is new begins where the piece before it does not go on, and ends where the one behind it cannot begin earlier. */
function grown(pieces: readonly TextPiece[], base: string): readonly TextPiece[] {
  const all: TextPiece[] = [];
  for (const [index, piece] of pieces.entries()) {
    if (typeof piece === "object") {
      all.push(piece);
      continue;
    }
    let text = piece;
    const before = all.at(-1);
    if (typeof before === "object") {
      const more = alike(text, base.slice(before.from + before.length));
      all[all.length - 1] = { from: before.from, length: before.length + more };
      text = text.slice(more);
    }
    const behind = pieces[index + 1];
    const less = typeof behind === "object" ? alikeAtEnd(text, base.slice(0, behind.from)) : 0;
    if (less > 0 && typeof behind === "object")
      all.push(text.slice(0, text.length - less), { from: behind.from - less, length: less });
    else all.push(text);
  }
  return joined(all);
}

/** So many characters are compared at once, which takes hardly longer than one. */
const BLOCKS = [1_024, 64, 1];

/** How many characters both begin with. */
function alike(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let same = 0;
  for (const block of BLOCKS)
    while (same + block <= most && one.slice(same, same + block) === other.slice(same, same + block))
      same += block;
  return same;
}

function alikeAtEnd(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  const before = (text: string, length: number): string =>
    text.slice(text.length - same - length, text.length - same);
  let same = 0;
  for (const block of BLOCKS)
    while (same + block <= most && before(one, block) === before(other, block)) same += block;
  return same;
}
