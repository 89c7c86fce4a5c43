// What came of model calls and actions, each counted once it is known: unlike what is charged, of which a part is only reserved,
// none of these numbers ever goes back.

import { z } from "zod";
import { isLoss, type Event, type EventOf, type Usage } from "../../domain/event/event.ts";
import { isOfModel } from "../../domain/supervision.ts";
import type { Ledger } from "../ledger.ts";
import { hasPrice } from "../shares/by-cause.ts";
import { DURATION_BOUNDS, TOKEN_BOUNDS, countsSchema, createCounts, type GrowingCounts } from "./counts.ts";

/** How a model call ended. */
export type CallOutcome =
  | "answered"
  /** No action could be read from the answer. */
  | "unparsed"
  /** The model did not want to answer. */
  | "declined"
  | "aborted"
  /** Nothing of it was served. */
  | "refused"
  /** It was given up, and nobody knows whether it was served. */
  | "no_answer"
  /** Its process ended, or the log went back. */
  | "interrupted";

/**
 * Names, each with its further parts: `call`, model, outcome: how long it took, in milliseconds; `told`, model, `input` or `output`:
 * what an answer used, in tokens; `charged`, model, field of `Usage`: what all calls came to, those without an answer included;
 * `action`, outcome: how long it took, in milliseconds; `dead`: messages that became dead letters.
 */
export type OutcomeCounts = GrowingCounts;

const CHARGED = ["input", "output", "cacheRead", "cacheWrite", "cost"] as const;

const openCallSchema = z.object({ seq: z.int(), model: z.string(), startMs: z.number() });

export const outcomesSchema = z.object({
  counts: countsSchema,
  /** Calls under way, by the call that asks; null: the agent itself does. */
  open: z.array(z.tuple([z.string().nullable(), openCallSchema])),
  epoch: z.int(),
  nowMs: z.number(),
});

type PackedOutcomes = z.output<typeof outcomesSchema>;

/** @param ledger what the same log adds up to; it has accounted for each event before that is seen here */
export function createOutcomes(ledger: Ledger, kept?: PackedOutcomes) {
  const counts = createCounts(kept?.counts);
  const calls = followModelCalls(counts, kept);
  let { usage: charged, workingMs } = ledger.spent;
  return {
    get outcomes(): OutcomeCounts {
      return counts.counts();
    },
    see(event: Event): void {
      const model = calls.see(event, ledger.atMs);
      const before = { charged, workingMs };
      ({ usage: charged, workingMs } = ledger.spent);
      // What stands before it is another agent's past.
      if (event.kind === "branch" && event.origin !== undefined) return counts.clear();
      if (hasPrice(event)) counts.add(["charged", model, "cost"], 0);
      for (const field of before.charged === charged ? [] : CHARGED) {
        const gained = (charged[field] ?? 0) - (before.charged[field] ?? 0);
        if (gained > 0) counts.add(["charged", model, field], gained);
      }
      const told = toldIn(event);
      for (const side of told ? (["input", "output"] as const) : [])
        counts.observe(["told", model, side], TOKEN_BOUNDS, told![side]);
      if (event.kind === "result")
        counts.observe(["action", event.outcome], DURATION_BOUNDS, workingMs - before.workingMs);
      if (event.kind === "notice" && event.reason === "undeliverable") counts.add(["dead"]);
    },
    pack: (): PackedOutcomes => ({ counts: [...counts.counts()], ...calls.pack() }),
  };
}

/** What an answer says that it used; of a decision that no model made, nothing. */
function toldIn(event: Event): Usage | undefined {
  const isAnswer = event.kind === "summary" || event.kind === "result" || event.kind === "decision";
  const usage = isAnswer ? event.usage : undefined;
  return usage && usage.input + usage.output > 0 ? usage : undefined;
}

type KeptCalls = Omit<PackedOutcomes, "counts">;

/** Counts model calls as they end. */
function followModelCalls(counts: ReturnType<typeof createCounts>, kept?: KeptCalls) {
  const open = new Map(kept?.open);
  let { epoch, nowMs } = kept ?? { epoch: 0, nowMs: 0 };
  const end = (call: string | null, outcome: CallOutcome, atMs = nowMs): string | undefined => {
    const ended = open.get(call);
    open.delete(call);
    if (!ended) return undefined;
    counts.observe(["call", ended.model, outcome], DURATION_BOUNDS, Math.max(0, atMs - ended.startMs));
    return ended.model;
  };
  const endAll = (outcome: CallOutcome, atMs = nowMs): void => {
    for (const call of [...open.keys()]) end(call, outcome, atMs);
  };
  const begin = ({ seq, model, ...event }: EventOf<"prompted">): void => {
    const call = event.call ?? null;
    // An action's earlier call is part of what its result says; the agent's own was given up.
    end(call, call === null ? "no_answer" : "answered");
    open.set(call, { seq, model, startMs: nowMs });
  };
  const answer = (event: EventOf<"decision"> | EventOf<"summary">): string | undefined => {
    const outcome = outcomeOf(event);
    const model = end(null, outcome);
    // Of all others nobody will hear.
    endAll("no_answer");
    return outcome === "no_answer" ? undefined : model;
  };
  return {
    /** Gives the model whose business the event is; empty where none is known. */
    see(event: Event, atMs: number): string {
      const lastMs = nowMs;
      // A log may say of a time whatever it likes.
      nowMs = Number.isNaN(atMs) ? lastMs : atMs;
      if (event.epoch !== epoch || isLoss(event)) endAll("interrupted", lastMs);
      epoch = event.epoch;
      if (event.kind === "prompted") {
        begin(event);
        return event.model;
      }
      if (event.kind === "refused") {
        const [call] = [...open].find(([, { seq }]) => seq === event.prompted) ?? [];
        if (call !== undefined) end(call, "refused");
      } else if (event.kind === "decision") return answer(event) ?? event.model;
      else if (event.kind === "summary") return answer(event) ?? "";
      else if (event.kind === "result" && event.call !== null) return end(event.call, "answered") ?? "";
      else if (event.kind === "branch") endAll("interrupted");
      else if (event.kind === "notice" && event.reason === "ended") endAll("interrupted");
      return "";
    },
    pack: (): KeptCalls => ({ open: [...open], epoch, nowMs }),
  };
}

function outcomeOf(event: EventOf<"decision"> | EventOf<"summary">): CallOutcome {
  if (event.kind === "summary") return "answered";
  // What a person typed, or rules say, answers no call.
  if (!isOfModel(event)) return "no_answer";
  const { stop } = event;
  if (stop === "unparsed" || stop === "aborted") return stop;
  return stop === "refused" ? "declined" : "answered";
}
