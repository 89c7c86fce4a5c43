// The branches of a log as a tree: which one goes on, and, by choice, the events that led to the end of another.

import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { part } from "../connection/api.ts";
import { isFile } from "../connection/record.ts";
import { addressOf } from "../place.ts";
import { pathOf, stemsOf, type ChosenBranch, type Forks, type Stem } from "./stems.ts";

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
            {!goesOn && !isFile && <Compare agent={agent} end={stem.last} />}
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
