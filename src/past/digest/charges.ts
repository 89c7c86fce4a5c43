// What a log's model calls came to, and the work that they led to: by first message, by model, and over time. Each part is what the
// ledger gained, so together they are what it says.

import { z } from "zod";
import type { Event } from "../../domain/event/event.ts";
import { isOfModel } from "../../domain/supervision.ts";
import type { Ledger } from "../ledger.ts";
import { firstIn, followNewest, hasPrice, type FirstMessage, type RootId } from "../shares/by-cause.ts";
import { followCalls } from "../shares/calls.ts";
import {
  NO_CHARGE,
  addCharge,
  chargedIn,
  chargeRowSchema,
  fromRow,
  isNoCharge,
  subtractCharge,
  toRow,
  type Charge,
} from "./charge.ts";
import { createTimeline, minuteOf, timelineSchema, type TimeSpan } from "./timeline.ts";

/** One part of what a log came to. */
export interface ChargeShare {
  readonly charge: Charge;
  /** At least something of it has a price. */
  readonly isPriced: boolean;
}

export interface Charges {
  /** By first message; `undefined` stands for what was done before any message was shown. */
  readonly causes: ReadonlyMap<RootId, ChargeShare>;
  /** By the model's name; what rules and persons decided is under `rules` and `human`, and `""` stands for nobody. */
  readonly models: ReadonlyMap<string, ChargeShare>;
  /** By when the call began, oldest first. */
  readonly spans: readonly TimeSpan[];
  /** The first messages that came to this agent itself, by their ids. */
  readonly firsts: ReadonlyMap<string, FirstMessage>;
}

const rowOf = z.tuple([z.string().nullable(), chargeRowSchema]);
const tallySchema = z.object({ rows: z.array(rowOf), priced: z.array(z.string().nullable()) });
const callSchema = z.object({ minute: z.int(), model: z.string() });
const first = z.object({
  id: z.string(),
  source: z.union([
    z.object({ type: z.literal("user") }),
    z.object({ type: z.literal("agent"), id: z.string() }),
  ]),
  taint: z.union([z.literal(true), z.array(z.string()).readonly()]).optional(),
  sentAt: z.string(),
  opening: z.string(),
});

export const chargesSchema = z.object({
  causes: tallySchema,
  models: tallySchema,
  timeline: timelineSchema,
  firsts: z.array(first),
  newest: z.object({
    turns: z.array(z.tuple([z.int(), z.string().nullable()])),
    held: z.array(z.tuple([z.int(), z.string()])),
  }),
  calls: z.object({
    newest: z.array(z.tuple([z.string().nullable(), callSchema])),
    begun: z.array(z.tuple([z.int(), callSchema])),
  }),
});

type KnownCall = z.output<typeof callSchema>;
export type PackedCharges = z.output<typeof chargesSchema>;

/** @param ledger what the same log adds up to; it has accounted for each event before that is seen here */
export function createCharges(ledger: Ledger, kept?: PackedCharges) {
  const causes = createTally(kept?.causes);
  const models = createTally(kept?.models);
  const timeline = createTimeline(kept?.timeline);
  const firsts = new Map<string, FirstMessage>(kept?.firsts.map((one) => [one.id, one]));
  const newest = followNewest(kept?.newest);
  const calls = followCalls((event) => ({ minute: minuteOf(event.at), model: event.model }), kept?.calls);
  let before = chargedIn(ledger);
  const charges: Charges = {
    get causes() {
      return causes.shares();
    },
    get models() {
      return new Map([...models.shares()].map(([name, share]) => [name ?? "", share]));
    },
    get spans() {
      return timeline.spans;
    },
    firsts,
  };
  return {
    charges,
    see(event: Event, retried: 0 | 1): void {
      newest.see(event);
      const gained = subtractCharge(chargedIn(ledger), before);
      before = chargedIn(ledger);
      const call = callOf(event, calls);
      // What stands before it is another agent's past.
      if (event.kind === "branch" && event.origin !== undefined)
        return [causes, models, timeline].forEach((part) => part.clear());
      const isUnparsed = event.kind === "decision" && event.stop === "unparsed";
      const charge = { ...gained, unparsed: Number(isUnparsed), retried };
      const root = newest.root() ?? null;
      // A cause is what something was spent for.
      if (!isNoCharge(gained) || causes.has(root)) causes.add(root, charge);
      if (!isNoCharge(charge)) {
        models.add(call.model, charge);
        timeline.add(call.minute, charge);
      }
      if (hasPrice(event)) {
        causes.price(root);
        models.price(call.model);
      }
      const first = firstIn(event);
      if (first) firsts.set(first.id, first);
    },
    root: newest.root,
    pack: (): PackedCharges => ({
      causes: causes.pack(),
      models: models.pack(),
      timeline: timeline.pack(),
      firsts: [...firsts.values()],
      newest: newest.pack(),
      calls: calls.pack(),
    }),
  };
}

function callOf(event: Event, calls: ReturnType<typeof followCalls<KnownCall>>): KnownCall {
  const own = { minute: minuteOf(event.at), model: event.kind === "decision" ? event.model : "" };
  // What comes of this is no model's.
  if (event.kind === "decision" && !isOfModel(event)) calls.leave(own);
  return calls.see(event) ?? own;
}

/** Charges under names; `null` is one of them. */
function createTally(kept: z.output<typeof tallySchema> = { rows: [], priced: [] }) {
  const rows = new Map(kept.rows.map(([name, row]) => [name, fromRow(row)]));
  const priced = new Set(kept.priced);
  return {
    add: (name: string | null, charge: Charge) =>
      rows.set(name, addCharge(rows.get(name) ?? NO_CHARGE, charge)),
    has: (name: string | null) => rows.has(name),
    price: (name: string | null) => priced.add(name),
    clear: () => rows.clear(),
    shares: (): ReadonlyMap<string | undefined, ChargeShare> =>
      new Map([...rows].map(([name, charge]) => [name ?? undefined, { charge, isPriced: priced.has(name) }])),
    pack: (): z.output<typeof tallySchema> => ({
      rows: [...rows].map(([name, charge]) => [name, toRow(charge)]),
      priced: [...priced],
    }),
  };
}
