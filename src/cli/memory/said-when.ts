// Times as people type them.

import { LegionError, isLegionError } from "../../base/errors.ts";
import { nextDay } from "../../base/calendar.ts";
import { parseAge } from "../../base/text/duration.ts";
import { quote } from "../../base/text/wording.ts";
import type { Typed } from "../kit/command.ts";

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
