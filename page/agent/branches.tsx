// The branches of a log as a tree: which one goes on, and, by choice, the events that led to the end of another.

import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { part } from "../connection/api.ts";
import { addressOf } from "../place.ts";

type Forks = ReadingAnswer<"agent">["branches"];

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

interface BranchesProps {
  readonly agent: string;
  readonly forks: Forks;
  readonly last: number;
  /** `undefined`: the log as it goes on. */
  readonly chosen: Signal<ChosenBranch | undefined>;
}

export function Branches({ agent, forks, last, chosen }: BranchesProps): JSX.Element {
  const stems = stemsOf(forks, last);
  if (stems.length < 2) return <p class="dim">{last === 0 ? "none" : `one, events 1 to ${last}`}</p>;
  const choose = (stem: Stem): void =>
    void (chosen.value = stem.last === last ? undefined : { end: stem.last, path: pathOf(stems, stem) });
  return (
    <ul class="branches">
      {stems.map((stem) => {
        const goesOn = stem.last === last;
        const isShown = goesOn ? chosen.value === undefined : chosen.value?.end === stem.last;
        return (
          <li key={stem.first} style={{ marginInlineStart: `${stem.depth}rem` }}>
            <button type="button" class="quiet" aria-pressed={isShown} onClick={() => choose(stem)}>
              <span aria-hidden="true">{goesOn ? "●" : "○"} </span>
              {goesOn ? <b>{words(stem)}, goes on</b> : words(stem)}
              {isShown && <span class="dim"> (shown)</span>}
            </button>
            {!goesOn && <Compare agent={agent} end={stem.last} />}
          </li>
        );
      })}
    </ul>
  );
}

function Compare({ agent, end }: { readonly agent: string; readonly end: number }): JSX.Element {
  const id = part(agent);
  return (
    <a
      aria-label={`Compare events up to ${end} with the newest branch`}
      href={addressOf({ area: "differences", sides: `one=${id}&oneAt=${end}&other=${id}` })}
    >
      compare
    </a>
  );
}

function words({ first, last, from }: Stem): string {
  return `${from === null ? "" : `from ${from}: `}${first} to ${last}`;
}

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
