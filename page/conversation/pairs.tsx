// Who talks to whom, as a table. A row pressed shows the messages of that pair.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { nameOf } from "../legion/overview.ts";
import { now } from "../parts/now.ts";
import { age, grouped } from "../parts/numbers.ts";
import { oneLine } from "../parts/shown.ts";
import { choose, isChosen } from "./filter.ts";
import { trafficOf, type Pair } from "./traffic.ts";

const FIRST = 100;

type Column = "sent" | "newest";

export function Pairs({ pairs }: { readonly pairs: readonly Pair[] }): JSX.Element {
  const by = useSignal<Column>("sent");
  const many = useSignal(FIRST);
  const inOrder =
    by.value === "sent"
      ? pairs
      : pairs.toSorted((a, b) => (a.newest < b.newest ? 1 : a.newest > b.newest ? -1 : 0));
  return (
    <div class="pairs" tabIndex={0} role="group" aria-label="Who talks to whom, as a table">
      <table>
        <thead>
          <tr>
            <th scope="col">From and to</th>
            <SortedBy column="sent" by={by} words="Messages" />
            <th scope="col" title="Not taken in yet">
              Open
            </th>
            <SortedBy column="newest" by={by} words="Newest" />
          </tr>
        </thead>
        <tbody>
          {inOrder.slice(0, many.value).map((pair) => (
            <Row key={`${pair.from}>${pair.to}`} pair={pair} />
          ))}
        </tbody>
      </table>
      {pairs.length > many.value && (
        <button type="button" class="quiet" onClick={() => (many.value += 10 * FIRST)}>
          {grouped(pairs.length - many.value)} more
        </button>
      )}
    </div>
  );
}

interface SortedByProps {
  readonly column: Column;
  readonly by: { value: Column };
  readonly words: string;
}

function SortedBy({ column, by, words }: SortedByProps): JSX.Element {
  const isBy = by.value === column;
  return (
    <th scope="col" aria-sort={isBy ? "descending" : "none"}>
      <button type="button" class="quiet" onClick={() => (by.value = column)}>
        {words}
        <span aria-hidden="true">{isBy ? " ▼" : ""}</span>
      </button>
    </th>
  );
}

function Row({ pair }: { readonly pair: Pair }): JSX.Element {
  const { from, to, sent, taken, newest } = pair;
  const isOn = isChosen({ from, to });
  return (
    <tr class={isOn ? "on" : undefined}>
      <th scope="row">
        <button type="button" class="quiet" aria-pressed={isOn} onClick={() => choose({ from, to })}>
          {oneLine(nameOf(from))} → {oneLine(nameOf(to))}
        </button>
      </th>
      <td>{grouped(trafficOf(pair))}</td>
      <td class={sent > taken ? undefined : "nothing"}>{grouped(Math.max(0, sent - taken))}</td>
      <td>{age(newest, now.value)}</td>
    </tr>
  );
}
