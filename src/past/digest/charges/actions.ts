// What model calls were made for, as their answers tell: the actions that an answer calls, or the action that asked for it. What is
// only reserved for a call is under `null` until it is answered, and stays there if it never is.

import { z } from "zod";
import type { Event, EventOf, Usage } from "../../../domain/event/event.ts";
import { isOfModel } from "../../../domain/supervision.ts";
import { hasPrice } from "../../shares/by-cause.ts";
import { nameOf } from "../counts.ts";
import { chargeOf, createSum, isNoCharge, subtractCharge, type Charge } from "./charge.ts";
import { createTally, tallySchema } from "./tally.ts";

/** What came of an answer: the first part of a name, as `nameOf` writes it; behind `calls` stand the actions that it calls. */
export const PURPOSES = [
  "calls",
  "answer",
  "summary",
  "unreadable",
  "declined",
  "aborted",
  "others",
] as const;

type AnswerPurpose = (typeof PURPOSES)[number];

/** Names come from models: what further ones come to is one part. */
const MOST_NAMES = 1_000;

export const actionsSchema = z.object({
  tally: tallySchema,
  /** The action of each call of the newest decision, by its id. */
  calls: z.array(z.tuple([z.string(), z.string()])),
  /** Model calls without an answer, by the events that began them, with the call that asks; null: the agent itself does. */
  open: z.array(z.tuple([z.int(), z.string().nullable()])),
});

type PackedActions = z.output<typeof actionsSchema>;

export function createActions(kept?: PackedActions) {
  const tally = createTally(kept?.tally);
  let calls = new Map(kept?.calls);
  let open = new Map(kept?.open);
  const nameFor = (name: string): string =>
    tally.has(name) || tally.size < MOST_NAMES ? name : nameOf("others");
  /** Takes the calls that `event` answers from those without an answer. */
  const answered = (event: Event): number => {
    const before = open.size;
    if (event.kind === "result" && event.usage) {
      open = new Map([...open].filter(([, call]) => call !== null && call !== event.call));
      return before - open.size;
    }
    if (event.kind !== "summary" && event.kind !== "decision") return 0;
    const isAnswered = [...open.values()].includes(null) && (event.kind === "summary" || isOfModel(event));
    open.clear();
    return Number(isAnswered);
  };
  return {
    /** By what an answer was for; `undefined` stands for calls without one. */
    actions: tally.shares,
    /** @param charge what the log gained with this event */
    see(event: Event, charge: Charge): void {
      if (event.kind === "branch" && event.origin !== undefined) {
        open.clear();
        return tally.clear();
      }
      if (event.kind === "decision") calls = new Map(event.calls.map(({ id, action }) => [id, action]));
      if (event.kind === "prompted") open.set(event.seq, event.call ?? null);
      else if (event.kind === "refused") open.delete(event.prompted);
      const purpose = purposeOf(event, calls);
      const name = purpose === null ? null : nameFor(purpose);
      const told = usageIn(event);
      const own = told ? chargeOf(told) : createSum();
      own.steps = answered(event);
      own.timeMs = charge.timeMs;
      own.unparsed = charge.unparsed;
      const rest = subtractCharge(charge, own);
      if (!isNoCharge(own)) tally.add(name, own);
      if (!isNoCharge(rest)) tally.add(null, rest);
      if (hasPrice(event)) tally.price(name);
    },
    pack: (): PackedActions => ({ tally: tally.pack(), calls: [...calls], open: [...open] }),
  };
}

/** What `event` says that an answer came to. */
export function usageIn(event: Event): Usage | undefined {
  if (event.kind === "summary" || event.kind === "result") return event.usage;
  if (event.kind !== "decision") return undefined;
  const { usage, cost } = event;
  if (cost === undefined) return usage;
  const { input, output, cacheRead, cacheWrite } = usage;
  return { input, output, cacheRead, cacheWrite, cost };
}

/** `null`: it answers nothing. */
function purposeOf(event: Event, calls: ReadonlyMap<string, string>): string | null {
  if (event.kind === "decision") return purposeOfDecision(event);
  if (event.kind === "summary") return purpose("summary");
  if (event.kind !== "result" && event.kind !== "approval") return null;
  const action = event.call === null ? undefined : calls.get(event.call);
  return action === undefined ? purpose("unreadable") : purpose("calls", action);
}

function purposeOfDecision({ calls, stop }: EventOf<"decision">): string {
  if (calls.length > 0) return purpose("calls", ...new Set(calls.map(({ action }) => action)));
  if (stop === "unparsed") return purpose("unreadable");
  if (stop === "refused") return purpose("declined");
  return purpose(stop === "aborted" ? "aborted" : "answer");
}

function purpose(of: AnswerPurpose, ...actions: readonly string[]): string {
  return nameOf(of, ...actions);
}
