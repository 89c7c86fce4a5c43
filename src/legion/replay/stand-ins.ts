// What stands in for the outside world of an agent that is replayed: its model says what was recorded, its calls come to
// what they came to, its budget leaves the room that there was. Nothing is asked, run or spent.

import type { Agent } from "../../agent/parts/agent.ts";
import type { Performed } from "../../agent/parts/performer.ts";
import type { CallBudget } from "../../agent/parts/budget.ts";
import { checkCall } from "../../agent/act/check-call.ts";
import { WRAP_UP } from "../../agent/parts/metered-model.ts";
import { compareEvents, type Difference } from "./difference.ts";
import { LegionError, isLegionError, messageOf } from "../../base/errors.ts";
import type {
  Call,
  DecisionEvent,
  Event,
  EventOf,
  NewEvent,
  PromptedEvent,
  ResultEvent,
  Stop,
} from "../../domain/event.ts";
import { parseMessageId, type AgentId, type Message } from "../../domain/message.ts";
import type { Completion, Model, ModelRequest } from "../../domain/model.ts";
import type { Limiter } from "../../model/limiter.ts";
import { toCompletion } from "../../model/recorded.ts";
import { sentBy, STOPPED } from "../../agent/act/perform.ts";
import type { Playhead } from "./playhead.ts";
import { comparePrompts } from "./prompt-difference.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { SHUTDOWN } from "../../base/signals.ts";
import { beginWork, type Work } from "../../agent/act/unit-of-work.ts";

/** One agent against its tape. */
export interface Player {
  readonly agent: AgentId;
  readonly head: Playhead;
  /** Of the recorded legion. */
  readonly reader: Reader;
  /** The newest prompt that was passed, as it was recorded and as it is today. */
  asked: Asked | undefined;
  /** Of the tick under way: aborts where an abort stopped it when it was recorded. */
  interruption: AbortController | undefined;
  /** Aborts, with SHUTDOWN, when the agent is left. */
  readonly over: AbortSignal;
  /** Ends what runs, as if the process had died. */
  leave(why: "end" | "start" | Difference): void;
}

interface Asked {
  readonly recorded: EventOf<"prompted">;
  /** What was pinned then. */
  readonly pinned: string;
  readonly today: PromptedEvent;
}

/** The next recorded event of the agent's own. Where there is none, the agent is left, and this throws SHUTDOWN. */
export function expectNext(player: Player): Event {
  player.over.throwIfAborted();
  const event = player.head.next();
  if (event) return event;
  player.leave(player.head.edge ?? "end");
  throw SHUTDOWN;
}

/** Leaves the agent at its first difference. */
export function differ({ agent, leave }: Player, difference: Omit<Difference, "agent">): never {
  leave({ agent, ...difference });
  throw SHUTDOWN;
}

/** Compares what the agent is about to commit with what it committed, and passes that. */
export function passEvent(player: Player, event: NewEvent): Event {
  const recorded = expectNext(player);
  const difference = compareEvents(player.agent, recorded, event);
  if (difference) differ(player, difference);
  if (recorded.kind === "prompted" && event.kind === "prompted")
    player.asked = { recorded, pinned: pinnedAt(player, recorded), today: event };
  const passed = player.head.pass();
  if (isStopped(player)) player.interruption?.abort();
  return passed;
}

/** What was pinned when `prompted`, the next event, was recorded. */
function pinnedAt({ head }: Player, { pinned }: EventOf<"prompted">): string {
  return pinned ?? head.passed.pinned;
}

/** A signal for the tick that begins. */
export function interruptAgain(player: Player): AbortSignal {
  player.interruption = new AbortController();
  if (isStopped(player)) player.interruption.abort();
  return player.interruption.signal;
}

/** Did an abort stop the decision that comes next? */
function isStopped({ head }: Player): boolean {
  const next = head.next();
  return next?.kind === "decision" && next.stop === "aborted";
}

/** How a call failed when it was recorded: it was made again, it was not, its prompt was too long, its model has no tools. */
const CODES = {
  again: "MODEL_BUSY",
  "for good": "MODEL_BUSY",
  "too long": "CONTEXT_OVERFLOW",
  "no tools": "MODEL_REFUSED",
} as const;
type Failing = keyof typeof CODES;

/** Of the errors that a stand-in model threw. */
const failings = new WeakMap<LegionError, Failing>();

/** What the model that was asked last came to, refused again if it was. */
function failedAs(failing: Failing, { head }: Player): LegionError {
  const error = new LegionError(CODES[failing], "This call failed when it was recorded.", {
    refused: head.refusal(),
  });
  failings.set(error, failing);
  return error;
}

/** @param onFailure may abort the patience of a call that failed for good */
export function createStandInLimiter(onFailure?: () => void): Limiter {
  return {
    async run({ signal, patience }, attempt) {
      for (;;) {
        signal.throwIfAborted();
        try {
          return await attempt();
        } catch (error) {
          const failing = isLegionError(error) ? failings.get(error) : undefined;
          if (failing === "again") continue;
          if (failing === "for good") onFailure?.();
          patience?.throwIfAborted();
          throw error;
        }
      }
    },
  };
}

