// What is known of an agent's conversation while nobody runs it: why it stands still, what it asked, how it is watched over. Of all
// else in a conversation, nothing is kept but what these depend on.

import { z } from "zod";
import { END_STATUSES } from "../../domain/event/ending.ts";
import { NO_USAGE, resultsFor, type Event } from "../../domain/event/event.ts";
import { MAIL_LANES, laneOf, type Message } from "../../domain/message/message.ts";
import { MODES } from "../../domain/supervision.ts";
import { SPENDING_LIMITS } from "../../base/errors.ts";
import { belongsTo, forkIn, pathTo, type Fork } from "../branch.ts";
import { converse, createConversation, isAtRest, type Conversation } from "../conversation.ts";
import type { OpenDecision } from "../outcome.ts";
import type { AskedQuestion, Questions } from "../questions.ts";
import { HALT_REASONS, type RunState } from "../run-state.ts";
import { isResting } from "../waiting/resting.ts";
import type { Waiting } from "../waiting/waiting.ts";

/** The part of a conversation that is kept; of a question no more than its number, its call and what came of it. */
export interface ConversationAtRest {
  readonly halt: Conversation["halt"];
  readonly questions: Pick<Questions, "newest">;
  readonly run: Pick<RunState, "mode" | "modeBy">;
  readonly waiting: Pick<Waiting, "asked">;
}

export interface RestingConversation extends ConversationAtRest {
  /** As `isResting` has it. */
  readonly isResting: boolean;
  /** As `isAtRest` has it: of what it was shown nothing is left to do, whether or not it stands still. */
  readonly isDone: boolean;
}

const count = z.int().min(0);
const text = z.string();

const message = z.object({
  id: text,
  type: z.enum(["spontaneous", "agentToAgent"]),
  source: z.union([z.object({ type: z.literal("user") }), z.object({ type: z.literal("agent"), id: text })]),
  content: text,
  delivery: z.enum(MAIL_LANES),
  taint: z.union([z.literal(true), z.array(text).readonly()]).optional(),
  details: z.unknown().optional(),
});
const heldMail = z.array(z.tuple([count, message]));

export const atRestSchema = z.object({
  halt: z
    .object({
      ...{ reason: z.enum(HALT_REASONS), content: text, since: text, epoch: count, until: text.optional() },
      ...{ limit: z.enum(SPENDING_LIMITS).optional(), shared: z.literal(true).optional() },
      end: z.enum(END_STATUSES),
    })
    .optional(),
  question: z
    .object({
      ...{ seq: count, call: text, action: text, at: text, isSent: z.boolean(), isElsewhere: z.boolean() },
      verdict: z.enum(["approved", "denied", "expired", "superseded"]).optional(),
      reason: text.optional(),
    })
    .optional(),
  mode: z.enum(MODES),
  modeBy: text.optional(),
  /** The calls of the newest decision: ids and actions; `null` without one. */
  calls: z.array(z.tuple([text, text])).nullable(),
  /** What is held, by the events that took it in. */
  followUps: heldMail,
  overflow: heldMail,
  /** What came of those calls; `isUnread`: there were none to be read. */
  results: z.array(z.tuple([text.nullable(), z.enum(["ok", "error", "idle", "interrupted"])])),
  ...{ outcome: z.enum(["acted", "failed", "idle"]), mail: z.boolean(), aborted: z.boolean() },
  ...{ isUnread: z.boolean(), isSubmitted: z.boolean() },
  asked: z.array(z.tuple([text, z.object({ to: text, since: text, isUntied: z.literal(true).optional() })])),
});

type PackedAtRest = z.output<typeof atRestSchema>;
type PackedQuestion = NonNullable<PackedAtRest["question"]>;

export function packConversation(conversation: Conversation): PackedAtRest {
  const { halt, questions, run, decision, held, outcome, mail, aborted, waiting } = conversation;
  const { newest } = questions;
  return {
    ...(halt && { halt: { ...halt } }),
    ...(newest && { question: packQuestion(newest) }),
    mode: run.mode,
    ...(run.modeBy !== undefined && { modeBy: run.modeBy }),
    calls: decision?.event.calls.map(({ id, action }) => [id, action]) ?? null,
    followUps: packMail(held.followUps),
    overflow: packMail(held.overflow),
    results: [...(decision?.results ?? [])],
    ...{ outcome, mail, aborted, isSubmitted: run.submission !== undefined },
    isUnread: decision !== undefined && resultsFor(decision.event).includes(null),
    asked: [...waiting.asked],
  };
}

function packQuestion(question: AskedQuestion): PackedQuestion {
  const { seq, call, asked, at, isSent, isElsewhere, verdict, reason } = question;
  const { action } = asked;
  return { seq, call: call.id, action, at, isSent, isElsewhere, verdict, reason };
}

