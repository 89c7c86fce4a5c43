// Moments as people read and type them. Logs are data: what is no time is shown as a question mark, and none at all as a dash.

import { LegionError, isLegionError } from "../../base/errors.ts";
import { dayOf as dayAt, nextDay } from "../../base/calendar.ts";
import { parseAge } from "../../base/text/duration.ts";
import { quote } from "../../base/text/wording.ts";
import type { Typed } from "./command.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `45s`, `12m`, `3h`, `2d`. */
export function ageOf(at: string | null, nowMs: number): string {
  if (at === null) return "-";
  const ms = Math.max(0, nowMs - Date.parse(at));
  if (Number.isNaN(ms)) return "?";
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)}s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m`;
  return ms < 2 * DAY_MS ? `${Math.floor(ms / HOUR_MS)}h` : `${Math.floor(ms / DAY_MS)}d`;
}

/** Local, `2026-11-21`. */
export function dayOf(at: string): string {
  const atMs = Date.parse(at);
  return Number.isNaN(atMs) ? "?" : dayAt(atMs);
}

/** Local, `14:03:22`. */
export function timeOf(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "?";
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
}

/** Local, to the minute: `2026-11-21 14:03`. */
export function momentOf(at: string): string {
  return `${dayOf(at)} ${timeOf(at).slice(0, 5)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/;

/**
 * An option that is a time, as ISO 8601: `2026-03-01` and `2026-03-01 12:00` by the clock of this machine, `7d` for so long ago.
 * Of a day its beginning, or, for its `end`, its last moment. `undefined` if it is not given. Throws USAGE.
 */
export function readTime(
  { options }: Typed,
  name: string,
  { nowMs, of = "start" }: { readonly nowMs: number; readonly of?: "start" | "end" },
): string | undefined {
  const text = options[name]?.trim();
  if (text === undefined) return undefined;
  const ms = readDay(text, of) ?? (MOMENT.test(text) ? Date.parse(text.replace(" ", "T")) : ago(text, nowMs));
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new LegionError(
    "USAGE",
    `--${name}: ${quote(text)} is no time; write 2026-03-01, "2026-03-01 12:00", or 7d for so long ago`,
  );
}

function readDay(text: string, of: "start" | "end"): number | undefined {
  const [, year, month, day] = DAY.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  // The 31st of a month that has none is another day.
  if (date.getMonth() !== Number(month) - 1) return Number.NaN;
  return of === "start" ? date.getTime() : nextDay(date.getTime()) - 1;
}

function ago(text: string, nowMs: number): number {
  try {
    return nowMs - parseAge(text);
  } catch (error) {
    if (!isLegionError(error, "USAGE")) throw error;
    return Number.NaN;
  }
}
