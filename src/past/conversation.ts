// What an agent has of its past: the mail it answers, the decision that is open, why it rests, whether there is something
// to decide. One pure fold over the active branch of its log, kept up to date event by event.

import { isPiece, resultsFor, sendsOf, type Call, type Event, type EventOf } from "../domain/event/event.ts";
import type { NoticeReason } from "../domain/event/notice.ts";
import { authorityOf, joinAuthority } from "../domain/message/authority.ts";
import { buriedBy } from "./mail/dead-letters.ts";
import { createHeldMail, foldHeld, type HeldMail } from "./mail/held.ts";
import {
  createKnownAddresses,
  hearAddresses,
  learnAddresses,
  type KnownAddresses,
} from "./mail/known-addresses.ts";
import {
  createQuestions,
  hearPerson,
  leaveBehind,
  overtake,
  seeApproval,
  type Questions,
} from "./questions.ts";
import {
  CONTROL,
  isPersons,
  laneOf,
  parseMessageId,
  type AgentId,
  type Message,
} from "../domain/message/message.ts";
import { sourcesOf } from "../domain/message/taint.ts";
import { HUMAN, isOfModel } from "../domain/supervision.ts";
import { createInvocations, foldInvocations, type Invocations } from "./observed/invocations.ts";
import {
  beginAnew,
  createRunState,
  foldRun,
  haltIn,
  hearWord,
  leaveActs,
  type Halt,
  type RunState,
} from "./run-state.ts";
import { createProofs, foldProofs, hearReceipts, type Proofs } from "./receipts/proofs.ts";
import { outcomeOf, type DecisionOutcome, type OpenDecision } from "./outcome.ts";
import { countRepeat, type Repeat } from "./repeats.ts";
import { createWaiting, foldWaiting, hearAnswers, type Waiting } from "./waiting/waiting.ts";

export interface Conversation {
  /** Mail that is taken in and not shown; all else here tells of what was shown alone. */
  readonly held: HeldMail;
  /** The newest message. */
  newest: Message | undefined;
  /** The newest of a person or another agent. */
  instruction: Message | undefined;
  /** From where outside came what the agent was shown since it last rested: pages, messages of those who had read one. */
  taint: readonly string[];
  /** In whose name it acts: of all mail since it last rested; itself not. Empty: in nobody's but a person's. */
  authority: readonly AgentId[];
  /** Per peer, its newest message that has not been answered. */
  readonly unanswered: Map<AgentId, Message>;
  readonly waiting: Waiting;

  decision: OpenDecision | undefined;
  outcome: DecisionOutcome;
  /** Since the newest decision: mail was shown that is not an abort; an abort was taken in. */
  mail: boolean;
  aborted: boolean;
  halt: Halt | undefined;
  readonly run: RunState;

  /** How often each call gave the same result since the last message; by length and checksum of both. */
  readonly repeats: Map<string, Repeat>;
  /** Decisions since a person's newest message; where only agents wrote, since it last waited for mail. */
  turns: number;
  /** The texts of an answer that was cut off and is not sent yet, in their order. */
  pieces: readonly string[];
  /** Completions in a row from which no action could be read. */
  unparsed: number;
  /** Decisions in a row that failed, whatever they said, and how many before the newest. An idle one does not end the row. */
  failures: number;
  failuresBefore: number;
  /** Since the newest decision or result: a message was refused before it got a number. */
  refused: boolean;
  /** What the newest prompt showed as pinned messages; the newest summary that was kept, by its event, 0 for none. */
  pinned: string;
  summary: number;
  readonly questions: Questions;
  readonly addresses: KnownAddresses;
  /** What it observes. */
  readonly invocations: Invocations;
  /** What it can cite. */
  readonly proofs: Proofs;
}

const NO_FAILURES = { unparsed: 0, failures: 0, failuresBefore: 0 } as const;

export function createConversation(): Conversation {
  return {
    held: createHeldMail(),
    ...{ newest: undefined, instruction: undefined, taint: [], authority: [] },
    unanswered: new Map(),
    waiting: createWaiting(),
    decision: undefined,
    outcome: "idle",
    ...{ mail: false, aborted: false, halt: undefined },
    run: createRunState(),
    repeats: new Map(),
    ...{ turns: 0, pieces: [], refused: false, ...NO_FAILURES },
    ...{ pinned: "", summary: 0 },
    questions: createQuestions(),
    addresses: createKnownAddresses(),
    invocations: createInvocations(),
    proofs: createProofs(),
  };
}

