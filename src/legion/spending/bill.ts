// What a legion came to, parted in one of four ways, and what of it brought nothing. Folded from the logs, without a model.

import { messageOf } from "../../base/errors.ts";
import { parseMessageId, type AgentId, type LogId } from "../../domain/message/message.ts";
import { NO_CHARGE, addCharge, type Charge } from "../../past/digest/charges/charge.ts";
import type { CacheLoss, Guess } from "../../past/digest/charges/guesses.ts";
import type { ChargeShare } from "../../past/digest/charges/tally.ts";
import { plus, type PaidAnswer, type WasteName, type Wasted } from "../../past/digest/charges/waste.ts";
import type { Digest } from "../../past/digest/digest.ts";
import type { FirstMessage } from "../../past/shares/by-cause.ts";
import type { DigestedLogs } from "./causes.ts";

export const BILL_WAYS = ["root", "agent", "model", "action"] as const;

export type BillWay = (typeof BILL_WAYS)[number];

/** A part of what answers came to: what is only reserved for calls without an answer is in none. */
export interface BillPart {
  /**
   * By `root` the id of a first message, absent: before any was shown; by `agent` its id; by `model` its name, empty: nobody's; by
   * `action` as in `Charges`, absent: what no answer came to.
   */
  readonly name?: string;
  readonly charge: Charge;
}

export interface BillLine extends BillPart {
  /** By agent, or by model where the line is one agent's. Together they are the line. */
  readonly parts: readonly BillPart[];
}

export interface Bill {
  /** The dearest first. With `unanswered` they are the total. */
  readonly lines: readonly BillLine[];
  /** Tokens and US dollars that are reserved for calls without an answer, and so charged. */
  readonly unanswered: Wasted;
  /** What the ledgers of all agents say. */
  readonly total: Charge;
  /** Parts of the total: each token is in one of them at most. */
  readonly waste: ReadonlyMap<WasteName | "untaken", Wasted>;
  /** Estimates, in no sum. */
  readonly guesses: { readonly reread: Guess; readonly uncached: ReadonlyMap<CacheLoss, Guess> };
  /** The first messages that some log has, by id. */
  readonly firsts: ReadonlyMap<string, FirstMessage>;
  /** Agents whose logs cannot be read, and why: what they came to is missing. */
  readonly unread: readonly { readonly agent: AgentId; readonly reason: string }[];
}

type Parts = Map<string | undefined, Charge>;

/** Reads the digest of one log after the other: of a large legion only sums stay in memory. */
export async function billBy(way: BillWay, reader: DigestedLogs): Promise<Bill> {
  const lines = new Map<string | undefined, Parts>();
  const sums = createSums();
  const unread: { agent: AgentId; reason: string }[] = [];
  for (const agent of await reader.known()) {
    const digest = await reader.digest(agent).catch((error: unknown) => {
      unread.push({ agent, reason: messageOf(error) });
    });
    if (!digest) continue;
    sums.add(agent, digest);
    for (const [name, { charge }] of sharesOf(way, digest)) {
      const [line, part] = way === "agent" ? [agent, name] : [name, agent];
      const parts: Parts = lines.get(line) ?? new Map();
      lines.set(line, parts.set(part, addCharge(parts.get(part) ?? NO_CHARGE, answeredIn(charge))));
    }
  }
  return { lines: [...lines].map(lineOf).filter(isSpent).sort(byCost), unread, ...sums.all() };
}

function sharesOf(way: BillWay, { charges }: Digest): ReadonlyMap<string | undefined, ChargeShare> {
  if (way === "root") return charges.causes;
  return way === "action" ? charges.actions : charges.models;
}

/** Without what is only reserved. */
function answeredIn(charge: Charge): Charge {
  const { input, cost, reserved, reservedCost } = charge;
  return { ...charge, input: input - reserved, cost: cost - reservedCost, reserved: 0, reservedCost: 0 };
}

function lineOf([name, parts]: readonly [string | undefined, Parts]): BillLine {
  const all = [...parts].map(([part, charge]): BillPart => ({ name: part, charge }));
  const charge = all.map((part) => part.charge).reduce(addCharge, NO_CHARGE);
  return { name, charge, parts: all.filter(isSpent).sort(byCost) };
}

function isSpent({ charge }: BillPart): boolean {
  return charge.steps > 0 || charge.input + charge.output > 0;
}

function byCost({ charge: a }: BillPart, { charge: b }: BillPart): number {
  return b.cost - a.cost || b.input + b.output - a.input - a.output;
}

/** What is the same whichever way the bill goes. */
function createSums() {
  let total = NO_CHARGE;
  let reread: Guess = { times: 0, tokens: 0 };
  const waste = new Map<WasteName | "untaken", Wasted>();
  const uncached = new Map<CacheLoss, Guess>();
  const firsts = new Map<string, FirstMessage>();
  const answers: PaidAnswer[] = [];
  const readers = new Map<AgentId, Pick<Digest, "began"> & { readonly seen: ReadonlyMap<LogId, number> }>();
  /** Is it certain that nobody was shown it so far? */
  const isUnread = ({ ids, log, atMs }: PaidAnswer): boolean =>
    ids.map(parseMessageId).every(({ to, n }) => {
      const reader = readers.get(to);
      // Who came to be later tells nothing of what an earlier one of that name took in.
      return reader !== undefined && reader.began <= atMs && (reader.seen.get(log) ?? 0) < n;
    });
  return {
    add(agent: AgentId, { charges, waste: wasted, guesses, ledger, began }: Digest): void {
      total = [...charges.models.values()].map(({ charge }) => charge).reduce(addCharge, total);
      for (const [id, first] of charges.firsts) firsts.set(id, first);
      for (const [name, sum] of wasted.sums) waste.set(name, plus(waste.get(name), sum));
      for (const [why, guess] of guesses.uncached) uncached.set(why, more(uncached.get(why), guess));
      reread = more(reread, guesses.reread);
      answers.push(...wasted.answers);
      readers.set(agent, { began, seen: ledger.seen });
    },
    all() {
      const untaken = answers.filter(isUnread).reduce<Wasted | undefined>(plus, undefined);
      if (untaken) waste.set("untaken", untaken);
      const unanswered = { tokens: total.reserved, cost: total.reservedCost };
      return { total, unanswered, waste, guesses: { reread, uncached }, firsts };
    },
  };
}

function more(sum: Guess | undefined, { times, tokens }: Guess): Guess {
  return { times: (sum?.times ?? 0) + times, tokens: (sum?.tokens ?? 0) + tokens };
}
