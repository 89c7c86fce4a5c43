// The rows at the bottom of a screen, painted again as the agents go on.

import type { Inspect } from "../../../domain/inspection.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import type { Spent } from "../../../past/limits/spending.ts";
import type { Look, Paint } from "../../kit/terminal.ts";
import { createAgentActivities } from "./activity.ts";
import { liveRows, type LiveAgent } from "./live-rows.ts";

export interface AgentRowsOptions {
  /** Puts rows to the bottom of the screen. */
  readonly show: (rows: readonly string[]) => void;
  /** The size of the screen. */
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Those that run here at this moment, in their order. */
  readonly hosted: () => readonly AgentId[];
  /** What an agent has spent so far; `undefined`: nobody knows. */
  readonly spent: (agent: AgentId) => Spent | undefined;
  readonly paint: Paint;
  /** The colour of an agent's name. */
  readonly lookOf: (agent: AgentId) => Look;
}

export interface AgentRows {
  readonly see: Inspect;
  /** The size of the screen is another. */
  changed(): void;
  /** Takes the rows away. */
  close(): void;
}

/** The share of the screen that is painted over, as a divisor. */
const SHARE = 2;

export function createAgentRows(options: AgentRowsOptions): AgentRows {
  const { show, size, hosted, spent, paint, lookOf } = options;
  const activities = createAgentActivities(Date.now);
  const repaint = createRepaint(() => {
    const { columns, rows } = size();
    const live = hosted().map((id): LiveAgent => ({ id, activity: activities.of(id), look: lookOf(id) }));
    const maxRows = Math.max(2, Math.floor(rows / SHARE));
    const drawn = liveRows(live, { columns, maxRows, now: Date.now(), paint, spent });
    show(drawn.length === 0 ? drawn : [paint("dim", "─".repeat(columns)), ...drawn]);
    return live.some(({ activity }) => activity.since !== undefined) ? "timed" : "still";
  });
  return {
    see(inspection) {
      activities.see(inspection);
      repaint.changed();
    },
    changed: repaint.changed,
    close() {
      repaint.close();
      show([]);
    },
  };
}

const SHORTEST_MS = 100;
const SECOND_MS = 1_000;

/**
 * Paints the rows at once after a change, but at most ten times a second; once a second while something is timed; and never
 * otherwise.
 *
 * @param paint gives back whether anything that it shows changes with time alone
 */
function createRepaint(paint: () => "timed" | "still") {
  let timer: NodeJS.Timeout | undefined;
  let dueMs = Infinity;
  let paintedMs = -Infinity;
  const paintAt = (ms: number): void => {
    if (ms >= dueMs) return;
    clearTimeout(timer);
    dueMs = ms;
    timer = setTimeout(run, Math.max(0, ms - performance.now())).unref();
  };
  const run = (): void => {
    dueMs = Infinity;
    paintedMs = performance.now();
    if (paint() === "timed") paintAt(paintedMs + SECOND_MS);
  };
  return {
    changed: (): void => paintAt(paintedMs + SHORTEST_MS),
    close(): void {
      clearTimeout(timer);
      // Nothing is earlier.
      dueMs = -Infinity;
    },
  };
}
