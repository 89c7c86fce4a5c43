// After a crash: which calls of the last decision still want a result, and how each gets one. Pure.

import { isTakenOver } from "./act/mode.ts";
import type { UnclosedCall } from "./act/run-calls.ts";
import { isPiece, type ResultEvent } from "../domain/event/event.ts";
import { openCalls, type Conversation } from "../past/conversation.ts";
import type { Effects } from "../domain/authoring/module.ts";
import { isUrgent } from "../domain/message/message.ts";
import type { Mail } from "../mail/bus.ts";
import { resultOfPiece } from "./think/answer.ts";
import type { Evidence } from "./parts/command-trace.ts";

/** What is known beside the log. */
export interface Aftermath {
  /** Of the first call without a result. */
  readonly evidence?: Evidence;
  /** Control's mail that is not taken in. */
  readonly unread?: readonly Mail[];
}

/**
 * How to close what the log left open, in the order of the calls; empty if nothing is open. The first call without a
 * result may have been running: it runs again if that does no harm; otherwise its outcome is unknown, and the calls
 * after it, which the model meant for a known one, are left out. While an abort or a steer is unread nothing runs again, nor
 * what a model wanted where a person says the calls by now.
 *
 * @param effectsOf what repeating an action would do; unknown actions count as `once`
 */
export function planRecovery(
  conversation: Conversation,
  effectsOf: (action: string) => Effects,
  { evidence, unread = [] }: Aftermath = {},
): readonly UnclosedCall[] {
  const { decision } = conversation;
  const open = openCalls(conversation);
  const [first] = open;
  if (first === undefined) return [];
  if (first === null)
    return isPiece(decision!.event)
      ? [{ kind: "record", result: resultOfPiece(conversation) }]
      : [record(null, "error", UNPARSED)];
  const calls = open.filter((call) => call !== null);
  // A call that waits for a person has not run, nor has one that was not allowed, nor what comes after it or after a submission.
  const { newest: question, isSuperseded } = conversation.questions;
  const isAsked = question?.call.id === first.id && question.verdict !== "approved";
  if (isSuperseded || isAsked || conversation.run.submission !== undefined)
    return calls.map((call) => ({ kind: "begin", call }));
  // A recovery that was itself cut short: the rest is still left out.
  if ([...decision!.results.values()].includes("interrupted"))
    return calls.map((call) => record(call.id, "interrupted", SKIPPED));
  const effects = effectsOf(first.action);
  const isTaken = isTakenOver({ inbox: { ahead: () => unread }, memory: { conversation } });
  const isOverruled = isTaken || unread.some(({ message }) => isUrgent(message));
  const leavesTraces = effects === "once" || effects === "idempotent";
  // What left no trace may be closed as if it had never begun.
  if (isOverruled && !leavesTraces) return calls.map((call) => ({ kind: "begin", call }));
  const unknown = unknownOutcome(decision!.since, evidence);
  const cutOff = record(first.id, "interrupted", unknown, evidence && { evidence });
  if (!isOverruled && effects !== "once")
    return calls.map((call) => ({
      ...{ kind: "again", call },
      ...(call === first && leavesTraces && { otherwise: cutOff.result }),
    }));
  return calls.map((call) => (call === first ? cutOff : record(call.id, "interrupted", SKIPPED)));
}

const UNPARSED = "Your completion held no action that could be read. Answer with one action.";
const SKIPPED = "Not run: a call before it in the same decision was interrupted and its outcome is unknown.";

function unknownOutcome(since: string, evidence: Evidence | undefined): string {
  const unknown =
    `Interrupted: the runtime stopped while this call may have been running (after ${since}). Its outcome is unknown: ` +
    "it may have happened wholly, partly or not at all. Check before repeating it.";
  return [unknown, ...facts(evidence)].join("\n");
}

function* facts(evidence: Evidence | undefined): Generator<string> {
  if (!evidence) return;
  const { stillRan, printed } = evidence;
  if (stillRan) yield "Its command was still running, and was ended.";
  yield printed === "" ? "Its command had printed nothing." : `Its command had printed:\n${printed}`;
}

function record(
  call: string | null,
  outcome: ResultEvent["outcome"],
  content: string,
  details?: unknown,
): Extract<UnclosedCall, { kind: "record" }> {
  return { kind: "record", result: { kind: "result", call, outcome, content, details } };
}
