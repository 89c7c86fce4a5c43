// Which agents are shown, in what order, which one the person is at, and which are chosen.

import { computed, signal } from "@preact/signals";
import type { AgentState } from "../../src/domain/inspection.ts";
import type { Targets } from "../../src/control/api/routes.ts";
import { COLUMNS, fits, sorted, type Sorting } from "./columns.ts";
import { everyone, overview } from "./overview.ts";

export const sorting = signal<Sorting>({ key: "name", way: "up" });
export const search = signal("");
/** Empty: all. */
export const states = signal<ReadonlySet<AgentState>>(new Set());
/** The row that the keys are at; an agent, so that it stays where it is when rows move. */
export const current = signal<string | undefined>(undefined);
const marked = signal<ReadonlySet<string>>(new Set());

/** Those that are still there. */
export const chosen = computed(() => [...marked.value].filter((id) => overview.value?.agents.has(id)));

export const rows = computed(() => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = states.value;
  const found = everyone.value.filter(
    (status) => (wanted.size === 0 || wanted.has(status.state)) && fits(status, words),
  );
  const [id] = words;
  const inOrder = sorted(found, sorting.value);
  // Whoever types an id means that agent.
  const exact = words.length === 1 ? inOrder.findIndex((status) => status.id === id) : -1;
  return exact < 1 ? inOrder : [inOrder[exact]!, ...inOrder.toSpliced(exact, 1)];
});

/** What the routes take for those that are chosen. */
export function targets(): Targets {
  const ids = chosen.value;
  return ids.length === everyone.value.length ? "all" : ids;
}

export function choose(id: string): void {
  const next = new Set(marked.value);
  if (!next.delete(id)) next.add(id);
  marked.value = next;
}

/** All that are shown, or none where they are chosen already. */
export function chooseShown(): void {
  const shown = rows.value.map(({ id }) => id);
  const all = shown.every((id) => marked.value.has(id));
  marked.value = all ? new Set() : new Set(shown);
}

export function chooseNone(): void {
  marked.value = new Set();
}

export function sortBy(key: string): void {
  const { key: before, way } = sorting.value;
  const first = COLUMNS.find((column) => column.key === key)?.first ?? "up";
  sorting.value = { key, way: key === before ? (way === "up" ? "down" : "up") : first };
}

export function toggleState(state: AgentState): void {
  const next = new Set(states.value);
  if (!next.delete(state)) next.add(state);
  states.value = next;
}

/** Moves by so many rows; beyond either end is the end. */
export function moveBy(step: number): void {
  const shown = rows.value;
  // Whoever is at none is at the first: they were there before any row was.
  const at = Math.max(
    shown.findIndex(({ id }) => id === current.value),
    0,
  );
  const to = Math.min(Math.max(at + step, 0), shown.length - 1);
  current.value = shown[to]?.id;
}
