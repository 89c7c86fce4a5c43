// What two long lists have in common, in their order, in about one reading of both: most of what stands in a prompt stands there once,
// and that is where it is found again.

import { diffArrays } from "diff";

/** A stretch that both have: where it begins in either, and how long it is. */
export interface Match {
  readonly before: number;
  readonly now: number;
  readonly count: number;
}

/** More differences than these are not looked through where nothing stands but once. */
const MOST_EDITS = 200;

/** In their order, none empty, none next to another; the texts are what is compared. */
export function matchesIn(before: readonly string[], now: readonly string[]): readonly Match[] {
  const start = sameFrom((at) => at < before.length && at < now.length && before[at] === now[at]);
  const rest = matchesBehind(before.slice(start), now.slice(start));
  const moved = rest.map((match) => ({ ...match, before: match.before + start, now: match.now + start }));
  return joined([{ before: 0, now: 0, count: start }, ...moved]);
}

function joined(matches: readonly Match[]): readonly Match[] {
  const all: Match[] = [];
  for (const match of matches) {
    if (match.count === 0) continue;
    const last = all.at(-1);
    const isNext = last && last.before + last.count === match.before && last.now + last.count === match.now;
    if (isNext) all[all.length - 1] = { ...last, count: last.count + match.count };
    else all.push(match);
  }
  return all;
}

function sameFrom(isSame: (at: number) => boolean): number {
  let at = 0;
  while (isSame(at)) at++;
  return at;
}

/** Of lists that begin differently. */
function matchesBehind(before: readonly string[], now: readonly string[]): readonly Match[] {
  if (before.length === 0 || now.length === 0) return [];
  const anchors = longestRise(pairsOf(placesOf(before), placesOf(now)));
  if (anchors.length === 0) return fewMatches(before, now);
  let [before0, now0] = [0, 0];
  const matches: Match[] = [];
  for (const [i, j] of [...anchors, [before.length, now.length] as const]) {
    const gap = matchesIn(before.slice(before0, i), now.slice(now0, j));
    for (const match of gap)
      matches.push({ ...match, before: match.before + before0, now: match.now + now0 });
    if (i < before.length) matches.push({ before: i, now: j, count: 1 });
    [before0, now0] = [i + 1, j + 1];
  }
  return matches;
}

type PlacePair = readonly [before: number, now: number];

/** Where each text stands that stands there once. */
function placesOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const many = new Set<string>();
  for (const [at, text] of texts.entries())
    if (places.has(text)) many.add(text);
    else places.set(text, at);
  for (const text of many) places.delete(text);
  return places;
}

function pairsOf(
  before: ReadonlyMap<string, number>,
  now: ReadonlyMap<string, number>,
): readonly PlacePair[] {
  return [...now].flatMap(([text, at]): PlacePair[] => (before.has(text) ? [[before.get(text)!, at]] : []));
}

/** The most of `pairs`, which are in the order of the second, that are in that of the first, too. */
function longestRise(pairs: readonly PlacePair[]): readonly PlacePair[] {
  /** By length, the end of the rise that ends lowest; and of each pair the one before it. */
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  for (const [index, [value]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[ends[middle]!]![0] < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = ends[low - 1];
    ends[low] = index;
  }
  const rise: PlacePair[] = [];
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) rise.push(pairs[at]!);
  return rise.reverse();
}

/** Where nothing stands once in both. */
function fewMatches(before: readonly string[], now: readonly string[]): readonly Match[] {
  const most = Math.min(before.length, now.length);
  const end = sameFrom((at) => at < most && before.at(-1 - at) === now.at(-1 - at));
  const [left, come] = [before, now].map((all) => all.slice(0, all.length - end));
  const pieces = diffArrays(left!, come!, { maxEditLength: MOST_EDITS }) ?? [];
  let [i, j] = [0, 0];
  const matches = pieces.flatMap(({ added, removed, count }): Match[] => {
    const match = { before: i, now: j, count };
    if (!added) i += count;
    if (!removed) j += count;
    return added || removed ? [] : [match];
  });
  return [...matches, { before: left!.length, now: come!.length, count: end }];
}
