// What was paid for and brought nothing, each token under the first name that fits. What nobody took in, one log alone does not
// tell: for that the newest plain answers to other agents are kept, with what they cost.

import { z } from "zod";
import {
  NO_USAGE,
  addUsage,
  type Call,
  type Event,
  type EventOf,
  type SeqRange,
  type Usage,
} from "../../../domain/event/event.ts";
import { CONTROL, parseMessageId, type LogId } from "../../../domain/message/message.ts";
import type { Ledger } from "../../ledger.ts";
import { LOOP_REPEATS, countRepeat, type Repeat } from "../../repeats.ts";
import { usageIn } from "./actions.ts";

/**
 * `unreadable`: answers from which no action could be read. `retried`: calls without an answer that were made again; of these only what was
 * reserved is known. `looped`: decisions of which each call came to the same as at least twice before, since anything new was said.
 * `summarised`: summaries of what had been summarised before, in proportion to the events, and those that were not kept.
 */
export const WASTES = ["unreadable", "retried", "looped", "summarised"] as const;

export type WasteName = (typeof WASTES)[number];

export interface Wasted {
  readonly tokens: number;
  /** US dollars; what has no known price costs nothing here. */
  readonly cost: number;
}

/** A plain answer to other agents alone, and what the decision cost that gave it. */
export interface PaidAnswer extends Wasted {
  /** Of its messages, at least one. */
  readonly ids: readonly string[];
  /** The log that numbered it. */
  readonly log: LogId;
  /** The event that sends it, and when, in milliseconds since 1970. */
  readonly seq: number;
  readonly atMs: number;
}

/** Does a decision come to the same as those before it? */
export type DecisionCourse = "loop" | "onward";

export interface Waste {
  readonly sums: ReadonlyMap<WasteName, Wasted>;
  /** The newest, oldest first. */
  readonly answers: readonly PaidAnswer[];
}

/** As many as a mailbox holds. */
const MOST_ANSWERS = 1_000;
const MOST_RANGES = 1_000;

const wasted = { tokens: z.number(), cost: z.number() };
const callSchema = z.object({ id: z.string(), action: z.string(), parameters: z.unknown() });

export const wasteSchema = z.object({
  sums: z.array(z.tuple([z.enum(WASTES), z.object(wasted)])),
  answers: z.array(
    z.object({ ids: z.array(z.string()), log: z.string(), seq: z.int(), atMs: z.number(), ...wasted }),
  ),
  log: z.string(),
  /** Of events that a summary stands for, ascending, without overlap. */
  covered: z.array(z.tuple([z.int(), z.int()])),
  repeats: z.array(z.tuple([z.string(), z.int()])),
  /** The newest decision, while some of its calls have no result. */
  newest: z.object({ left: z.array(callSchema), isLoop: z.boolean(), ...wasted }).optional(),
});

type PackedWaste = z.output<typeof wasteSchema>;

/** @param ledger what the same log adds up to */
export function createWaste(ledger: Pick<Ledger, "open">, kept?: PackedWaste) {
  const sums = new Map<WasteName, Wasted>(kept?.sums);
  const answers: PaidAnswer[] = [...(kept?.answers ?? [])];
  let covered: readonly SeqRange[] = kept?.covered ?? [];
  let log = kept?.log ?? "";
  const repeats = createRepeats(kept);
  const add = (name: WasteName, paid: Wasted): void => void sums.set(name, plus(sums.get(name), paid));
  const decide = (event: EventOf<"decision">): void => {
    const paid = paidIn(usageIn(event));
    if (event.stop === "unparsed") return add("unreadable", paid);
    if (event.calls.length > 0) return;
    const ids = (event.sends ?? []).map(({ id }) => id);
    if (ids.length === 0 || ids.some((id) => parseMessageId(id).to === CONTROL)) return;
    answers.push({ ids, log, seq: event.seq, atMs: Date.parse(event.at) || 0, ...paid });
    answers.splice(0, Math.max(0, answers.length - MOST_ANSWERS));
  };
  const summarise = ({ covers, usage }: EventOf<"summary">): void => {
    const share = covers[1] === 0 ? 1 : overlap(covered, covers) / (covers[1] - covers[0] + 1);
    const { tokens, cost } = paidIn(usage);
    if (share > 0) add("summarised", { tokens: Math.floor(tokens * share), cost: cost * share });
    if (covers[1] > 0) covered = joined(covered, covers).slice(-MOST_RANGES);
  };
  return {
    get waste(): Waste {
      // Those that are under way may still be answered.
      const retried = plus(sums.get("retried"), paidIn(madeAgain(ledger)));
      return { sums: retried.tokens > 0 ? new Map([...sums, ["retried", retried]]) : sums, answers };
    },
    /** To be called before the ledger accounts for the event: what is charged then is known no more. */
    settle(event: Event): void {
      if (event.kind !== "decision" && event.kind !== "summary") return;
      const lost = paidIn(madeAgain(ledger));
      if (lost.tokens > 0) add("retried", lost);
    },
    /** Takes in one event, and says whether its decision is one of a `loop`. They come in the order of the log. */
    see(event: Event): DecisionCourse {
      const looped = repeats.see(event);
      // What stands before it is another agent's past.
      if (event.kind === "branch" && event.origin !== undefined) {
        sums.clear();
        answers.length = 0;
      }
      if (event.kind === "opened") ({ log } = event);
      if (looped) add("looped", looped);
      if (event.kind === "decision") decide(event);
      if (event.kind === "summary") summarise(event);
      return looped ? "loop" : "onward";
    },
    pack: (): PackedWaste => ({
      ...{ sums: [...sums], log, ...repeats.pack() },
      answers: answers.map(({ ids, ...answer }) => ({ ids: [...ids], ...answer })),
      covered: covered.map(([first, last]) => [first, last]),
    }),
  };
}

