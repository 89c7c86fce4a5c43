// The branches of a log as a tree.

import type { ReadingAnswer } from "../../src/control/api/readings.ts";

export type Forks = ReadingAnswer<"agent">["branches"];

/** A branch that a person looks at. */
export interface ChosenBranch {
  /** Its newest event. */
  readonly end: number;
  /** What leads there, as ranges of numbers. */
  readonly path: readonly (readonly [number, number])[];
}

export interface Stem {
  readonly first: number;
  readonly last: number;
  /** The event that it goes on from; `null` for the first. */
  readonly from: number | null;
  readonly depth: number;
}

const MOST_DEPTH = 8;

/** Each before those that left it. */
export function stemsOf(forks: Forks, last: number): readonly Stem[] {
  const starts = [{ seq: 1, to: null as number | null }, ...forks];
  const stems = starts.map(({ seq, to }, index) => ({
    first: seq,
    last: (starts[index + 1]?.seq ?? last + 1) - 1,
    from: to,
    parent: to === null ? -1 : starts.findLastIndex((one, at) => at <= index - 1 && one.seq <= to),
  }));
  const below = (parent: number, depth: number): readonly Stem[] =>
    stems.flatMap((stem, index) =>
      stem.parent === parent && index !== parent
        ? [{ ...stem, depth }, ...below(index, Math.min(depth + 1, MOST_DEPTH))]
        : [],
    );
  return below(-1, 0);
}

/** What leads to the end of `stem`, oldest first. */
export function pathOf(stems: readonly Stem[], stem: Stem): readonly (readonly [number, number])[] {
  const { first, last, from } = stem;
  const parent = from === null ? undefined : stems.find((one) => one.first <= from && from <= one.last);
  const before = parent && parent.first < first ? pathOf(stems, { ...parent, last: from! }) : [];
  return [...before, [first, last]];
}
