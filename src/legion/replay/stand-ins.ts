// What stands in for the outside world of an agent that is replayed: its model says what was recorded, its calls come to
// what they came to, its budget leaves the room that there was. Nothing is asked, run or spent.

import type { Performed, Performer } from "../../agent/parts/agent.ts";
import type { CallBudget } from "../../agent/parts/budget.ts";
import { NOT_BEGUN } from "../../agent/act/admit.ts";
import { checkCall } from "../../agent/act/check-call.ts";
import { WRAP_UP } from "../../agent/parts/model/metered-model.ts";
import { compareEvents, comparePrompts, withoutStamp, type Difference } from "./difference.ts";
import type { AgentPlan } from "../hosting/agent-plan.ts";
import { LegionError, isLegionError, messageOf } from "../../base/errors.ts";
import type {
  Call,
  DecisionEvent,
  Event,
  EventOf,
  NewEvent,
  PromptedEvent,
  Stop,
} from "../../domain/event/event.ts";
import { isMemoryId } from "../../domain/memory/memory-id.ts";
import type { RecordDetails } from "../../domain/memory/record.ts";
import { answersOf, declinesOf } from "../../domain/message/answering.ts";
import { parseMessageId, type AgentId, type Message } from "../../domain/message/message.ts";
import type { Model, ModelRequest } from "../../domain/model.ts";
import type { Limiter } from "../../model/limiter/limiter.ts";
import { toCompletion } from "../../model/scripted/recorded.ts";
import { sentBy } from "../../agent/act/perform.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { RULES } from "../../domain/supervision.ts";
import { SHUTDOWN } from "../../base/process/signals.ts";
import { ERRAND } from "../supervision/supervisor.ts";
import type { Playhead } from "./playhead.ts";
import { beginWork, type Work } from "../../agent/act/unit-of-work.ts";
import type { Evidence } from "../../agent/parts/command-trace.ts";

/** One agent against its tape. */
export interface Player {
  readonly agent: AgentId;
  readonly head: Playhead;
  readonly reader: Reader;
  /** Of what is shown; what is on the tape stays as it is. */
  readonly redactor: Redactor;
  /** The newest prompt that was passed, as it was recorded, with what was pinned then, and as it is today. */
  asked:
    | { readonly recorded: EventOf<"prompted">; readonly pinned: string; readonly today: PromptedEvent }
    | undefined;
  /** Of the tick under way: aborts where an abort stopped it when it was recorded. */
  interruption: AbortController | undefined;
  /** It waits for mail or for a person, or it is at the end of its tape. */
  isResting: boolean;
  /** Aborts, with SHUTDOWN, when the agent is left. */
  readonly over: AbortSignal;
  /** Is `event`, which is not of the agent's own doing, taken from the tape? Any other is brought about again. */
  isGiven(event: NewEvent | Event): boolean;
  /** Leaves the agent at its first difference. */
  leave(why: Difference): void;
  /** The agent has nothing to do; or it wants to do something, and its tape is at an edge. */
  rest(): void;
  /** Has the actor begin anew, behind everything that comes next from outside. Resolves when its run is told to end. */
  beginAnew(): Promise<void>;
  /** Puts into its log what comes next from outside. Set when that is open; while nobody else writes to it. */
  catchUp(): Promise<void>;
  /** The same, with the starts that come next. */
  begin(): Promise<void>;
}

/** The next recorded event of the agent's own. Throws what ends this run of its actor where there is none. */
export function expectNext({ over, head, rest }: Player): Event {
  over.throwIfAborted();
  const event = head.next();
  if (event) return event;
  rest();
  throw head.edge === "start" ? ERRAND : SHUTDOWN;
}

export function differ({ agent, leave }: Player, difference: Omit<Difference, "agent">): never {
  leave({ agent, ...difference });
  throw SHUTDOWN;
}

/** Compares what the agent is about to commit of its own doings with what it committed, and passes that. */
export function passEvent(player: Player, event: NewEvent): Event {
  const { agent, head } = player;
  const recorded = expectNext(player);
  const difference = compareEvents(agent, recorded, event);
  if (difference) differ(player, difference);
  if (recorded.kind === "prompted" && event.kind === "prompted")
    player.asked = { recorded, pinned: head.pinned(), today: event };
  const passed = head.pass();
  if (isStopped(player)) player.interruption?.abort();
  return passed;
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

/** What the model that was asked last came to, refused again if it was; `cause` says how it failed. */
function failedAs(cause: keyof typeof CODES, { head }: Player): LegionError {
  const refused = head.outside().find((event) => event.kind === "refused");
  return new LegionError(CODES[cause], "This call failed when it was recorded.", { cause, refused });
}

export function createStandInLimiter({ beginAnew }: Pick<Player, "beginAnew">): Limiter {
  return {
    async run({ signal, patience }, attempt) {
      for (;;) {
        signal.throwIfAborted();
        try {
          return await attempt();
        } catch (error) {
          const how = isLegionError(error) ? error.cause : undefined;
          if (how === "again") continue;
          if (how === "for good") await beginAnew();
          patience?.throwIfAborted();
          throw error;
        }
      }
    },
  };
}

/** Admits what was admitted: the last call that fitted is the one that was asked to wrap up. */
export function createStandInBudget(player: Player, { atLimit }: Pick<AgentPlan, "atLimit">): CallBudget {
  return {
    // What a limit stopped, and what let it go on, are on the tape.
    fits: () => Promise.resolve(false),
    async admit() {
      await player.catchUp();
      const next = expectNext(player);
      if (next.kind === "summary") throw new LegionError("LIMIT", "this summary was made without a model");
      // Why it was made by rules is its text.
      if (atLimit === "extracts" && next.kind === "decision" && next.model === RULES)
        throw new LegionError("LIMIT", next.text);
      return {
        last: player.head.pinned().endsWith(WRAP_UP),
        begin: () => undefined,
        settle: () => undefined,
      };
    },
  };
}

/** The plan's model with the recorded answers. */
export function createStandInModel(plan: AgentPlan, player: Player): Model {
  const { model } = plan;
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
      if (answer?.kind === "decision") return toCompletion(answer, await stopOf(answer, head, plan));
      if (answer?.kind === "summary")
        return { text: answer.content, calls: [], usage: answer.usage, stop: "end" };
      if (answer?.kind === "prompted" && !head.outside().some(isDisturbance)) {
        // Another question comes next: this one was too long, and the past is summarised for it.
        throw failedAs(answer.prompt === prompt ? "again" : "too long", player);
      }
      expectNext(player);
      throw failedAs("for good", player);
    },
  };
}

