// The newest state of the legion, as its stream tells it.

import { computed, effect, signal } from "@preact/signals";
import type { OverviewFrame } from "../../src/control/api/readings.ts";
import { announce } from "../parts/announce.tsx";
import { count } from "../parts/numbers.ts";
import { read } from "../connection/api.ts";
import { listen } from "../connection/stream.ts";
import { asOf } from "../place.ts";

type Status = OverviewFrame["agents"][number];

export interface Overview {
  readonly agents: ReadonlyMap<string, Status>;
  readonly nodes: readonly string[];
  readonly servers: OverviewFrame["servers"];
  /** Agents that wait for each other's reply. */
  readonly knots: OverviewFrame["knots"];
  /** What all agents may spend together; `null`: nobody says. */
  readonly limits: OverviewFrame["limits"];
  /** Why the legion tells nothing; `null`: it does. */
  readonly away: string | null;
}

const live = signal<Overview | undefined>(undefined);
const past = signal<Overview | undefined>(undefined);
/** Of the time that the page shows; `undefined` until it is known. */
export const overview = computed(() => (asOf.value === undefined ? live.value : past.value));
/** Why the past cannot be told; `null`: it can, or is not asked for. */
export const untold = signal<string | null>(null);
/** Why the program cannot be heard; `null`: it can. */
export const broken = signal<string | null>(null);
/** In the order of their ids. */
export const everyone = computed(() => [...(overview.value?.agents.values() ?? [])]);
/** Grows with each change of any agent. */
export const changes = signal(0);

/** Names the open questions: a different text is another set of them. */
export const asked = computed(() =>
  everyone.value
    .filter(({ waitingFor }) => waitingFor.includes("approve "))
    .map(({ waitingFor }) => waitingFor)
    .join(" "),
);

export function watchLegion(): () => void {
  return listen({
    path: "/overview",
    onItem: (item) => apply(item as OverviewFrame),
    onBreak: (why) => {
      if (why !== null && broken.value === null) announce(`The connection broke: ${why}`);
      broken.value = why;
    },
  });
}

/** Reads how the legion stood whenever the page shows another time. */
export function watchPast(): void {
  effect(() => {
    const at = asOf.value;
    untold.value = null;
    if (at === undefined) past.value = undefined;
    else void tellPast(at);
  });
}

async function tellPast(at: string): Promise<void> {
  const heard = await read<"moment">("/moment");
  if (asOf.peek() !== at) return;
  untold.value = heard.outcome === "done" ? null : heard.why;
  if (heard.outcome !== "done") return;
  const { agents, knots } = heard.answer;
  const rows = new Map(agents.map((status) => [status.id, status]));
  past.value = { agents: inOrder(rows), nodes: [], servers: [], knots, limits: null, away: null };
  changes.value++;
}

function apply(frame: OverviewFrame): void {
  const { agents: changed, gone, nodes, servers, knots, limits, away } = frame;
  const before = live.value;
  const agents = new Map(frame.whole ? [] : before?.agents);
  for (const status of changed) agents.set(status.id, status);
  for (const id of gone) agents.delete(id);
  if (away !== null && (before?.away ?? null) === null) announce(`The legion is away: ${away}`);
  const asking = (before && changed.filter(({ id, state }) => startsAsking(before, id, state))) ?? [];
  if (asking.length > 0) announce(`${count(asking.length, "agent")} asks: ${asking[0]!.name}`);
  const isNew = !before || agents.size !== before.agents.size;
  live.value = { agents: isNew ? inOrder(agents) : agents, nodes, servers, knots, limits, away };
  if (frame.whole || changed.length > 0) changes.value++;
}

function startsAsking(before: Overview, id: string, state: Status["state"]): boolean {
  return state === "asking" && before.agents.get(id)?.state !== "asking";
}

const ORDER = new Intl.Collator("en", { numeric: true });

function inOrder(agents: ReadonlyMap<string, Status>): ReadonlyMap<string, Status> {
  return new Map([...agents].sort(([a], [b]) => ORDER.compare(a, b)));
}

/** `Agent 2`; an id that the legion does not know stands for itself. */
export function nameOf(id: string): string {
  if (id === "0") return "You";
  return overview.peek()?.agents.get(id)?.name ?? (/^\d+$/.test(id) ? `Agent ${id}` : id);
}
