// What a log's model calls came to, and the work that they led to: by first message, by model, and over time. Each part is what the
// ledger gained, so together they are what it says.

import { z } from "zod";
import type { Event } from "../../../domain/event/event.ts";
import { MAIL_LANES } from "../../../domain/message/message.ts";
import { isOfModel } from "../../../domain/supervision.ts";
import type { Ledger } from "../../ledger.ts";
import { firstIn, followNewest, hasPrice, type FirstMessage, type RootId } from "../../shares/by-cause.ts";
import { followCalls } from "../../shares/calls.ts";
import { actionsSchema, createActions, usageIn } from "./actions.ts";
import { NO_CHARGE, chargedIn, isNoCharge, subtractCharge, type Charge, type ChargeSum } from "./charge.ts";
import { createTally, tallySchema, type ChargeShare } from "./tally.ts";
import { createTimeline, minuteOf, timelineSchema, type TimeSpan } from "./timeline.ts";

export interface Charges {
  /** By first message; `undefined` stands for what was done before any message was shown. */
  readonly causes: ReadonlyMap<RootId, ChargeShare>;
  /** By the model's name; what rules and persons decided is under `rules` and `human`, and `""` stands for nobody. */
  readonly models: ReadonlyMap<string, ChargeShare>;
  /** By what an answer was for, as `nameOf` writes it; `undefined` stands for calls without an answer. */
  readonly actions: ReadonlyMap<string | undefined, ChargeShare>;
  /** By when the call began, oldest first. */
  readonly spans: readonly TimeSpan[];
  /** The first messages that came to this agent itself, by their ids. */
  readonly firsts: ReadonlyMap<string, FirstMessage>;
}

const callSchema = z.object({ minute: z.int(), model: z.string() });
export const firstSchema = z.object({
  id: z.string(),
  source: z.union([
    z.object({ type: z.literal("user") }),
    z.object({ type: z.literal("agent"), id: z.string() }),
  ]),
  taint: z.union([z.literal(true), z.array(z.string()).readonly()]).optional(),
  sentAt: z.string(),
  delivery: z.enum(MAIL_LANES),
  opening: z.string(),
});

export const chargesSchema = z.object({
  causes: tallySchema,
  models: tallySchema,
  actions: actionsSchema,
  timeline: timelineSchema,
  firsts: z.array(firstSchema),
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
  const actions = createActions(kept?.actions);
  const timeline = createTimeline(kept?.timeline);
  const firsts = new Map<string, FirstMessage>(kept?.firsts.map((one) => [one.id, one]));
  const newest = followNewest(kept?.newest);
  const calls = followCalls(({ model }) => ({ minute: minuteOf(ledger.atMs), model }), kept?.calls);
  let before = chargedIn(ledger);
  return {
    charges: asTheyStand({ causes, models, actions, timeline, firsts }),
    see(event: Event, retried: 0 | 1): void {
      newest.see(event);
      const charged = chargedIn(ledger);
      const gained = subtractCharge(charged, before);
      before = charged;
      const call = callOf(event, calls, minuteOf(ledger.atMs));
      // What stands before it is another agent's past.
      if (event.kind === "branch" && event.origin !== undefined) {
        actions.see(event, NO_CHARGE);
        return [causes, models, timeline].forEach((part) => part.clear());
      }
      const hasGained = !isNoCharge(gained);
      const charge = inParts(gained, event, retried);
      const root = newest.root() ?? null;
      // A cause is what something was spent for.
      if (hasGained || causes.has(root)) causes.add(root, charge);
      if (!isNoCharge(charge)) {
        models.add(call.model, charge);
        timeline.add(call.minute, charge);
      }
      if (hasPrice(event)) {
        causes.price(root);
        models.price(call.model);
      }
      actions.see(event, charge);
      const first = firstIn(event);
      if (first) firsts.set(first.id, first);
    },
    root: newest.root,
    pack: (): PackedCharges => ({
      causes: causes.pack(),
      models: models.pack(),
      actions: actions.pack(),
      timeline: timeline.pack(),
      firsts: [...firsts.values()],
      newest: newest.pack(),
      calls: calls.pack(),
    }),
  };
}

interface ChargeParts {
  readonly causes: ReturnType<typeof createTally>;
  readonly models: ReturnType<typeof createTally>;
  readonly actions: ReturnType<typeof createActions>;
  readonly timeline: ReturnType<typeof createTimeline>;
  readonly firsts: Charges["firsts"];
}

/** Whenever somebody looks. */
function asTheyStand({ causes, models, actions, timeline, firsts }: ChargeParts): Charges {
  return {
    get causes() {
      return causes.shares();
    },
    get models() {
      return new Map([...models.shares()].map(([name, share]) => [name ?? "", share]));
    },
    get actions() {
      return actions.actions();
    },
    get spans() {
      return timeline.spans;
    },
    firsts,
  };
}

/** Says of a gain what of it is only reserved, what has no price, and whether it was for nothing. */
function inParts(gained: ChargeSum, event: Event, retried: 0 | 1): Charge {
  const told = usageIn(event);
  const tokens = told ? told.input + told.output : 0;
  gained.reserved = gained.input + gained.output - tokens;
  gained.reservedCost = gained.cost - (told?.cost ?? 0);
  gained.unpriced = told?.cost === undefined ? tokens : 0;
  gained.unparsed = event.kind === "decision" && event.stop === "unparsed" ? 1 : 0;
  gained.retried = retried;
  return gained;
}

function callOf(event: Event, calls: ReturnType<typeof followCalls<KnownCall>>, minute: number): KnownCall {
  const own = { minute, model: event.kind === "decision" ? event.model : "" };
  // What comes of this is no model's.
  if (event.kind === "decision" && !isOfModel(event)) calls.leave(own);
  return calls.see(event) ?? own;
}