/** Was the agent stopped, or changed by hand? */
function isDisturbance({ kind }: Event): boolean {
  return kind === "notice" || kind === "edited";
}

async function checkPrompt(player: Player, request: ModelRequest): Promise<void> {
  const { recorded, pinned, today } = player.asked!;
  const sides = await comparePrompts(player, { recorded, pinned }, { request, prompted: today });
  if (!sides) return;
  const answer = player.head.next();
  const where = answer?.kind === "decision" || answer?.kind === "summary" ? answer : recorded;
  differ(player, { ...sides, seq: where.seq, part: `${where.kind} ${where.seq}: ${sides.part}` });
}

/** What the model stopped for: where nothing could be read, only the reason that the agent was given tells. */
async function stopOf(decision: DecisionEvent, head: Playhead, plan: AgentPlan): Promise<Stop> {
  if (decision.stop !== "unparsed") return decision.stop;
  const result = head.next(1);
  const { protocol, actions } = plan.protocol.name === decision.protocol ? plan : (plan.withoutTools ?? plan);
  try {
    for (const stop of ["end", "length", "refused"] as const) {
      const parsed = await protocol.parse(toCompletion(decision, stop), actions.specs);
      if (result?.kind === "result" && parsed.kind === "unparsed" && parsed.reason === result.content)
        return stop;
    }
  } catch (error) {
    // What it was to be read by is wrong, as it was then.
    if (!isLegionError(error, "CONFIG")) throw error;
  }
  return "end";
}

/** Did the agent tell Control of its trouble itself? */
export function wasNews({ head }: Player): boolean {
  const next = head.next();
  return next?.kind === "notice" && (next.sends ?? []).length > 0;
}

/** What was found of the call that a crash had cut off, if its recovery comes next. */
export function evidenceOn(head: Playhead): Evidence | undefined {
  const next = head.next();
  if (next?.kind !== "result" || next.outcome !== "interrupted") return undefined;
  return (next.details as { readonly evidence?: Evidence } | undefined)?.evidence;
}

/** Gives the recorded result of a call that today's modules would run, with its messages composed as today. */
export async function performAgain(player: Player, performer: Performer, call: Call): Promise<Performed> {
  const recorded = expectNext(player);
  if (recorded.kind !== "result" || recorded.call !== call.id) {
    const today = `the result of ${call.action} (${call.id})`;
    const { seq, kind } = recorded;
    return differ(player, { seq, part: `event ${seq}`, recorded: kind, today });
  }
  checkAgain(player, performer, { recorded, call });
  const work = beginWork(performer, call.id);
  try {
    await sendAgain(work, recorded.sends ?? []);
  } catch (error) {
    const part = `event ${recorded.seq}: messages of ${call.action}`;
    const sent = (recorded.sends ?? []).map(({ id }) => id).join(", ");
    return differ(player, { seq: recorded.seq, part, recorded: sent, today: messageOf(error) });
  } finally {
    work.end();
  }
  const result = { ...withoutStamp(recorded), sends: sentBy(work, recorded.taint) };
  return { result, refused: work.refused };
}

/** What today's modules refuse has to have been refused, in the same words. */
function checkAgain(
  player: Player,
  { modules, memory }: Performer,
  { recorded, call }: { readonly recorded: EventOf<"result">; readonly call: Call },
): void {
  const { seq, outcome, content } = recorded;
  const isNotBegun = outcome !== "ok" && NOT_BEGUN.some((reason) => content.startsWith(reason));
  if (outcome === "interrupted" || isNotBegun) return;
  const checked = checkCall(call, modules, memory.conversation.decision?.event);
  if (checked.kind === "ready") return;
  const before = `${outcome}: ${content}`;
  const today = `error: ${checked.reason}`;
  if (before !== today)
    differ(player, { seq, part: `event ${seq}: result of ${call.action}`, recorded: before, today });
}

/** Stages the same messages again, one letter to all of its targets at a time. */
async function sendAgain(work: Work, sends: readonly Message[]): Promise<void> {
  for (let first = 0; first < sends.length;) {
    const { targetAgentIds, content, details, receipts, needsAnswer } = sends[first]!;
    const letter = sends.slice(first, first + Math.max(1, targetAgentIds.length));
    const [to = ""] = targetAgentIds;
    if (isMemoryId(to)) {
      work.record(to, content, details as RecordDetails);
      first++;
      continue;
    }
    const answers = letter.flatMap(answersOf);
    const declines = letter.flatMap(declinesOf);
    await work.send(
      letter.map(({ id }) => parseMessageId(id).to),
      { content, details, receipts, needsAnswer, answers, declines },
      () => true,
    );
    first += letter.length;
  }
}
