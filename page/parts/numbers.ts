// Numbers and moments as they stand in a column.

const GROUPED = new Intl.NumberFormat("en-GB");
const SHORT = new Intl.NumberFormat("en-GB", { notation: "compact", maximumFractionDigits: 1 });
const CENTS = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `1,234`. */
export function grouped(value: number): string {
  return GROUPED.format(value);
}

/** `1,234` up to there, then `12.3k`, `4.5M`. */
export function short(value: number): string {
  return value < 10_000 ? GROUPED.format(value) : SHORT.format(value).replace("K", "k");
}

/** US dollars; `?` where nobody knows. */
export function money(cost: number | null): string {
  if (cost === null) return "?";
  if (cost === 0) return "free";
  return cost < 0.01 ? `$${cost.toPrecision(1)}` : `$${CENTS.format(cost)}`;
}

/** `45s`, `12m`, `3h`, `2d`; a dash for no moment. */
export function age(at: string | null, nowMs: number): string {
  if (at === null) return "–";
  const ms = Math.max(0, nowMs - Date.parse(at));
  if (Number.isNaN(ms)) return "?";
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)}s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m`;
  return ms < 2 * DAY_MS ? `${Math.floor(ms / HOUR_MS)}h` : `${Math.floor(ms / DAY_MS)}d`;
}

/** How long something took: `240 ms`, `1.2 s`, `45 s`, `12 min`, `3 h`; a dash where nobody knows. */
export function lasting(ms: number): string {
  if (!(ms >= 0)) return "–";
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND_MS) return `${(ms / SECOND_MS).toFixed(1)} s`;
  if (ms < 2 * MINUTE_MS) return `${Math.round(ms / SECOND_MS)} s`;
  return ms < 2 * HOUR_MS ? `${Math.round(ms / MINUTE_MS)} min` : `${Math.round(ms / HOUR_MS)} h`;
}

/** Local: `14:03:22`, with the day where it is another one. */
export function moment(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "?";
  const time = date.toLocaleTimeString("en-GB");
  if (date.toDateString() === new Date().toDateString()) return time;
  return `${date.toLocaleDateString("sv-SE")} ${time}`;
}

/** `1 agent`, `3 agents`. */
export function count(value: number, noun: string): string {
  return `${grouped(value)} ${noun}${value === 1 ? "" : "s"}`;
}
