import { LegionError } from "../errors.ts";

/** The longest wait that a timer of the platform can keep: 24 days. */
const MAX_DURATION_MS = 2_147_483_647;

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const DURATION = /^(\d{1,15}(?:\.\d{1,6})?)(ms|s|m|h)?$/;

/** Milliseconds of `500ms`, `2s`, `1.5m`, `1h`; a bare number is milliseconds already. Throws USAGE. */
export function parseDuration(duration: string | number): number {
  const [, amount, unit = "ms"] = DURATION.exec(String(duration).trim()) ?? [];
  const ms = Math.round(Number(amount) * UNITS[unit as keyof typeof UNITS]);
  if (ms <= MAX_DURATION_MS) return ms;
  const reason =
    ms > MAX_DURATION_MS ? "is too long; write at most 596h" : "is no duration; write 500ms, 2s, 5m or 1h";
  throw new LegionError("USAGE", `${JSON.stringify(duration)} ${reason}`);
}

const AGE = /^(\d{1,6})(d|w)$/;
const DAY_MS = 24 * UNITS.h;

/** Milliseconds of `30d`, `2w`, or of a duration with a unit; also of `0`. Throws USAGE. */
export function parseAge(age: string): number {
  const [, days, unit] = AGE.exec(age.trim()) ?? [];
  if (days !== undefined) return Number(days) * (unit === "w" ? 7 : 1) * DAY_MS;
  const [, , smaller] = DURATION.exec(age.trim()) ?? [];
  if (age.trim() === "0" || smaller !== undefined) return parseDuration(age);
  throw new LegionError("USAGE", `${JSON.stringify(age)} is no age; write 30d, 2w, 12h or 0`);
}

/** For people: `450ms`, `2.5s`, `3m 20s`, `1h 5m`; two units at most, rounded to the last one shown. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)}ms`;
  const seconds = Math.round(durationMs / 100) / 10;
  if (seconds < 60) return `${seconds}s`;
  if (durationMs < UNITS.h - 500) return pair(Math.round(durationMs / UNITS.s), "m", "s");
  return pair(Math.round(durationMs / UNITS.m), "h", "m");
}

function pair(count: number, large: string, small: string): string {
  const rest = count % 60;
  return `${Math.floor(count / 60)}${large}${rest > 0 ? ` ${rest}${small}` : ""}`;
}
