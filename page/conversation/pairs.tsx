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
  const at = useSignal<string | undefined>(undefined);
  const inOrder =
    by.value === "sent"
      ? pairs
      : pairs.toSorted((a, b) => (a.newest < b.newest ? 1 : a.newest > b.newest ? -1 : 0));
  const rows = inOrder.slice(0, many.value);
  const stop = rows.some((pair) => keyOf(pair) === at.value) ? at.value : rows[0] && keyOf(rows[0]);
  return (
    <div
      class="pairs"
      role="group"
      aria-label="Who talks to whom, as a table; arrow keys lead from row to row"
    >
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
        <tbody
          onKeyDown={alongRows}
          onFocusIn={({ target }) => (at.value = (target as HTMLElement).dataset["pair"])}
        >
          {rows.map((pair) => (
            <Row key={keyOf(pair)} pair={pair} isStop={keyOf(pair) === stop} />
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

function keyOf({ from, to }: Pair): string {
  return `${from}>${to}`;
}

/** Of the rows one is on the way of Tab: arrows lead to the others. */
function alongRows(event: KeyboardEvent): void {
  const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll("button")];
  const at = buttons.indexOf(event.target as HTMLButtonElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (to === undefined) return;
  buttons[to]?.focus();
  event.preventDefault();
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

interface RowProps {
  readonly pair: Pair;
  /** Tab leads there. */
  readonly isStop: boolean;
}

function Row({ pair, isStop }: RowProps): JSX.Element {
  const { from, to, sent, taken, newest } = pair;
  const isOn = isChosen({ from, to });
  // What the person is sent is before them at once.
  const open = to === "0" ? 0 : Math.max(0, sent - taken);
  return (
    <tr class={isOn ? "on" : undefined}>
      <th scope="row">
        <button
          type="button"
          class="quiet"
          aria-pressed={isOn}
          tabIndex={isStop ? 0 : -1}
          data-pair={keyOf(pair)}
          onClick={() => choose({ from, to })}
        >
          {oneLine(nameOf(from))} → {oneLine(nameOf(to))}
        </button>
      </th>
      <td>{grouped(trafficOf(pair))}</td>
      <td class={open > 0 ? undefined : "nothing"}>{grouped(open)}</td>
      <td>{age(newest, now.value)}</td>
    </tr>
  );
}
