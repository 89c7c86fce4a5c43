// The time that the whole page shows: a slider over the record, whose right end is now.

import { effect, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { overview } from "../legion/overview.ts";
import { today } from "../parts/now.ts";
import { age, moment } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { asOf, showTime } from "../place.ts";
import { activityBetween, beganMs, lookAtSpan, spans, spanTrouble } from "./span.ts";

const isOpen = signal(false);
// Whoever came to the past by a link stays at it when they go back to now.
effect(() => void (asOf.value !== undefined && (isOpen.value = true)));

/** A slider that is moved asks no more often. */
const SETTLE_MS = 120;
const SPAN_LOOK_MS = 15_000;
const SECOND_MS = 1_000;

export function TimeButton(): JSX.Element {
  const toggle = (): void => {
    isOpen.value = !isOpen.value;
    if (!isOpen.value && asOf.value !== undefined) showTime(undefined);
  };
  return (
    <button type="button" class="quiet" aria-expanded={isOpen.value} onClick={toggle}>
      Time
    </button>
  );
}

export function TimeBar(): JSX.Element | null {
  return isOpen.value ? <Bar /> : null;
}

function Bar(): JSX.Element {
  useEffect(() => {
    void lookAtSpan();
    const timer = setInterval(() => void (asOf.peek() === undefined && lookAtSpan()), SPAN_LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const began = beganMs.value;
  const isPast = asOf.value !== undefined;
  return (
    <section class={isPast ? "time past" : "time"} aria-label="Time">
      {began === undefined ? (
        <p class="dim">{oneLine(spanTrouble.value ?? "Reading the record…")}</p>
      ) : (
        <Slider beganMs={began} />
      )}
      <Shown />
      <button
        type="button"
        class={isPast ? "main" : ""}
        disabled={!isPast}
        onClick={() => showTime(undefined)}
      >
        Back to now
      </button>
    </section>
  );
}

/** What is shown, in words; and the time to the second, for whoever knows it. */
function Shown(): JSX.Element {
  const at = asOf.value;
  return (
    <>
      <label class="time-exact">
        <span class="unseen">The time that is shown</span>
        <input
          type="datetime-local"
          step="1"
          value={localTime(at === undefined ? today.value : Date.parse(at))}
          onChange={({ currentTarget }) => {
            const ms = Date.parse(currentTarget.value);
            if (!Number.isNaN(ms)) showTime(new Date(ms).toISOString());
          }}
        />
      </label>
      <output class="time-words">
        {at === undefined
          ? "Now"
          : overview.value
            ? `As it was ${age(at, today.value)} ago`
            : `Reading what was ${age(at, today.value)} ago…`}
      </output>
    </>
  );
}

function Slider({ beganMs: from }: { readonly beganMs: number }): JSX.Element {
  const settling = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Its right end is a step of its own, whatever the time is.
  const until = from + SECOND_MS * Math.max(1, Math.ceil((today.value - from) / SECOND_MS));
  const at = asOf.value;
  const minute = Math.floor(until / 60_000);
  const bars = useMemo(() => activityBetween(from, until), [from, minute, spans.value]);
  const show = (ms: number): void => {
    clearTimeout(settling.current);
    const wanted = ms >= until ? undefined : new Date(Math.max(from, ms)).toISOString();
    settling.current = setTimeout(() => showTime(wanted), SETTLE_MS);
  };
  return (
    <div class="time-track">
      <div class="time-bars" aria-hidden="true">
        {bars.map((share, index) => (
          <span key={index} style={{ height: `${100 * share}%` }} />
        ))}
      </div>
      <input
        type="range"
        aria-label="The time that is shown, from the beginning of the record until now"
        aria-valuetext={at === undefined ? "now" : moment(at)}
        min={from}
        max={until}
        step={SECOND_MS}
        value={at === undefined ? until : Date.parse(at)}
        onInput={({ currentTarget }) => show(Number(currentTarget.value))}
        onKeyDown={(event) => onStep(event, (ms) => show(Number(event.currentTarget.value) + ms))}
      />
      <div class="time-ends dim" aria-hidden="true">
        <span>{moment(new Date(from).toISOString())}</span>
        <span>now</span>
      </div>
    </div>
  );
}

/** With Ctrl the arrows go by a minute. */
function onStep(event: KeyboardEvent, step: (ms: number) => void): void {
  const way = { ArrowLeft: -60, ArrowRight: 60 }[event.key];
  if (way === undefined || !event.ctrlKey) return;
  event.preventDefault();
  step(way * SECOND_MS);
}

/** As the browser's own field writes it. */
function localTime(ms: number): string {
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
