// What came of the last acts.

import type { JSX } from "preact";
import { oneLine } from "../parts/shown.ts";
import { acts, forget, type Act } from "./acts.ts";

const MARKS: Readonly<Record<Act["state"], string>> = {
  "under way": "…",
  done: "✓",
  refused: "✕",
  "not heard": "!",
};

export function Outcomes(): JSX.Element | null {
  if (acts.value.length === 0) return null;
  return (
    <ul class="outcomes" aria-label="What came of what you did">
      {acts.value.map(({ n, words, state, lines }) => (
        <li key={n} class={`outcome ${state.replace(" ", "-")}`}>
          <span class="mark" aria-hidden="true">
            {MARKS[state]}
          </span>
          <span>
            <b>{oneLine(words)}</b> {state}
            {lines.map((line) => (
              <span class="line" key={line}>
                {oneLine(line)}
              </span>
            ))}
          </span>
          <button
            type="button"
            class="quiet"
            aria-label={`Forget: ${oneLine(words)}`}
            onClick={() => forget(n)}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}
