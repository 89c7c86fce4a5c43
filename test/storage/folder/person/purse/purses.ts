// Spenders of one person's purse, in several homes.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createBudget, type Admission } from "../../../../../src/agent/parts/budget.ts";
import { dayOf } from "../../../../../src/base/calendar.ts";
import type { Clock } from "../../../../../src/base/clock.ts";
import type { Event, NewEvent } from "../../../../../src/domain/event/event.ts";
import type { PurseLimits } from "../../../../../src/domain/limits.ts";
import { createLedger, account as takeIn } from "../../../../../src/past/ledger.ts";
import { createPaidInLog } from "../../../../../src/past/shares/by-purse.ts";
import { NOTHING, spentOf, type LegionCeiling, type Spent } from "../../../../../src/past/limits/spending.ts";
import { openPersonFolder } from "../../../../../src/storage/folder/person/folder.ts";
import { changeBook, thisHolder } from "../../../../../src/storage/folder/person/purse/book.ts";
import { openPurse, type Purse } from "../../../../../src/storage/folder/person/purse/purse.ts";

/** A dollar for a million tokens: a call of so many cents has this many tokens. */
const PRICE = { input: 1, output: 1 };
const TOKENS_OF_CENT = 10_000;

/** What calls came to, told at a moment: `spent` and, of those under way, `reserved` cents. */
export interface Paying {
  readonly purse: Purse;
  spender(agent: string): PayingAgent;
  /** US dollars that all of its agents have spent or reserved. */
  atStake(): number;
}

export interface PayingAgent {
  /** Begins a call that may cost so many cents. Rejects with LIMIT. */
  begin(cents: number): Promise<PaidCall>;
  readonly events: readonly Event[];
}

export interface PaidCall extends Pick<Admission, "last" | "purse"> {
  /** It has cost so many cents. */
  end(cents: number): void;
}

export interface PayingOrder {
  /** What `$XDG_CONFIG_HOME` is. */
  readonly config: string;
  readonly home: string;
  readonly limits: PurseLimits | (() => Promise<PurseLimits>);
  readonly clock: Clock;
  /** The logs of the processes that had this home before. */
  readonly logs?: readonly (readonly Event[])[];
  /** The logs of other homes that nobody runs. */
  readonly left?: Readonly<Record<string, readonly (readonly Event[])[]>>;
  /** Waited for whenever something is about to be written in the book. */
  readonly beforeWriting?: () => Promise<void>;
  /** What is asked before the purse, such as a legion's limit. */
  readonly nearer?: LegionCeiling;
}

export async function openPaying(order: PayingOrder): Promise<Paying> {
  const { config, home, limits, clock, logs = [], left = {}, beforeWriting, nearer } = order;
  const person = openPersonFolder({ XDG_CONFIG_HOME: config });
  const purse = await openPurse({
    person: {
      ...person,
      async write(name, text) {
        await beforeWriting?.();
        await person.write(name, text);
      },
    },
    home,
    clock,
    limits: typeof limits === "function" ? limits : () => Promise.resolve(limits),
    paidFrom: () => Promise.resolve(paidIn(logs)),
    paidIn: (other) => () => Promise.resolve(left[other] && paidIn(left[other])),
  });
  purse.begin();
  // Whatever it still writes is written before its folder goes.
  onTestFinished(() => purse.close().catch(() => undefined));
  const budget = createBudget({}, nearer, purse);
  const agents: { readonly spent: () => number }[] = [];
  return {
    purse,
    atStake: () => agents.map(({ spent }) => spent()).reduce((a, b) => a + b, 0),
    spender(agent) {
      const ledger = createLedger();
      const events: Event[] = [];
      let reserved = 0;
      agents.push({ spent: () => spentOf(ledger).cost + reserved });
      const log = (event: NewEvent): number => {
        const seq = events.length + 1;
        const stamped = { ...event, seq, epoch: 1, at: new Date(clock.now()).toISOString() };
        events.push(stamped);
        takeIn(ledger, stamped);
        return seq;
      };
      return {
        events,
        async begin(cents) {
          const estimate = { input: 0, output: cents * TOKENS_OF_CENT, price: PRICE };
          const admission = await budget.admit({ agent, epoch: 1, ledger, limits: {} }, estimate);
          const { last, purse: account } = admission;
          log(prompted(`${events.length}`, account));
          admission.begin();
          const call = `${events.length - 1}`;
          reserved += cents / 100;
          return {
            last,
            purse: account,
            end(came) {
              reserved -= cents / 100;
              log(result(call, came));
              admission.settle();
            },
          };
        },
      };
    },
  };
}

function prompted(call: string, purse: string | undefined): NewEvent {
  const reserved = { input: 0, output: 0, cost: 0 };
  return { kind: "prompted", model: "m", prompt: "", introduction: "", reserved, purse, call };
}

/** Actions of one agent may ask side by side. */
function result(call: string, cents: number): NewEvent {
  const usage = { input: 0, output: cents * TOKENS_OF_CENT, cost: cents / 100 };
  return { kind: "result", call, outcome: "ok", content: "", usage };
}

function paidIn(logs: readonly (readonly Event[])[]): ReadonlyMap<string, Spent> {
  const sums = new Map<string, Spent>();
  for (const log of logs) {
    const paid = createPaidInLog();
    for (const event of log) paid.see(event);
    for (const [account, { steps, tokens, cost }] of paid.parts) {
      const before = sums.get(account ?? "") ?? NOTHING;
      sums.set(account ?? "", {
        steps: before.steps + steps,
        tokens: before.tokens + tokens,
        cost: before.cost + cost,
        timeMs: 0,
      });
    }
  }
  return sums;
}

interface WrittenBook {
  readonly spent: Readonly<Record<string, Readonly<Record<string, { readonly cost: number }>>>>;
  readonly open: Readonly<
    Record<
      string,
      { readonly home: string; readonly day: string; readonly allotted: { readonly cost: number } }
    >
  >;
}

/** As if a process of `home` had been killed that may spend 50 cents from `account`: the book says nothing of what it spent. */
export async function strand(config: string, home: string, account: string): Promise<void> {
  const allotted = { steps: 5, tokens: 50 * TOKENS_OF_CENT, cost: 0.5, timeMs: 0 };
  const by = { ...thisHolder(), pid: spawnSync("true").pid };
  const nowMs = Date.now();
  await changeBook(openPersonFolder({ XDG_CONFIG_HOME: config }), nowMs, ({ spent, open }) => {
    spent.clear();
    open.set(account, { home, day: dayOf(nowMs), allotted, by });
  });
}

/** What is written in the book at this moment, in US dollars: closed and open accounts of all homes, or of one. */
export function written(config: string, home?: string) {
  const { spent, open } = JSON.parse(
    readFileSync(join(config, "ai-legion/purse.json"), "utf8"),
  ) as WrittenBook;
  const sum = (amounts: readonly number[]): number =>
    Math.round(amounts.reduce((a, b) => a + b, 0) * 1e9) / 1e9;
  const isIt = (name: string): boolean => home === undefined || name === home;
  const closed = Object.values(spent).flatMap((homes) => Object.entries(homes));
  const accounts = Object.values(open).filter((account) => isIt(account.home));
  return {
    spent: sum(closed.filter(([name]) => isIt(name)).map(([, { cost }]) => cost)),
    allotted: sum(accounts.map(({ allotted }) => allotted.cost)),
    days: [...Object.keys(spent), ...accounts.map(({ day }) => day)],
  };
}
