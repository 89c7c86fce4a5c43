// The rows at the bottom of the screen: one for each agent, with its state, what it does now, its tokens and its cost.

import { formatDuration } from "../../../base/text/duration.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import type { AgentState } from "../../../domain/inspection.ts";
import type { Spent } from "../../../past/limits/spending.ts";
import { formatCount } from "../narration/narration.ts";
import { NARROW, shortName, widest } from "../narration/page.ts";
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

const STATE_WIDTH = 8;
const SECOND_MS = 1_000;

/** Where not all are shown, those are with the lowest number. */
const STATES: Readonly<Record<AgentState, { readonly look: Look; readonly urgency: 1 | 2 | 3 }>> = {
  thinking: { look: "cyan", urgency: 1 },
  acting: { look: "blue", urgency: 1 },
  retrying: { look: "yellow", urgency: 1 },
  asking: { look: "yellow", urgency: 1 },
  waiting: { look: "dim", urgency: 1 },
  paused: { look: "yellow", urgency: 2 },
  parked: { look: "red", urgency: 2 },
  halted: { look: "red", urgency: 2 },
  idle: { look: "dim", urgency: 3 },
  stopped: { look: "dim", urgency: 3 },
};

/**
 * In the order of `agents`; of more than fit, those that do something, and in a last row how many others there are.
 * None takes more than the columns that there are. Nothing if there are no agents.
 */
export function liveRows(agents: readonly LiveAgent[], layout: LiveLayout): readonly string[] {
  const { columns, maxRows, paint } = layout;
  if (agents.length <= maxRows) return rowsOf(agents, layout);
  const urgencyOf = ({ activity }: LiveAgent): number => STATES[activity.state].urgency;
  const urgent = agents.toSorted((a, b) => urgencyOf(a) - urgencyOf(b)).slice(0, maxRows - 1);
  const shown = agents.filter((agent) => urgent.includes(agent));
  const others = agents.filter((agent) => !urgent.includes(agent));
  return [...rowsOf(shown, layout), paint("dim", clip(sumUp(others), columns))];
}

/** `… and 12 more: 10 idle, 2 parked`. */
function sumUp(others: readonly LiveAgent[]): string {
  const counts = new Map<AgentState, number>();
  for (const { activity } of others) counts.set(activity.state, (counts.get(activity.state) ?? 0) + 1);
  const parts = [...counts].map(([state, count]) => `${count} ${state}`);
  return `… and ${others.length} more: ${parts.join(", ")}`;
}

/** Where it is narrow, agents go by their ids, and their state by a mark. */
function rowsOf(agents: readonly LiveAgent[], { columns, now, paint, spent }: LiveLayout): readonly string[] {
  const isNarrow = columns < NARROW;
  const gap = isNarrow ? " " : "  ";
  const names = agents.map(({ id }) => shortName(id, columns));
  const sums = agents.map(({ id }) => spent(id));
  const tokens = sums.map((sum) => (sum ? formatCount(sum.tokens) : "-"));
  const costs = sums.map((sum) => (sum && sum.cost > 0 ? gap + formatDollars(sum.cost) : ""));
  const [nameWidth, tokensWidth, costWidth] = [widest(names), widest(tokens), widest(costs)];
  return agents.map(({ activity, look }, index) => {
    const name = names[index]!.padEnd(nameWidth);
    const state = isNarrow ? "" : activity.state.padEnd(STATE_WIDTH) + gap;
    const sum = tokens[index]!.padStart(tokensWidth) + costs[index]!.padStart(costWidth);
    const left = Math.max(0, columns - columnsOf(name + gap + state + gap + sum));
    const text = describe(activity, left, now);
    const doing = text + " ".repeat(Math.max(0, left - columnsOf(text)));
    const stateLook = STATES[activity.state].look;
    const middle = isNarrow ? paint(stateLook, doing) : paint(stateLook, state) + doing;
    return paint(look, name) + gap + middle + gap + paint("dim", sum);
  });
}

/** Never longer than `columns`; the seconds stay where there is not enough room for all. */
function describe({ mark, text, grows, since }: AgentActivity, columns: number, now: number): string {
  const seconds = since === undefined ? 0 : Math.floor((now - since) / SECOND_MS);
  const time = seconds > 0 ? ` ${formatDuration(seconds * SECOND_MS)}` : "";
  const left = columns - columnsOf(time) - (mark === "" ? 0 : 2);
  if (left < 1) return clip(time.trim(), columns);
  const line = oneLine(text);
  return `${mark === "" ? "" : `${mark} `}${grows ? endOf(line, left) : clip(line, left)}${time}`;
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
