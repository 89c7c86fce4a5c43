// The view of a node that a person has by default: what concerns them scrolls by, and below stands what everybody does.

import type { Inspect } from "../../../domain/inspection.ts";
import type { AgentId } from "../../../domain/message.ts";
import type { Spent } from "../../../past/usage.ts";
import { lookOf, type PageOptions } from "../narration/page.ts";
import { createAgentActivities } from "./activity.ts";
import { createBrief } from "./brief.ts";
import { liveRows, type LiveAgent } from "./live-rows.ts";
import { createRepaint } from "../editor/repaint.ts";

export interface LiveOptions extends PageOptions {
  /** Puts rows to the bottom of the screen. */
  readonly show: (rows: readonly string[]) => void;
  /** The size of the screen. */
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Those that run here at this moment, in their order. */
  readonly hosted: () => readonly AgentId[];
  /** What an agent has spent so far; `undefined`: nobody knows. */
  readonly spent: (agent: AgentId) => Spent | undefined;
}

export interface Live {
  readonly see: Inspect;
  /** As of what scrolls by. */
  expect(text: string): () => void;
  /** The size of the screen is another. */
  changed(): void;
  /** Takes the rows away. */
  close(): void;
}

/** The share of the screen that is painted over, as a divisor. */
const SHARE = 2;

export function createLive(options: LiveOptions): Live {
  const { show, size, hosted, spent, paint, agents } = options;
  const activities = createAgentActivities(Date.now);
  const brief = createBrief(options);
  const order = new Map(agents.map((agent, index) => [agent, index]));
  const repaint = createRepaint(() => {
    const { columns, rows } = size();
    const live = hosted().map((id): LiveAgent => ({
      id,
      activity: activities.of(id),
      look: lookOf(order.get(id) ?? 0),
    }));
    const maxRows = Math.max(2, Math.floor(rows / SHARE));
    const drawn = liveRows(live, { columns, maxRows, now: Date.now(), paint, spent });
    show(drawn.length === 0 ? drawn : [paint("dim", "─".repeat(columns)), ...drawn]);
    return live.some(({ activity }) => activity.since !== undefined) ? "timed" : "still";
  });
  return {
    see(inspection) {
      brief.see(inspection);
      activities.see(inspection);
      repaint.changed();
    },
    expect: brief.expect,
    changed: repaint.changed,
    close() {
      repaint.close();
      show([]);
    },
  };
}
