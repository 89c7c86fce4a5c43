// What was spent when: money where anything costs, and tokens, with what the provider's cache served of them.

import { useMemo } from "preact/hooks";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import { Chart, type Bars } from "../parts/chart.tsx";
import { grouped, moment, money, short } from "../parts/numbers.ts";
import { bucketsOf, type Bucket } from "./buckets.ts";

type Spans = ReadingAnswer<"costs">["spans"];

const HEIGHT_PX = 130;

export function Course({ spans }: { readonly spans: Spans }): JSX.Element | null {
  const { buckets, minutes } = useMemo(() => bucketsOf(spans), [spans]);
  const at = useSignal<number | null>(null);
  if (buckets.length === 0) return null;
  const isPaid = buckets.some(({ cost }) => cost > 0);
  const pointed = at.value === null ? undefined : buckets[at.value];
  const shared = {
    times: buckets.map(({ atMs }) => atMs / 1_000),
    step: minutes * 60,
    height: HEIGHT_PX,
    onPoint: (index: number | null) => void (at.value = index),
  };
  return (
    <figure class="course">
      <figcaption>
        <b>Over time</b>, {spanWords(minutes)} a bar, since {moment(new Date(buckets[0]!.atMs).toISOString())}
      </figcaption>
      {isPaid && (
        <>
          <p class="aside">Money</p>
          <Chart
            {...shared}
            label={`Money over time. ${mostWords(buckets, ({ cost }) => cost, money)}`}
            bars={[{ title: "Cost", colour: "--accent", values: buckets.map(({ cost }) => cost) }]}
            write={(amount) => (amount === 0 ? "$0" : money(amount))}
          />
        </>
      )}
      <p class="aside keys">
        Tokens: <Key colour="cached" words="read from the cache" /> <Key colour="anew" words="read anew" />{" "}
        <Key colour="out" words="written" />
      </p>
      <Chart
        {...shared}
        label={`Tokens over time. ${mostWords(
          buckets,
          ({ input, output }) => input + output,
          (tokens) => `${short(tokens)} tokens`,
        )}`}
        bars={stackOf(buckets)}
        write={short}
      />
      <p class="aside readout" aria-hidden="true">
        {pointed ? bucketWords(pointed) : "Point at a bar to read it."}
      </p>
      <details>
        <summary>As a table</summary>
        <BucketTable buckets={buckets} isPaid={isPaid} />
      </details>
    </figure>
  );
}

/** From the top: what is written, read anew, read from the cache. */
function stackOf(buckets: readonly Bucket[]): readonly Bars[] {
  return [
    { title: "written", colour: "--chart-out", values: buckets.map(({ input, output }) => input + output) },
    { title: "read anew", colour: "--chart-anew", values: buckets.map(({ input }) => input) },
    { title: "from the cache", colour: "--chart-cached", values: buckets.map(({ cacheRead }) => cacheRead) },
  ];
}

function Key({ colour, words }: { readonly colour: string; readonly words: string }): JSX.Element {
  return (
    <span class="key">
      <span class={`swatch ${colour}`} aria-hidden="true" />
      {words}
    </span>
  );
}

function BucketTable({
  buckets,
  isPaid,
}: {
  readonly buckets: readonly Bucket[];
  readonly isPaid: boolean;
}): JSX.Element {
  return (
    <table class="bill">
      <thead>
        <tr>
          <th scope="col">From</th>
          <th scope="col" class="spare">
            Steps
          </th>
          <th scope="col">Tokens in</th>
          <th scope="col" class="spare">
            of it cached
          </th>
          <th scope="col">Tokens out</th>
          {isPaid && <th scope="col">Cost</th>}
        </tr>
      </thead>
      <tbody>
        {buckets
          .filter(({ steps, input, output }) => steps + input + output > 0)
          .toReversed()
          .map(({ atMs, steps, input, cacheRead, output, cost }) => (
            <tr key={atMs}>
              <th scope="row">{moment(new Date(atMs).toISOString())}</th>
              <td class="spare">{grouped(steps)}</td>
              <td>{grouped(input)}</td>
              <td class="spare">{grouped(cacheRead)}</td>
              <td>{grouped(output)}</td>
              {isPaid && <td>{money(cost)}</td>}
            </tr>
          ))}
      </tbody>
    </table>
  );
}

function bucketWords({ atMs, cost, input, cacheRead, output }: Bucket): string {
  const paid = cost > 0 ? `${money(cost)}, ` : "";
  const cached = cacheRead > 0 ? ` (${short(cacheRead)} from the cache)` : "";
  return `${moment(new Date(atMs).toISOString())}: ${paid}${short(input)} tokens in${cached}, ${short(output)} out`;
}

function mostWords(
  buckets: readonly Bucket[],
  of: (bucket: Bucket) => number,
  write: (amount: number) => string,
): string {
  const most = buckets.reduce((a, b) => (of(b) > of(a) ? b : a));
  return `At most ${write(of(most))}, from ${moment(new Date(most.atMs).toISOString())} on; the table below has all of it.`;
}

function spanWords(minutes: number): string {
  if (minutes >= 1_440) return minutes === 1_440 ? "a day" : `${minutes / 1_440} days`;
  if (minutes >= 60) return minutes === 60 ? "an hour" : `${minutes / 60} hours`;
  return minutes === 1 ? "a minute" : `${minutes} minutes`;
}
