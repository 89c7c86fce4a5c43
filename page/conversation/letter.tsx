// One message: who said it to whom, when, what became of it, and its words.

import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { part, read } from "../connection/api.ts";
import { nameOf } from "../legion/overview.ts";
import { LongText } from "../parts/long-text.tsx";
import { grouped, moment } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { addressOf } from "../place.ts";

export type Letter = ReadingAnswer<"conversation">["messages"][number];

/** An opening is what of so many characters fits on a line of so many: blanks in a row are one. */
const LONGEST = 800;
const LONGEST_LINE = 200;

/** Behind a sign, so that no colour has to say it. */
const STATES: Readonly<Record<Letter["state"], string>> = {
  sent: "… on its way",
  delivered: "○ not taken in yet",
  held: "‖ held until it rests",
  taken: "✓ taken in",
  undelivered: "✕ not delivered",
};

/** What the person is sent is before them at once. */
function fateOf({ state, to }: Letter): string {
  return to === "0" && (state === "taken" || state === "delivered") ? "✓ in your inbox" : STATES[state];
}

interface LetterProps {
  readonly letter: Letter;
  /** What else stands in its first line. */
  readonly children?: ComponentChildren;
  /** Of what became of it, in place of the usual words. */
  readonly fate?: string;
}

export function LetterLines({ letter, fate, children }: LetterProps): JSX.Element {
  const { id, from, to, at, lane, state, why, spontaneous } = letter;
  return (
    <>
      <header>
        <span>
          {spontaneous && from === "0" ? <b>Legion</b> : <PartyName id={from} />} <span class="dim">→</span>{" "}
          <PartyName id={to} />
        </span>
        <time dateTime={at}>{moment(at)}</time>
        {spontaneous && <span class="tag">from the runtime</span>}
        {lane !== "normal" && <span class="tag">{lane}</span>}
        <span class={`fate f-${to === "0" && state === "delivered" ? "taken" : state}`}>
          {fate ?? fateOf(letter)}
        </span>
        <span class="dim">{oneLine(id)}</span>
        <span class="spring" />
        {children}
      </header>
      {why !== null && <p class="why">{oneLine(why)}</p>}
      <Words letter={letter} />
    </>
  );
}

/** Leads to the agent; the person and memories are nowhere on the page. */
export function PartyName({ id }: { readonly id: string }): JSX.Element {
  const name = oneLine(nameOf(id));
  if (id === "0" || id.includes("/")) return <b>{name}</b>;
  return <a href={addressOf({ area: "agent", agent: id })}>{name}</a>;
}

function Words({ letter }: { readonly letter: Letter }): JSX.Element {
  const { opening, chars } = letter;
  const isCut = chars > LONGEST || (chars > opening.length && opening.length > LONGEST_LINE - 2);
  const whole = useSignal<string | undefined>(undefined);
  const show = async (): Promise<void> => {
    whole.value = await wordsOf(letter);
  };
  if (whole.value === undefined)
    return (
      <div class="text">
        {oneLine(opening)}
        {isCut && (
          <>
            <span aria-hidden="true"> …</span>{" "}
            <button type="button" class="quiet" onClick={() => void show()}>
              All of it ({grouped(chars)} characters)
            </button>
          </>
        )}
      </div>
    );
  return (
    <>
      <LongText text={whole.value} chars={8_000} />
      <button type="button" class="quiet" onClick={() => (whole.value = undefined)}>
        Show less
      </button>
    </>
  );
}

/** All of it, or why it cannot be read. */
async function wordsOf({ id, event: { agent, seq } }: Letter): Promise<string> {
  const heard = await read<"log">(`/agents/${part(agent)}/log?from=${seq}&limit=1`);
  if (heard.outcome !== "done") return heard.why;
  const { message, sends = [] } = Object(heard.answer.events[0]) as {
    readonly message?: Said;
    readonly sends?: readonly Said[];
  };
  const said = [...(message ? [message] : []), ...sends].find((one) => one.id === id);
  return said?.content ?? "Its text is not in the log any more.";
}

interface Said {
  readonly id: string;
  readonly content: string;
}