/** Takes one event into account. Events come in the order of the log. */
export function converse(conversation: Conversation, event: Event): void {
  for (const { message } of foldHeld(conversation.held, event)) hear(conversation, message);
  if (foldInvocations(conversation.invocations, event)) takeUp(conversation, event);
  if (event.kind === "prompted") conversation.pinned = event.pinned ?? conversation.pinned;
  else if (event.kind === "summary" && event.covers[1] > 0) conversation.summary = event.seq;
  else if (event.kind === "decision") decide(conversation, event);
  else if (event.kind === "result") close(conversation, event);
  else if (event.kind === "approval")
    seeApproval(conversation.questions, conversation.decision?.event, event);
  else if (event.kind === "branch") leaveBehind(conversation.questions);
  else if (event.kind === "notice") heed(conversation, event);
  foldRun(conversation.run, event, conversation.unanswered.get(CONTROL));
  learnAddresses(conversation.addresses, event);
  foldProofs(conversation.proofs, event, conversation.newest?.root);
  foldWaiting(conversation.waiting, event);
  for (const { id, re } of sendsOf(event))
    if (re !== undefined) conversation.unanswered.delete(parseMessageId(id).to);
}

/** A5: is there something to decide, and may the agent? In mode `human` the person decides, who has to type it. */
export function mayDecide(conversation: Conversation): boolean {
  const { halt, run } = conversation;
  return !halt && (run.mode === "human" ? run.acts.length > 0 : hasMore(conversation));
}

function hasMore({ mail, outcome, aborted, run, invocations }: Conversation): boolean {
  if (mail || run.acts.length > 0) return true;
  if (invocations.open && !aborted) return true;
  return outcome !== "idle" && !aborted && run.submission === undefined;
}

/** A5: the follow-up to be shown now, by its event: the agent would otherwise wait, and was not stopped since it last decided. */
export function nextFollowUp(conversation: Conversation): number | undefined {
  const isResting = !conversation.halt && !conversation.aborted && isAtRest(conversation);
  const [oldest] = isResting ? conversation.held.followUps.keys() : [];
  return oldest;
}

/** A5, with mail that waits in the mailbox: is there something to take in, to show or to decide? */
export function hasWork(conversation: Conversation, unread: number): boolean {
  const isAwaited = unread > 0 || conversation.held.overflow.size > 0;
  if (isAwaited && wakesOnMail(conversation)) return true;
  return mayDecide(conversation) || nextFollowUp(conversation) !== undefined;
}

/** Does new mail make the agent act again? */
export function wakesOnMail({ halt }: Conversation): boolean {
  return !halt || halt.reason === "parked-mail";
}

/**
 * Has the agent nothing to do but to wait for mail, whether or not some waits in its mailbox? It rests where all of its
 * newest decision is done, and A5 gives no other: that decision left nothing to follow up, or an abort came since. The
 * next message that is shown, but an abort or a verdict, begins a new piece of work; also a follow-up that waited for it. A
 * halt is no rest: what it stopped is not over.
 */
export function isAtRest(conversation: Conversation): boolean {
  const isDone = !hasMore(conversation) && conversation.held.overflow.size === 0;
  return isDone && openCalls(conversation).length === 0;
}

/** Calls of the newest decision that have no result yet, in order; `null` stands for a missing one in place of calls. */
export function openCalls({ decision }: Conversation): readonly (Call | null)[] {
  if (!decision) return [];
  if (resultsFor(decision.event).includes(null)) return decision.results.has(null) ? [] : [null];
  return decision.event.calls.filter((call) => !decision.results.has(call.id));
}

