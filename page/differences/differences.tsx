// Two pasts beside each other from where they part.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import type { Event } from "../../src/domain/event/event.ts";
import { callsOf } from "../agent/calls.ts";
import { Entry, isMinor } from "../agent/entry.tsx";
import { LineChanges } from "../agent/line-changes.tsx";
import { read, type Heard } from "../connection/api.ts";
import { count, grouped, moment, money } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { addressOf } from "../place.ts";
import { Choose } from "./choose.tsx";
import { isWhole, readSides, type Side } from "./sides.ts";

type Parting = ReadingAnswer<"differences">;

/** @param sides what stands in the address */
export function Differences({ sides }: { readonly sides: string }): JSX.Element {
  const heard = useSignal<Heard<Parting> | undefined>(undefined);
  const chosen = readSides(sides);
  useEffect(() => {
    if (!isWhole(chosen)) return undefined;
    let isGone = false;
    void read<"differences">(`/differences?${sides}`).then((answer) => {
      if (!isGone) heard.value = answer;
    });
    return () => void (isGone = true);
  }, [sides]);
  const { value } = heard;
  return (
    <main class="area">
      <div class="scroll differences" tabIndex={0} role="group" aria-label="Differences">
        <h1 tabIndex={-1}>Differences</h1>
        <Choose sides={chosen} />
        {!isWhole(chosen) && (
          <p class="nobody">
            Choose two pasts: two branches of an agent, an agent and its fork, or the agents of two runs.
          </p>
        )}
        {isWhole(chosen) && !value && <p class="nobody">Reading both…</p>}
        {value && value.outcome !== "done" && (
          <p class="trouble" role="alert">
            {oneLine(value.why)}
          </p>
        )}
        {value?.outcome === "done" && (
          <>
            <Shared parting={value.answer} side={chosen.one} />
            <FirstDifference parting={value.answer} />
            <div class="sides">
              <Own own={value.answer.one} side={chosen.one} sign="−" />
              <Own own={value.answer.other} side={chosen.other} sign="+" />
            </div>
          </>
        )}
      </div>
    </main>
  );
}

function Shared({ parting, side }: { readonly parting: Parting; readonly side: Side }): JSX.Element {
  const { same, one } = parting;
  if (!one.shared) return <p class="shared">Not even their first events are the same.</p>;
  return (
    <p class="shared">
      {count(same, "event")} {same === 1 ? "is" : "are"} the same, until{" "}
      {side.run === "" ? (
        <a href={addressOf({ area: "agent", agent: one.agent, seq: one.shared.seq })}>
          event {one.shared.seq}
        </a>
      ) : (
        `event ${one.shared.seq}`
      )}{" "}
      <time dateTime={one.shared.at}>({moment(one.shared.at)})</time>.
    </p>
  );
}

function FirstDifference({ parting }: { readonly parting: Parting }): JSX.Element {
  const { unlike, one, other } = parting;
  if (unlike)
    return (
      <section class="first-difference" aria-label="The first difference">
        <h2>First difference: {oneLine(unlike.part)}</h2>
        <p class="dim">
          − {oneLine(one.name)}, event {one.parts?.seq} · + {oneLine(other.name)}, event {other.parts?.seq}
        </p>
        <LineChanges before={unlike.one} now={unlike.other} whole="both" />
      </section>
    );
  if (!one.parts && !other.parts) return <p class="shared">✓ Both are the same to the end.</p>;
  const [longer, shorter] = one.parts ? [one, other] : [other, one];
  return (
    <p class="shared">
      {oneLine(shorter.name)} ends there; {oneLine(longer.name)} goes on with event {longer.parts?.seq}.
    </p>
  );
}

interface OwnProps {
  readonly own: Parting["one"];
  readonly side: Side;
  readonly sign: "−" | "+";
}

function Own({ own, side, sign }: OwnProps): JSX.Element {
  const { agent, name, parts, lost, more, since } = own;
  const found: readonly object[] = own.events;
  const events = found as readonly Event[];
  const calls = callsOf(events);
  const label = `${oneLine(name)}${side.run === "" ? "" : ` of run ${oneLine(side.run)}`}`;
  return (
    <section class={`side${side.run === "" ? "" : " of-run"}`} aria-label={label}>
      <h2>
        <span aria-hidden="true">{sign}</span>{" "}
        {side.run === "" ? <a href={addressOf({ area: "agent", agent, seq: parts?.seq })}>{label}</a> : label}
      </h2>
      <p class="dim">
        since then {count(since.steps, "step")} · {count(since.tokens, "token")} · {money(since.cost)} ·{" "}
        {grouped(Math.round(since.timeMs / 1_000))} s
      </p>
      {lost > 0 && <p class="trouble">{count(lost, "event")} of its log cannot be read and is left out.</p>}
      {events.length === 0 && <p class="nobody">Nothing follows.</p>}
      <ol class="entries">
        {events
          .filter((event) => !isMinor(event))
          .map((event) => (
            <Entry
              key={event.seq}
              agent={agent}
              event={event}
              call={calls.get(event.seq)}
              isFirst={event.seq === parts?.seq}
            />
          ))}
      </ol>
      {more > 0 && <p class="dim">and {count(more, "more event")}</p>}
    </section>
  );
}
