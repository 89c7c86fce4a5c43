// What an agent wants and knows, and the branches of its log.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { part, read, type Heard } from "../connection/api.ts";
import { Memories } from "./memories.tsx";
import { LongText } from "../parts/long-text.tsx";
import { oneLine } from "../parts/shown.ts";

interface BesideProps {
  readonly agent: string;
  readonly details: ReadingAnswer<"agent"> | undefined;
}

export function Beside({ agent, details }: BesideProps): JSX.Element {
  const { goals = [], notes = [], memories = [], branches = [], last = 0 } = details ?? {};
  const { description = "", modules = [] } = details ?? {};
  return (
    <aside class="beside" aria-label="What it wants and knows" tabIndex={0}>
      {description !== "" && <p class="dim">{oneLine(description)}</p>}
      <h2>Goals</h2>
      {goals.length === 0 && <p class="dim">none</p>}
      <ol class="goals">
        {goals.map(({ text, complete }, index) => (
          <li key={index} class={complete ? "complete" : ""}>
            <span aria-hidden="true">{complete ? "✓" : "○"}</span>
            <span class="unseen">{complete ? "complete:" : "open:"}</span> {oneLine(text)}
          </li>
        ))}
      </ol>
      <h2>Notes</h2>
      {notes.length === 0 && <p class="dim">none</p>}
      {notes.map((title) => (
        <Note key={title} agent={agent} title={title} />
      ))}
      {memories.length > 0 && (
        <>
          <h2>Memory</h2>
          <Memories agent={agent} />
        </>
      )}
      <h2>Branches</h2>
      <Branches forks={branches} last={last} />
      {modules.length > 0 && <p class="dim">Modules: {oneLine(modules.join(", "))}</p>}
    </aside>
  );
}

function Note({ agent, title }: { readonly agent: string; readonly title: string }): JSX.Element {
  const heard = useSignal<Heard<ReadingAnswer<"note">> | undefined>(undefined);
  const look = async (event: { readonly currentTarget: HTMLDetailsElement }): Promise<void> => {
    if (!event.currentTarget.open) return;
    heard.value = await read<"note">(`/agents/${part(agent)}/notes/${part(title)}`);
  };
  const { value } = heard;
  return (
    <details class="note" onToggle={(event) => void look(event)}>
      <summary>{oneLine(title)}</summary>
      {!value && <p class="dim">Reading…</p>}
      {value?.outcome === "done" && <LongText text={value.answer.content} chars={4_000} />}
      {value && value.outcome !== "done" && <p class="trouble">{oneLine(value.why)}</p>}
    </details>
  );
}

interface Stem {
  readonly first: number;
  readonly last: number;
  /** The event that it goes on from; `null` for the first. */
  readonly from: number | null;
  readonly depth: number;
}

const MOST_DEPTH = 8;

function Branches({
  forks,
  last,
}: {
  readonly forks: ReadingAnswer<"agent">["branches"];
  readonly last: number;
}): JSX.Element {
  const stems = stemsOf(forks, last);
  if (stems.length < 2) return <p class="dim">{last === 0 ? "none" : `one, events 1 to ${last}`}</p>;
  return (
    <ul class="branches">
      {stems.map(({ first, last: end, from, depth }) => (
        <li key={first} style={{ marginInlineStart: `${depth}rem` }}>
          {end === last ? <b>{words(first, end, from)}, goes on</b> : words(first, end, from)}
        </li>
      ))}
    </ul>
  );
}

function words(first: number, last: number, from: number | null): string {
  return `${from === null ? "" : `from ${from}: `}${first} to ${last}`;
}

/** Each before those that left it. */
function stemsOf(forks: ReadingAnswer<"agent">["branches"], last: number): readonly Stem[] {
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
