// A state as a shape and a word: its colour says nothing that these do not.

import type { JSX } from "preact";
import type { AgentState } from "../../src/domain/inspection.ts";

/** In a square of 12. */
const SHAPES: Readonly<Record<AgentState, string>> = {
  idle: "M6 2a4 4 0 1 0 0 8a4 4 0 1 0 0-8zm0 1.5a2.5 2.5 0 1 1 0 5a2.5 2.5 0 1 1 0-5z",
  waiting: "M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9zm-.7 1.5h1.4v2.7l2 1.2l-.7 1.2l-2.7-1.6z",
  thinking: "M6 .8L11.2 6L6 11.2L.8 6z",
  acting: "M2.5 1.2L11 6l-8.5 4.8z",
  asking: "M1 1h10v7H6.5L3.5 11V8H1zM5.2 2.2v3h1.6v-3zm0 3.6v1.4h1.6V5.8z",
  retrying: "M6 1.5a4.5 4.5 0 1 0 4.5 4.5H9a3 3 0 1 1-3-3v2.2L9.6 2.6L6 0z",
  paused: "M2.5 1.5h2.6v9H2.5zm4.4 0h2.6v9H6.9z",
  parked: "M1.8 1.8h8.4v8.4H1.8z",
  halted: "M2.6 1.2L6 4.6l3.4-3.4l1.4 1.4L7.4 6l3.4 3.4l-1.4 1.4L6 7.4l-3.4 3.4l-1.4-1.4L4.6 6L1.2 2.6z",
  stopped: "M1.8 1.8h8.4v8.4H1.8zm1.4 1.4v5.6h5.6V3.2z",
};

export function StateMark({ state }: { readonly state: AgentState }): JSX.Element {
  return (
    <span class={`state state-${state}`}>
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        <path d={SHAPES[state]} fill="currentColor" fill-rule="evenodd" />
      </svg>
      {state}
    </span>
  );
}