/** Admits what was admitted: the last call that fitted is the one that was asked to wrap up. */
export function createStandInBudget(player: Player): CallBudget {
  return {
    // What a limit stopped, and what let it go on, are on the tape.
    fits: () => Promise.resolve(false),
    async admit() {
      const recorded = expectNext(player);
      if (recorded.kind === "summary")
        throw new LegionError("LIMIT", "this summary was made without a model");
      const last = recorded.kind === "prompted" && pinnedAt(player, recorded).endsWith(WRAP_UP);
      return { last, begin: () => undefined, settle: () => undefined };
    },
  };
}

/** `model` with the recorded answers. */
export function createStandInModel(model: Model, player: Player, reading: () => Agent): Model {
  const { head } = player;
  const callsTools = (): boolean => model.profile.tools && head.speaks() !== "text";
  return {
    ...model,
    profile: {
      ...model.profile,
      get tools() {
        return callsTools();
      },
    },
    async complete(request, { signal }) {
      await checkPrompt(player, request);
      signal.throwIfAborted();
      if (request.tools.length > 0 && !callsTools()) throw failedAs("no tools", player);
      const { prompt } = player.asked!.recorded;
      const answer = head.next();
      if (answer?.kind === "decision") return toCompletion(answer, stopOf(answer, player, reading()));
      if (answer?.kind === "summary") return summaryOf(answer);
      if (answer?.kind === "prompted" && !head.isDisturbed()) {
        // Another question comes next: this one was too long, and the past is summarised for it.
        throw failedAs(answer.prompt === prompt ? "again" : "too long", player);
      }
      expectNext(player);
      throw failedAs("for good", player);
    },
  };
}

async function checkPrompt(player: Player, request: ModelRequest): Promise<void> {
  const { recorded, pinned, today } = player.asked!;
  const sides = await comparePrompts(player, { recorded, pinned }, { request, prompted: today });
  if (!sides) return;
  const answer = player.head.next();
  const where = answer?.kind === "decision" || answer?.kind === "summary" ? answer : recorded;
  differ(player, { ...sides, seq: where.seq, part: `${where.kind} ${where.seq}: ${sides.part}` });
}

function summaryOf({ content, usage }: EventOf<"summary">): Completion {
  return { text: content, calls: [], usage, stop: "end" };
}

/** What the model stopped for: where nothing could be read, only the reason that the agent was given tells. */
function stopOf(decision: DecisionEvent, { head }: Player, { speech, modules }: Agent): Stop {
  if (decision.stop !== "unparsed") return decision.stop;
  const result = head.next(1);
  const isReason = (stop: Stop): boolean => {
    const parsed = speech.protocol.parse(toCompletion(decision, stop), modules.specs);
    return result?.kind === "result" && parsed.kind === "unparsed" && parsed.reason === result.content;
  };
  return (["end", "length", "refused"] as const).find(isReason) ?? "end";
}

/** Did the agent tell Control of its trouble itself? */
export function wasNews({ head }: Player): boolean {
  const next = head.next();
  return next?.kind === "notice" && (next.sends ?? []).length > 0;
}

/** Gives the recorded result of a call that today's modules would run, with its messages composed as today. */
export async function performAgain(player: Player, agent: Agent, call: Call): Promise<Performed> {
  const recorded = expectNext(player);
  if (recorded.kind !== "result" || recorded.call !== call.id) {
    const today = `the result of ${call.action} (${call.id})`;
    const { seq, kind } = recorded;
    return differ(player, { seq, part: `event ${seq}`, recorded: kind, today });
  }
  checkAgain(player, agent, { call, recorded });
  const work = beginWork(agent);
  try {
    await sendAgain(work, recorded.sends ?? []);
  } catch (error) {
    const part = `event ${recorded.seq}: messages of ${call.action}`;
    const sent = (recorded.sends ?? []).map(({ id }) => id).join(", ");
    return differ(player, { seq: recorded.seq, part, recorded: sent, today: messageOf(error) });
  } finally {
    work.end();
  }
  const { kind, outcome, content, details, state, usage, taint } = recorded;
  const result: ResultEvent = {
    kind,
    call: call.id,
    outcome,
    content,
    ...(details !== undefined && { details }),
    ...(state && { state }),
    ...sentBy(work, taint),
    ...(usage && { usage }),
    ...(taint && { taint }),
  };
  return { result, refused: work.refused };
}

interface Made {
  readonly call: Call;
  readonly recorded: EventOf<"result">;
}

/** What today's modules refuse has to have been refused, in the same words. */
function checkAgain(player: Player, { modules }: Agent, { call, recorded }: Made): void {
  const { seq, outcome, content } = recorded;
  if (outcome === "interrupted" || (outcome === "idle" && content.startsWith(STOPPED))) return;
  const checked = checkCall(call, modules.actions);
  if (checked.kind === "ready") return;
  const before = `${outcome}: ${content}`;
  const today = `error: ${checked.reason}`;
  if (before !== today)
    differ(player, { seq, part: `event ${seq}: result of ${call.action}`, recorded: before, today });
}

/** Stages the same messages again, one letter to all of its targets at a time. */
async function sendAgain(work: Work, sends: readonly Message[]): Promise<void> {
  for (let first = 0; first < sends.length;) {
    const { targetAgentIds, content } = sends[first]!;
    const letter = sends.slice(first, first + Math.max(1, targetAgentIds.length));
    await work.send(
      letter.map(({ id }) => parseMessageId(id).to),
      content,
    );
    first += letter.length;
  }
}
