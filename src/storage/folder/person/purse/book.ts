// `purse.json` in the person's folder: what all projects of the person spend together, by days of their calendar. Whoever runs
// agents has an account for the day, and what it may spend is written down here before it does; what it has spent, when the
// account is closed. So what is written is never less than what was spent, and an account whose process is gone counts as a
// whole until the logs of its home are asked what became of it, or the day and the month are over.

import { hostname } from "node:os";
import { z } from "zod";
import { dayOf, monthOf } from "../../../../base/calendar.ts";
import { LegionError } from "../../../../base/errors.ts";
import { readJson } from "../../../../base/text/json.ts";
import { processExists, startOf } from "../../../../base/process/running.ts";
import { NOTHING, add, type Spent } from "../../../../past/limits/spending.ts";
import { alone } from "../alone.ts";
import type { PersonFolder } from "../folder.ts";

const FILE = "purse.json";
/** Held for the time of one change. */
const LOCK = "purse.lock";
const FORMAT = 1;
/** Clocks and time zones of processes may differ by this much. */
const SLACK_MS = 172_800_000;

const count = z.number().int().nonnegative();
const amount = z
  .strictObject({ steps: count, tokens: count, cost: z.number().nonnegative() })
  .transform((spent): Spent => ({ ...spent, timeMs: 0 }));
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
const holder = z.strictObject({ pid: count, host: z.string(), start: z.string() }).readonly();
const account = z.strictObject({ home: z.string(), day, allotted: amount, by: holder }).readonly();
const book = z.strictObject({
  format: z.literal(FORMAT),
  /** What closed accounts came to: by day, then by home. */
  spent: z.record(day, z.record(z.string(), amount)),
  /** By their ids. */
  open: z.record(z.string(), account),
});

/** Of what a purse may be limited. */
export const MEASURES = ["steps", "tokens", "cost"] as const;
export type Measure = (typeof MEASURES)[number];

/** What a home may spend of a day's purse, and who holds it. */
export type Account = z.output<typeof account>;

export interface Book {
  /** What closed accounts came to: by day, then by home. */
  readonly spent: Map<string, Map<string, Spent>>;
  /** By their ids. */
  readonly open: Map<string, Account>;
}

/** The process that runs this. */
export function thisHolder(): Account["by"] {
  return { pid: process.pid, host: hostname(), start: startOf(process.pid) };
}

/** Nobody spends from this account any more, as far as this machine can tell. */
export function isLeft({ by: { pid, host, start } }: Account): boolean {
  return host === hostname() && (!processExists(pid) || startOf(pid) !== start);
}

/** Rejects with CONFIG, with the way out, if what is there cannot be relied on. */
export async function readBook(person: PersonFolder): Promise<Book> {
  const text = await person.read(FILE);
  if (text === undefined) return { spent: new Map(), open: new Map() };
  const { success, data } = book.safeParse(readJson(text));
  if (!success) {
    const way = "mend it, or remove it to count this day and month from nothing";
    throw new LegionError("CONFIG", `${person.path}/${FILE} is no record of your purse; ${way}`);
  }
  const spent = Object.entries(data.spent).map(
    ([on, homes]) => [on, new Map(Object.entries(homes))] as const,
  );
  return { spent: new Map(spent), open: new Map(Object.entries(data.open)) };
}

/** Changes the book as no other process does meanwhile; what is over is left out. Rejects as `readBook`, and as `alone`. */
export async function changeBook<T>(
  person: PersonFolder,
  nowMs: number,
  change: (book: Book) => T,
): Promise<T> {
  // Makes the folder, and refuses one that is not the person's, before anything else is written to it.
  await person.create(FILE, textOf({ spent: new Map(), open: new Map() }));
  return alone(person, LOCK, async () => {
    const changed = await readBook(person);
    const outcome = change(changed);
    forgetPast(changed, nowMs);
    await person.write(FILE, textOf(changed));
    return outcome;
  });
}

function textOf({ spent, open }: Book): string {
  const days = [...spent].map(([on, homes]) => [on, mapped(homes, written)] as const);
  const accounts = mapped(open, (one) => ({ ...one, allotted: written(one.allotted) }));
  return `${JSON.stringify({ format: FORMAT, spent: Object.fromEntries(days), open: accounts }, undefined, 2)}\n`;
}

function mapped<T, U>(map: ReadonlyMap<string, T>, to: (value: T) => U): Record<string, U> {
  return Object.fromEntries([...map].map(([key, value]) => [key, to(value)]));
}

function written({ steps, tokens, cost }: Spent): object {
  return { steps, tokens, cost };
}

function forgetPast({ spent, open }: Book, nowMs: number): void {
  const oldest = monthOf(dayOf(nowMs - SLACK_MS));
  for (const on of spent.keys()) if (monthOf(on) < oldest) spent.delete(on);
  for (const [id, one] of open) if (monthOf(one.day) < oldest) open.delete(id);
}

/** Closes an account with what it came to. */
export function closeAccount({ spent, open }: Book, id: string, cameTo: Spent): void {
  const closed = open.get(id);
  if (!closed) return;
  const homes = spent.get(closed.day) ?? new Map<string, Spent>();
  homes.set(closed.home, exact(add(homes.get(closed.home) ?? NOTHING, cameTo)));
  spent.set(closed.day, homes);
  open.delete(id);
}

/** Of the days that `isIn` says: what was spent, and what is allotted to open accounts but `except`. */
export function totalOf({ spent, open }: Book, isIn: (day: string) => boolean, except?: string) {
  const closed = [...spent].filter(([on]) => isIn(on)).flatMap(([, homes]) => [...homes.values()]);
  const others = [...open].filter(([id, one]) => id !== except && isIn(one.day));
  return {
    spent: exact(closed.reduce(add, NOTHING)),
    allotted: exact(others.map(([, one]) => one.allotted).reduce(add, NOTHING)),
  };
}

/** Money to the billionth of a dollar, as sums of fractions drift; a purse knows no time. */
export function exact({ steps, tokens, cost }: Spent): Spent {
  return { steps, tokens, cost: Math.round(cost * 1e9) / 1e9, timeMs: 0 };
}