function hear(conversation: Conversation, message: Message): void {
  const lane = laneOf(message);
  if (lane === "verdict") {
    // It was seen in the mailbox, or came too late.
    conversation.questions.used.delete(message.id);
    return hearWord(conversation.run, message);
  }
  hearPerson(conversation.questions, message);
  hearAnswers(conversation.waiting, message);
  hearAddresses(conversation.addresses, message);
  hearReceipts(conversation.proofs, message);
  if (lane === "abort") {
    conversation.aborted = true;
    // It ends a model's call, which decides on what was shown; a person who is waited for has decided nothing.
    if (leaveActs(conversation.run)) conversation.mail = false;
    return;
  }
  // Its answer may be to another one from here on.
  conversation.pieces = [];
  if (startsWork(conversation, message)) conversation.turns = 0;
  if (isAtRest(conversation)) conversation.taint = conversation.authority = [];
  conversation.mail = true;
  beginAnew(conversation.run, message);
  conversation.taint = sourcesOf(conversation.taint, message.taint);
  const { from, to } = parseMessageId(message.id);
  const others = authorityOf(message).filter((name) => name !== to);
  conversation.authority = joinAuthority(conversation.authority, others);
  conversation.newest = message;
  if (isPersons(message)) conversation.failures = conversation.failuresBefore = 0;
  if (message.source.type === "agent") {
    conversation.unanswered.set(from, message);
    conversation.instruction = message;
  }
  conversation.repeats.clear();
  conversation.unparsed = 0;
  if (conversation.halt?.reason === "parked-mail") conversation.halt = undefined;
}

/** Something that was observed is to be worked on: like mail, but of nobody who waits for an answer. */
function takeUp(conversation: Conversation, event: Event): void {
  conversation.taint = event.kind === "observed" ? sourcesOf(event.message?.taint) : [];
  Object.assign(conversation, { mail: true, authority: [], turns: 0, ...NO_FAILURES });
  conversation.repeats.clear();
  if (conversation.halt?.reason === "parked-mail") conversation.halt = undefined;
}

/** Is `message` a new instruction to an agent, which it may take all of its turns for? */
function startsWork(conversation: Conversation, message: Message): boolean {
  const waits = isAtRest(conversation) || conversation.halt?.reason === "parked-mail";
  return waits || isPersons(message);
}

function decide(conversation: Conversation, event: EventOf<"decision">): void {
  // A plain answer has no result: one that went out is something done, one that was refused has failed.
  if (event.sends) conversation.failures = 0;
  else if (conversation.refused && event.calls.length === 0) conversation.failures++;
  conversation.failuresBefore = conversation.failures;
  conversation.refused = false;
  conversation.decision = { event, results: new Map(), since: event.at };
  overtake(conversation.questions, "decision");
  if (event.model === HUMAN) forgive(conversation);
  else if (isOfModel(event)) conversation.turns++;
  conversation.outcome = "idle";
  conversation.mail = false;
  conversation.aborted = false;
  conversation.unparsed = event.stop === "unparsed" ? conversation.unparsed + 1 : 0;
  if (isPiece(event)) conversation.pieces = [...conversation.pieces, event.text];
  else if (event.stop !== "unparsed") conversation.pieces = [];
}

function close(conversation: Conversation, event: EventOf<"result">): void {
  if (event.taint !== undefined) conversation.taint = sourcesOf(conversation.taint, event.taint);
  overtake(conversation.questions, "result");
  const { decision } = conversation;
  if (!decision) return;
  decision.results.set(event.call, event.outcome);
  decision.since = event.at;
  if (event.call === null && event.outcome === "idle") conversation.pieces = [];
  conversation.outcome = outcomeOf([...decision.results.values()]);
  conversation.failures = conversation.failuresBefore + (conversation.outcome === "failed" ? 1 : 0);
  if (conversation.outcome === "acted") conversation.failures = 0;
  conversation.refused = false;
  const call = decision.event.calls.find(({ id }) => id === event.call);
  if (call && event.outcome !== "idle") countRepeat(conversation.repeats, call, event);
}

/** What stands before these was said elsewhere, or some of it is lost. */
const ARRIVED: readonly NoticeReason[] = ["foreign", "adopted", "gap"];

function heed(conversation: Conversation, event: EventOf<"notice">): void {
  const { reason } = event;
  if (ARRIVED.includes(reason)) leaveBehind(conversation.questions);
  if (reason === "mode") conversation.questions.refused.clear();
  else if (reason === "resumed") {
    conversation.halt = undefined;
    conversation.turns = 0;
    forgive(conversation);
  } else if (reason === "undeliverable") conversation.refused ||= buriedBy(event) === undefined;
  const halt = haltIn(event);
  if (!halt) return;
  conversation.halt = halt;
  // What there is of an answer goes out with these.
  if (reason === "parked-mail" || reason === "parked-limit") conversation.pieces = [];
}

/** The person has seen how it went. */
function forgive(conversation: Conversation): void {
  conversation.repeats.clear();
  Object.assign(conversation, NO_FAILURES);
}
