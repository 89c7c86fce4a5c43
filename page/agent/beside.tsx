// What an agent wants and knows, and the branches of its log.

import { useSignal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { part, read, type Heard } from "../connection/api.ts";
import { isFile } from "../connection/record.ts";
import { Branches } from "./branches.tsx";
import type { ChosenBranch } from "./stems.ts";
import { Memories } from "./memories.tsx";
import { LongText } from "../parts/long-text.tsx";
import { oneLine } from "../parts/shown.ts";
import { addressOf } from "../place.ts";

interface BesideProps {
  readonly agent: string;
  readonly details: ReadingAnswer<"agent"> | undefined;
  /** The branch that is looked at. */
  readonly chosen: Signal<ChosenBranch | undefined>;
}

export function Beside({ agent, details, chosen }: BesideProps): JSX.Element {
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
      <Branches agent={agent} forks={branches} last={last} chosen={chosen} />
      {!isFile && (
        <p>
          <a href={addressOf({ area: "differences", sides: `one=${part(agent)}` })}>
            Compare with another past…
          </a>
        </p>
      )}
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