/** The words of a message count only where they are an order. */
function packMail(mail: ReadonlyMap<number, Message>): PackedAtRest["followUps"] {
  return [...mail].map(([seq, message]) => {
    const { id, type, source, delivery, taint } = message;
    const isOrder = laneOf(message) === "verdict";
    const { content, details } = isOrder ? message : { content: "", details: undefined };

    return [seq, { id, type, source, content, delivery, taint, details }];
  });
}

function unpackConversation(packed: PackedAtRest): Conversation {
  const { halt, question, mode, modeBy, calls, followUps, overflow, outcome, mail, aborted } = packed;
  const conversation = createConversation();
  Object.assign(conversation, { halt, outcome, mail, aborted });
  Object.assign(conversation.run, { mode, modeBy, submission: packed.isSubmitted ? "" : undefined });
  for (const [id, request] of packed.asked) conversation.waiting.asked.set(id, request);
  if (question) conversation.questions.newest = unpackQuestion(question);
  for (const [seq, kept] of followUps) conversation.held.followUps.set(seq, toMessage(kept));
  for (const [seq, kept] of overflow) conversation.held.overflow.set(seq, toMessage(kept));
  const results = new Map(packed.results);
  if (calls) conversation.decision = { event: decisionOf({ ...packed, calls }), results, since: "" };
  return conversation;
}

function unpackQuestion({ call, action, ...known }: PackedQuestion): AskedQuestion {
  const asked = { action, touches: [], besides: [], rule: "" };
  return { ...known, call: { id: call, action, parameters: {} }, asked };
}

function toMessage(kept: PackedAtRest["followUps"][number][1]): Message {
  return { ...kept, targetAgentIds: [], sentAt: "", root: kept.id, hops: 0 };
}

function decisionOf({
  calls,
  isUnread,
}: Pick<PackedAtRest, "isUnread"> & {
  readonly calls: NonNullable<PackedAtRest["calls"]>;
}): OpenDecision["event"] {
  return {
    ...{
      kind: "decision",
      seq: 0,
      epoch: 0,
      at: "",
      text: "",
      protocol: "tools",
      model: "",
      usage: NO_USAGE,
    },
    stop: isUnread ? "unparsed" : "calls",
    calls: calls.map(([id, action]) => ({ id, action, parameters: {} })),
  };
}

/** What `packConversation` gave, for whoever does not go on from it. */
export function conversationAtRest(packed: PackedAtRest): RestingConversation {
  return atRest(unpackConversation(packed));
}

/** Nothing else of it: what was gone on from must not differ. */
function atRest(conversation: Conversation): RestingConversation {
  const { halt, questions, run, waiting } = conversation;
  const newest = questions.newest && unpackQuestion(packQuestion(questions.newest));
  const { mode, modeBy } = run;
  return {
    halt,
    questions: { newest },
    run: { mode, modeBy },
    waiting: { asked: waiting.asked },
    isResting: isResting(conversation),
    isDone: isAtRest(conversation),
  };
}

/** Which branch a log is on, as far as a digest has to know. */
export const branchSchema = z.object({
  /** The forks that left something out, in their order. */
  detours: z.array(z.object({ seq: count, to: count })),
  /** The newest event that says something. */
  newest: count,
});

/**
 * Follows the conversation of the active branch from where it was left. Where the log goes back to an earlier event, it has to be
 * read again from its beginning: see `settle`.
 */
export function followAtRest(kept?: {
  readonly conversation: PackedAtRest;
  readonly branch: z.output<typeof branchSchema>;
}) {
  let conversation = kept ? unpackConversation(kept.conversation) : createConversation();
  const detours: Fork[] = [...(kept?.branch.detours ?? [])];
  let newest = kept?.branch.newest ?? 0;
  let last = 0;
  let isAstray = false;
  return {
    get conversation(): RestingConversation {
      return atRest(conversation);
    },
    see(event: Event): void {
      last = event.seq;
      const fork = forkIn(event);
      if (fork && fork.to < newest) isAstray = detours.push(fork) > 0;
      if (event.kind !== "opened") newest = event.seq;
      if (!isAstray) converse(conversation, event);
    },
    /** To be called after the last event. @param read gives the log from its first event */
    async settle(read: () => AsyncIterable<Event>): Promise<void> {
      if (!isAstray) return;
      conversation = createConversation();
      const path = pathTo(detours, last);
      for await (const event of read()) {
        if (event.seq > last) break;
        if (belongsTo(path, event)) converse(conversation, event);
      }
      isAstray = false;
    },
    pack: () => ({ conversation: packConversation(conversation), branch: { detours: [...detours], newest } }),
  };
}
