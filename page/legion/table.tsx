// All agents in a table of which only the rows in sight exist. The focus stays on the table, which names the row that the keys
// are at: so it outlives every update, also where rows change places.

import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { AgentStatus } from "../../src/legion/status.ts";
import { open } from "../place.ts";
import { now } from "../parts/now.ts";
import { oneLine } from "../parts/shown.ts";
import { StateMark } from "../parts/state-mark.tsx";
import { choose, chosen, current, moveBy, rows, sortBy, sorting } from "./choice.ts";
import { COLUMNS, type Column } from "./columns.ts";

const WIDE_ROW_PX = 30;
const NARROW_ROW_PX = 58;
/** Rows beyond either edge. */
const SPARE = 6;
const NARROW = "(max-width: 44rem)";

export function AgentTable(): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const rowPx = useRowHeight();
  const view = useSignal({ top: 0, height: 600 });
  useEffect(() => {
    const measure = (): void => {
      if (box.current) view.value = { top: box.current.scrollTop, height: box.current.clientHeight };
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    box.current!.addEventListener("scroll", measure, { passive: true });
    return () => observer.disconnect();
  }, []);
  useSignalEffect(() => {
    const index = rows.peek().findIndex(({ id }) => id === current.value);
    if (index !== -1) bringIntoSight(box.current, index * rowPx.peek(), rowPx.peek());
  });
  const keys = (event: KeyboardEvent): void =>
    onKey(event, Math.floor(view.peek().height / rowPx.peek()) - 1);
  const active = rows.value.some(({ id }) => id === current.value) ? rowId(current.value!) : undefined;
  return (
    <div
      class="grid"
      id="agents"
      role="grid"
      tabIndex={0}
      aria-label="Agents"
      aria-rowcount={rows.value.length + 1}
      aria-colcount={COLUMNS.length + 1}
      aria-multiselectable="true"
      aria-activedescendant={active}
      onKeyDown={keys}
      onFocus={() => (current.value ??= rows.value[0]?.id)}
      ref={box}
    >
      <Head />
      <div class="rows" role="rowgroup" style={{ height: `${rows.value.length * rowPx.value}px` }}>
        {inSight(rows.value, view.value, rowPx.value).map(({ status, index }) => (
          <Row key={status.id} status={status} index={index} top={index * rowPx.value} />
        ))}
      </div>
    </div>
  );
}

function useRowHeight(): { readonly value: number; peek(): number } {
  const query = useRef(matchMedia(NARROW)).current;
  const isNarrow = useSignal(query.matches);
  useEffect(() => {
    const look = (): void => void (isNarrow.value = query.matches);
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, []);
  return useComputed(() => (isNarrow.value ? NARROW_ROW_PX : WIDE_ROW_PX));
}

interface Placed {
  readonly status: AgentStatus;
  readonly index: number;
}

/** The row that the keys are at is always among them: it is named by the table. */
function inSight(
  all: readonly AgentStatus[],
  { top, height }: { readonly top: number; readonly height: number },
  rowPx: number,
): readonly Placed[] {
  const first = Math.max(0, Math.floor(top / rowPx) - SPARE);
  const end = Math.ceil((top + height) / rowPx) + SPARE;
  const placed = all.slice(first, end).map((status, index) => ({ status, index: first + index }));
  const at = all.findIndex(({ id }) => id === current.value);
  if (at === -1 || (at >= first && at < end)) return placed;
  return [...placed, { status: all[at]!, index: at }];
}

function Head(): JSX.Element {
  const { key, way } = sorting.value;
  return (
    <div class="row head" role="row" aria-rowindex={1} onKeyDown={alongHead}>
      <div role="columnheader" class="cell c-chosen">
        <span class="unseen">Chosen</span>
      </div>
      {COLUMNS.map((column) => (
        <div
          key={column.key}
          role="columnheader"
          class={cellClass(column)}
          aria-sort={column.key !== key ? "none" : way === "up" ? "ascending" : "descending"}
        >
          <button
            type="button"
            tabIndex={column.key === key ? 0 : -1}
            title={`Sort by ${column.title}`}
            onClick={() => sortBy(column.key)}
          >
            {column.title}
            <span aria-hidden="true">{column.key !== key ? "" : way === "up" ? " ▲" : " ▼"}</span>
          </button>
        </div>
      ))}
    </div>
  );
}

/** Of the buttons one is on the way of Tab: arrows lead to the others. */
function alongHead(event: KeyboardEvent): void {
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (step === 0) return;
  const row = event.currentTarget as HTMLElement;
  const buttons = [...row.querySelectorAll("button")].filter((button) => button.offsetParent !== null);
  buttons[buttons.indexOf(event.target as HTMLButtonElement) + step]?.focus();
  event.preventDefault();
}

interface RowProps extends Placed {
  readonly top: number;
}

function Row({ status, index, top }: RowProps): JSX.Element {
  const { id } = status;
  const isChosen = chosen.value.includes(id);
  const isCurrent = current.value === id;
  const choosing = (event: MouseEvent): void => {
    event.stopPropagation();
    current.value = id;
    choose(id);
  };
  return (
    <div
      id={rowId(id)}
      class={isCurrent ? "row current" : "row"}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => open({ area: "agent", agent: id })}
    >
      <div role="gridcell" class="cell c-chosen" onClick={choosing}>
        <span class={isChosen ? "box full" : "box"} aria-hidden="true" />
      </div>
      {COLUMNS.map((column) => (
        <Cell key={column.key} column={column} status={status} />
      ))}
    </div>
  );
}

function Cell({ column, status }: { readonly column: Column; readonly status: AgentStatus }): JSX.Element {
  const isAge = column.key === "since";
  const text = oneLine(column.text(status, isAge ? now.value : 0));
  const isNothing = column.isNumber && text === "0";
  return (
    <div
      role="gridcell"
      class={`${cellClass(column)}${isNothing ? " nothing" : ""}`}
      title={oneLine(column.hint?.(status) || text)}
    >
      {column.key === "state" ? <StateMark state={status.state} /> : text}
    </div>
  );
}

function cellClass({ key, isNumber }: Column): string {
  return `cell c-${key}${isNumber ? " number" : ""}`;
}

function rowId(agent: string): string {
  return `agent-${agent}`;
}

function bringIntoSight(box: HTMLElement | null, top: number, rowPx: number): void {
  if (!box) return;
  const head = (box.firstElementChild as HTMLElement).offsetHeight;
  const height = box.clientHeight - head;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + rowPx > box.scrollTop + height) box.scrollTop = top + rowPx - height;
}

function onKey(event: KeyboardEvent, page: number): void {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: page,
    PageUp: -page,
    Home: -Infinity,
    End: Infinity,
  };
  const step = steps[event.key];
  const at = current.value;
  if (step !== undefined) moveBy(step);
  else if (event.key === "Enter" && at !== undefined) open({ area: "agent", agent: at });
  else if (event.key === " " && at !== undefined) choose(at);
  else return;
  event.preventDefault();
}
