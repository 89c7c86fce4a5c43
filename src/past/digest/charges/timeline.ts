// Charges over time: by minute, and further back by hour, then by day, so that a long life has no longer list than a short one.

import { z } from "zod";
import { chargeRowSchema, fromRow, grow, toRow, type Charge } from "./charge.ts";

const SPANS = [1_440, 60] as const;
/** Of so many minutes before the newest, hours and then days are made where there are too many rows. */
const KEPT_MINUTES = [60 * 1_440, 1_440] as const;
const MAX_ROWS = 4_000;
const MINUTE_MS = 60_000;

export interface TimeSpan {
  /** ISO 8601: when it begins. */
  readonly at: string;
  /** 1, 60 or 1440. */
  readonly minutes: number;
  readonly charge: Charge;
}

const minute = z.int();

export const timelineSchema = z.object({
  /** Before these there are only days, or hours. */
  ends: z.tuple([minute, minute]),
  rows: z.array(z.tuple([minute, chargeRowSchema])),
});

type PackedTimeline = z.output<typeof timelineSchema>;

export function createTimeline(kept: PackedTimeline = { ends: [0, 0], rows: [] }) {
  const rows = new Map(kept.rows.map(([start, row]) => [start, fromRow(row)]));
  const ends: [days: number, hours: number] = [...kept.ends];
  const spanAt = (start: number): number => SPANS[ends.findIndex((end) => start < end)] ?? 1;
  const count = (at: number, charge: Charge): void => {
    const span = spanAt(at);
    const start = Math.floor(at / span) * span;
    const sum = rows.get(start);
    if (sum) grow(sum, charge);
    else rows.set(start, { ...charge });
  };
  /** The newest minutes stay. */
  const shorten = (): void => {
    const newest = Math.max(...rows.keys());
    for (const level of [1, 0] as const) {
      const end = Math.floor((newest - KEPT_MINUTES[level]) / SPANS[level]) * SPANS[level];
      if (rows.size <= MAX_ROWS || end <= ends[level]) continue;
      ends[level] = end;
      const all = [...rows];
      rows.clear();
      for (const [start, charge] of all) count(start, charge);
    }
  };
  return {
    add(at: number, charge: Charge): void {
      count(at, charge);
      if (rows.size > MAX_ROWS) shorten();
    },
    clear: () => rows.clear(),
    /** Oldest first. */
    get spans(): readonly TimeSpan[] {
      return [...rows]
        .sort(([a], [b]) => a - b)
        .map(([start, charge]) => ({
          at: new Date(start * MINUTE_MS).toISOString(),
          minutes: spanAt(start),
          charge: { ...charge },
        }));
    },
    pack: (): PackedTimeline => ({
      ends: [...ends],
      rows: [...rows].map(([start, charge]) => [start, toRow(charge)]),
    }),
  };
}

/** Minutes of as many milliseconds, both since 1970; 0 for what is no time. */
export function minuteOf(ms: number): number {
  return Number.isNaN(ms) ? 0 : Math.floor(ms / MINUTE_MS);
}
