// What an agent asked a person about its calls, and what came of it. A fold over the active branch of its log.

import type { Call, DecisionEvent, EventOf } from "../domain/event/event.ts";
import { isPersons, laneOf, type AgentId, type Message } from "../domain/message/message.ts";
import { keyOfCall } from "../domain/policy/same-call.ts";
import { questionId, type Question } from "../domain/policy/verdict.ts";
import type { AskedCall, QuestionEnd } from "../domain/event/approval.ts";

export interface AskedQuestion {
  readonly seq: number;
  readonly call: Call;
  readonly asked: AskedCall;
  /** ISO 8601. */
  readonly at: string;
  /** Its letter to Control is in the log. */
  isSent: boolean;
  /** It was asked on another branch, or in another legion: here nobody knows of it. */
  isElsewhere: boolean;
  /** Absent: it is open. */
  verdict?: QuestionEnd;
  reason?: string;
}

export interface Questions {
  /** The newest about a call that has no result. */
  newest: AskedQuestion | undefined;
  /** A call of the newest decision waited for an answer, and something else came first. */
  isSuperseded: boolean;
  /** What was refused since a person spoke, and in which words. */
  readonly refused: Map<string, string>;
  /** Verdicts that settled a question and are not taken in yet. */
  readonly used: Set<string>;
}

export function createQuestions(): Questions {
  return { newest: undefined, isSuperseded: false, refused: new Map(), used: new Set() };
}

/** The question that waits for an answer. */
export function openQuestion({ newest }: Pick<Questions, "newest">): AskedQuestion | undefined {
  return newest && !newest.isElsewhere && newest.verdict === undefined ? newest : undefined;
}

/** @param expireMs how long it waits for an answer */
export function describeQuestion(
  agent: AgentId,
  { seq, call, asked, at }: AskedQuestion,
  expireMs: number,
): Question {
  const id = questionId({ agent, seq });
  const expires = new Date(Date.parse(at) + expireMs).toISOString();
  return { ...asked, id, agent, parameters: call.parameters, since: at, expires };
}

export function seeApproval(
  questions: Questions,
  decision: DecisionEvent | undefined,
  event: EventOf<"approval">,
): void {
  const call = decision?.calls.find(({ id }) => id === event.call);
  const { asked, sends, verdict, reason, seq, at, by } = event;
  if (asked && call) questions.newest = { seq, call, asked, at, isSent: false, isElsewhere: false };
  const question = questions.newest;
  if (!question || question.call.id !== event.call) return;
  question.isSent ||= sends !== undefined;
  if (verdict === undefined) return;
  question.verdict = verdict;
  if (reason !== undefined) question.reason = reason;
  if (by !== undefined) questions.used.add(by);
  if (verdict === "superseded") questions.isSuperseded = true;
  if (verdict === "denied" || verdict === "expired")
    questions.refused.set(keyOfCall({ ...question.call, action: question.asked.action }), reasonOf(question));
}

/** Forgets what a new decision, or a result, has overtaken. */
export function overtake(questions: Questions, by: "decision" | "result"): void {
  questions.newest = undefined;
  if (by === "decision") questions.isSuperseded = false;
}

/** What stands before this was not asked here. */
export function leaveBehind({ newest }: Questions): void {
  if (newest) newest.isElsewhere = true;
}

/** A person spoke: what was refused before may be asked again. */
export function hearPerson(questions: Questions, message: Message): void {
  if (isPersons(message) && laneOf(message) !== "abort") questions.refused.clear();
}

/** Why a question was not answered with yes, for its agent. */
export function reasonOf({ verdict, reason }: Pick<AskedQuestion, "verdict" | "reason">): string {
  if (verdict === "expired") return "Nobody answered in time, so it may not be done.";
  return reason ? `Control said no: ${/[.!?]$/.test(reason) ? reason : `${reason}.`}` : "Control said no.";
}