/** Follows whether a decision is one of a loop: that is known with its last result. */
function createRepeats(kept?: Pick<PackedWaste, "repeats" | "newest">) {
  const nothing = { action: "", parameters: undefined };
  const repeats = new Map<string, Repeat>(
    kept?.repeats.map(([key, count]) => [key, { call: nothing, count }]),
  );
  let newest = kept?.newest;
  const close = (result: EventOf<"result">): Wasted | undefined => {
    const call = newest?.left.find(({ id }) => id === result.call);
    if (!newest || !call) return undefined;
    const isRepeat = result.outcome !== "idle" && countRepeat(repeats, call, result) >= LOOP_REPEATS;
    const { tokens, cost } = newest;
    newest = {
      ...{ tokens, cost },
      left: newest.left.filter((other) => other !== call),
      isLoop: newest.isLoop && isRepeat,
    };
    return newest.isLoop && newest.left.length === 0 ? { tokens, cost } : undefined;
  };
  return {
    /** What the decision cost, if it was one of a loop as is known with this event. */
    see(event: Event): Wasted | undefined {
      if (event.kind === "result") return close(event);
      if (event.kind === "decision")
        newest = { left: event.calls.map(plain), isLoop: true, ...paidIn(usageIn(event)) };
      // Whoever is told something new may have reason to look again.
      else if (event.kind === "message" || event.kind === "observed") repeats.clear();
      return undefined;
    },
    pack: () => ({
      repeats: [...repeats].map(([key, { count }]): [string, number] => [key, count]),
      ...(newest && newest.left.length > 0 && { newest }),
    }),
  };
}

function plain({ id, action, parameters }: Call): z.output<typeof callSchema> {
  return { id, action, parameters };
}

/** How many events of `range` are in `covered`. */
function overlap(covered: readonly SeqRange[], [first, last]: SeqRange): number {
  return covered.reduce(
    (sum, [from, to]) => sum + Math.max(0, Math.min(to, last) - Math.max(from, first) + 1),
    0,
  );
}

/** `covered` with `range` in it. */
function joined(covered: readonly SeqRange[], range: SeqRange): readonly SeqRange[] {
  const joins = ([first, last]: SeqRange): boolean => first <= range[1] + 1 && last >= range[0] - 1;
  const touched = [range, ...covered.filter(joins)];
  const whole: SeqRange = [
    Math.min(...touched.map(([first]) => first)),
    Math.max(...touched.map(([, last]) => last)),
  ];
  return [...covered.filter((one) => !joins(one)), whole].sort(([a], [b]) => a - b);
}

/** What is reserved for calls of the agent itself without an answer, but for the newest. */
function madeAgain({ open }: Pick<Ledger, "open">): Usage {
  const own = open.filter(({ call }) => call === undefined);
  return own
    .slice(0, -1)
    .map(({ reserved }) => reserved)
    .reduce(addUsage, NO_USAGE);
}

export function plus(sum: Wasted | undefined, { tokens, cost }: Wasted): Wasted {
  return { tokens: (sum?.tokens ?? 0) + tokens, cost: (sum?.cost ?? 0) + cost };
}

function paidIn(usage: Usage | undefined): Wasted {
  return { tokens: (usage?.input ?? 0) + (usage?.output ?? 0), cost: usage?.cost ?? 0 };
}
