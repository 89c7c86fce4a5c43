// The rows at the bottom of the screen: one for each agent, with its state, what it does now, its tokens and its cost.

import { displayName, type AgentId } from "../../../domain/message.ts";
import type { AgentState } from "../../../domain/inspection.ts";
import type { Spent } from "../../../past/usage.ts";
import { formatCount } from "../narration/narration.ts";
import { oneLine } from "../../kit/output.ts";
import { clip, columnsOf, type Look, type Paint } from "../../kit/terminal.ts";
import type { AgentActivity } from "./activity.ts";

/** One agent as its row shows it. */
export interface LiveAgent {
  readonly id: AgentId;
  readonly activity: AgentActivity;
  /** The colour of its name. */
  readonly look: Look;
}

export interface LiveLayout {
  readonly columns: number;
  /** How many rows there may be, at least 1. */
  readonly maxRows: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** What an agent has spent so far; `undefined`: nobody knows. */
  readonly spent: (agent: AgentId) => Spent | undefined;
  readonly paint: Paint;
}

/** Below this, agents go by their ids, and their state by a mark. */
const NARROW = 60;
const MAX_NAME = 12;
const STATE_WIDTH = 8;
const SECOND_MS = 1_000;

const STATE_LOOKS: Readonly<Partial<Record<AgentState, Look>>> = {
  idle: "dim",
  stopped: "dim",
  waiting: "dim",
  thinking: "cyan",
  acting: "blue",
  retrying: "yellow",
  paused: "yellow",
  parked: "red",
  halted: "red",
};
/** Who is shown where not all are, first to last. */
const URGENCY: readonly (readonly AgentState[])[] = [
  ["thinking", "acting", "retrying", "waiting"],
  ["parked", "halted", "paused"],
];

/**
 * In the order of `agents`; of more than fit, those that do something, and in a last row how many others there are.
 * None takes more than the columns that there are. Nothing if there are no agents.
 */
export function liveRows(agents: readonly LiveAgent[], layout: LiveLayout): readonly string[] {
  const { columns, maxRows, paint } = layout;
  const shown = choose(agents, maxRows);
  const others = agents.filter((agent) => !shown.has(agent));
  const rows = rowsOf(
    agents.filter((agent) => shown.has(agent)),
    layout,
  );
  return others.length === 0 ? rows : [...rows, paint("dim", clip(sumUp(others), columns))];
}

function choose(agents: readonly LiveAgent[], maxRows: number): ReadonlySet<LiveAgent> {
  if (agents.length <= maxRows) return new Set(agents);
  const chosen = new Set<LiveAgent>();
  const take = (wanted: (state: AgentState) => boolean): void => {
    for (const agent of agents)
      if (chosen.size < maxRows - 1 && wanted(agent.activity.state)) chosen.add(agent);
  };
  for (const states of URGENCY) take((state) => states.includes(state));
  take(() => true);
  return chosen;
}

/** `… and 12 more: 10 idle, 2 parked`. */
function sumUp(others: readonly LiveAgent[]): string {
  const counts = new Map<AgentState, number>();
  for (const { activity } of others) counts.set(activity.state, (counts.get(activity.state) ?? 0) + 1);
  const parts = [...counts].map(([state, count]) => `${count} ${state}`);
  return `… and ${others.length} more: ${parts.join(", ")}`;
}

function rowsOf(agents: readonly LiveAgent[], { columns, now, paint, spent }: LiveLayout): readonly string[] {
  const isNarrow = columns < NARROW;
  const names = agents.map(({ id }) => clip(isNarrow ? id : displayName(id), MAX_NAME));
  const sums = agents.map(({ id }) => spent(id));
  const tokens = sums.map((sum) => (sum ? formatCount(sum.tokens) : "-"));
  const costs = sums.map((sum) => (sum && sum.cost > 0 ? formatDollars(sum.cost) : ""));
  const [nameWidth, tokensWidth, costWidth] = [widest(names), widest(tokens), widest(costs)];
  const gap = isNarrow ? " " : "  ";
  return agents.map(({ activity, look }, index) => {
    const name = padEnd(names[index]!, nameWidth);
    const state = isNarrow ? "" : `${activity.state.padEnd(STATE_WIDTH)}${gap}`;
    const sum = `${tokens[index]!.padStart(tokensWidth)}${costWidth > 0 ? gap + costs[index]!.padStart(costWidth) : ""}`;
    const left = columns - columnsOf(`${name}${gap}${state}${gap}${sum}`);
    const doing = padEnd(describe(activity, Math.max(0, left), now), left);
    return [
      paint(look, name),
      gap,
      paint(STATE_LOOKS[activity.state] ?? "dim", isNarrow ? doing : state),
      isNarrow ? "" : doing,
      gap,
      paint("dim", sum),
    ].join("");
  });
}

/** Never longer than `columns`; the seconds stay where there is not enough room for all. */
function describe({ mark, text, grows, since }: AgentActivity, columns: number, now: number): string {
  const seconds = since === undefined ? 0 : Math.floor((now - since) / SECOND_MS);
  const time = seconds > 0 ? ` ${formatSeconds(seconds)}` : "";
  const left = columns - columnsOf(time) - (mark === "" ? 0 : 2);
  if (left < 1) return clip(time.trim(), columns);
  const line = oneLine(text);
  return `${mark === "" ? "" : `${mark} `}${grows ? endOf(line, left) : clip(line, left)}${time}`;
}

/** `7 s`, `2 min 5 s`. */
function formatSeconds(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The last words of a line that grows, with a mark where something is missing. */
export function endOf(line: string, columns: number): string {
  if (columnsOf(line) <= columns) return line;
  const characters = [...line];
  let used = 2;
  let start = characters.length;
  while (start > 0 && used + columnsOf(characters[start - 1]!) <= columns)
    used += columnsOf(characters[--start]!);
  const space = characters.indexOf(" ", start - 1);
  const cut = space >= 0 && space < characters.length - 1 ? space + 1 : start;
  return clip(`… ${characters.slice(cut).join("")}`, columns);
}

function formatDollars(cost: number): string {
  return `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
}

function widest(cells: readonly string[]): number {
  return cells.reduce((width, cell) => Math.max(width, columnsOf(cell)), 0);
}

function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}
