// How much the legion is at: its steps, minute by minute, of the last half hour. What was before the page was opened is in the record.

import { effect, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { readNow } from "../connection/api.ts";
import { Chart } from "../parts/chart.tsx";
import { now } from "../parts/now.ts";
import { count, grouped } from "../parts/numbers.ts";
import { asOf } from "../place.ts";
import { overview } from "./overview.ts";

const MINUTE_MS = 60_000;
const MINUTES = 30;
const HEIGHT_PX = 34;

/** Steps by minute since 1970. */
const steps = signal<ReadonlyMap<number, number>>(new Map());

export function watchActivity(): void {
  const before = new Map<string, number>();
  effect(() => {
    // What stood at another time says nothing of now.
    if (asOf.value !== undefined) return before.clear();
    let made = 0;
    for (const [id, { steps: all }] of overview.value?.agents ?? []) {
      made += Math.max(0, all - (before.get(id) ?? all));
      before.set(id, all);
    }
    if (made > 0) add(Math.floor(Date.now() / MINUTE_MS), made);
  });
  void readPast();
}

async function readPast(): Promise<void> {
  const heard = await readNow<"costs">("/costs");
  if (heard.outcome !== "done") return;
  const past = heard.answer.spans
    .filter(({ minutes }) => minutes === 1)
    .slice(-MINUTES)
    .map(({ at, steps: made }) => [Math.floor(Date.parse(at) / MINUTE_MS), made] as const);
  steps.value = new Map([...steps.peek(), ...past]);
}

function add(minute: number, made: number): void {
  const oldest = minute - MINUTES;
  const kept = [...steps.peek()].filter(([one]) => one > oldest);
  steps.value = new Map(kept).set(minute, (steps.peek().get(minute) ?? 0) + made);
}

export function Activity(): JSX.Element | null {
  const minute = Math.floor(now.value / MINUTE_MS);
  const all = steps.value;
  const { times, values } = useMemo(() => {
    const minutes = Array.from({ length: MINUTES }, (_, index) => minute - MINUTES + 1 + index);
    return { times: minutes.map((one) => one * 60), values: minutes.map((one) => all.get(one) ?? 0) };
  }, [minute, all]);
  const bars = useMemo(() => [{ title: "Steps", colour: "--accent", values }], [values]);
  const most = Math.max(...values);
  const words = `${count(values.at(-1)!, "step")} in this minute, at most ${grouped(most)} in one of the last ${MINUTES}`;
  if (asOf.value !== undefined) return null;
  return (
    <div class="activity" title={words}>
      <span class="dim">Activity</span>
      <Chart label={`Activity: ${words}`} times={times} bars={bars} step={60} height={HEIGHT_PX} />
      <span>{most === 0 ? "no steps in 30 minutes" : `${grouped(values.at(-1)!)} steps/min`}</span>
    </div>
  );
}
