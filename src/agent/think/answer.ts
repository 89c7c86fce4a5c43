// A plain answer: a completion without calls, sent to whoever asked last. One that was cut off is gone on with, and what its
// pieces come to is sent as one message.

import { draftOf, writeLetter, type Composed } from "../../mail/compose.ts";
import type { Conversation } from "../../past/conversation.ts";
import { undeliverable } from "../../past/mail/dead-letters.ts";
import type { ResultEvent } from "../../domain/event/event.ts";
import { CONTROL, type AgentId, type Message } from "../../domain/message/message.ts";
import { withoutReceipts } from "../../domain/message/receipt.ts";
import type { Completion } from "../../domain/model.ts";
import { owedTo } from "../../past/waiting/waiting.ts";
import type { Thinker } from "../parts/agent.ts";
import { permits, unasked } from "../parts/permits.ts";
import { reportOf } from "./report.ts";

const MAX_PIECES = 4;
/** For whoever reads it. */
const CUT_OFF = "(This answer was cut off here: it became too long.)";
const GO_ON =
  "Your answer was cut off because it became too long, and nothing of it is sent yet. Go on exactly where you stopped, without " +
  "repeating anything: the pieces are sent as one answer.";
const LEFT = "Your answer was cut off because it became too long. It is left as it is.";

/** The details of a message that nobody has to answer. */
export const PLAIN = { plain: true } as const;

/** What becomes of an answer. */
export interface PlainAnswer extends Composed {
  /** Why it was not sent, for the model: it is asked once more. */
  readonly unproven?: string;
}

export const NO_ANSWER: PlainAnswer = { sends: [] };

/** Has an answer that was cut off nothing more to come? */
export function isEndOfAnswer({ pieces }: Conversation, { text, calls, stop }: Completion): boolean {
  return pieces.length > 0 && stop === "end" && calls.length === 0 && text.trim() === "";
}

/** Composes the answer that `completion` is, or ends; nothing yet where it was cut off and is to go on. */
export async function plainAnswer(thinker: Thinker, { text, stop }: Completion): Promise<PlainAnswer> {
  const { conversation } = thinker.memory;
  const pieces = [...conversation.pieces, text];
  if (stop === "length" && pieces.length < MAX_PIECES) return NO_ANSWER;
  return sendAnswer(thinker, stop === "length" ? cutOff(pieces) : pieces.join(""));
}

/** Composes what there is of an answer that was cut off and is not gone on with; nothing, without one. */
export async function sendUnfinished(thinker: Thinker): Promise<Composed> {
  const { pieces } = thinker.memory.conversation;
  return pieces.length > 0 ? sendAnswer(thinker, cutOff(pieces)) : NO_ANSWER;
}

function cutOff(pieces: readonly string[]): string {
  return `${pieces.join("")}\n\n${CUT_OFF}`;
}

/** The result of a piece that was not sent, when the log has it. */
export function resultOfPiece(conversation: Conversation): ResultEvent {
  const goesOn = conversation.pieces.length < MAX_PIECES && recipientOf(conversation) !== undefined;
  return goesOn
    ? { kind: "result", call: null, outcome: "ok", content: GO_ON }
    : { kind: "result", call: null, outcome: "idle", content: LEFT };
}

async function sendAnswer(thinker: Thinker, answer: string): Promise<PlainAnswer> {
  const { memory, shared, rulebook, speech } = thinker;
  const to = recipientOf(memory.conversation);
  if (to === undefined || answer.trim() === "") return NO_ANSWER;
  const { text, cited } = speech.ways.receipts ? withoutReceipts(answer) : { text: answer, cited: [] };
  const content = text.trim() === "" ? answer : text;
  // What was cut off stands in several decisions.
  const isFinal = memory.conversation.pieces.length > 0;
  const report = await reportOf(thinker, { to: [to], content, cited, isFinal });
  if (report.unproven !== undefined) return { sends: [], unproven: report.unproven };
  const { receipts } = report;
  const answers = owedTo(memory.conversation.waiting, to);
  const letter = { from: memory.agent, to: [to], content, answers, receipts, details: PLAIN };
  const isUnasked = memory.conversation.run.mode === "yolo";
  const own = isUnasked ? unasked(rulebook.own) : rulebook.own;
  if (permits({ own, others: [], cleared: [] }, { kind: "send", to }))
    return writeLetter(memory, letter, shared);
  const reason = `A rule of your policy stands against writing to ${to}.`;
  return {
    sends: [],
    refusal: { notice: undeliverable(draftOf(memory, letter, shared.clock.now()), reason), reason },
  };
}

/**
 * Whom a plain answer goes to: whoever asked last. One agent's plain answer to another's goes to nobody: two polite agents
 * would thank each other all night.
 */
export function recipientOf(conversation: Conversation): AgentId | undefined {
  const asked = askedLast(conversation);
  if (asked?.source.type !== "agent") return undefined;
  const to = asked.source.id;
  const isPlain = typeof asked.details === "object" && asked.details !== null && "plain" in asked.details;
  return to !== CONTROL && isPlain ? undefined : to;
}

/** The newest message of somebody who can be answered; where the runtime spoke since, only if it is still open. */
function askedLast({ newest, instruction, unanswered }: Conversation): Message | undefined {
  if (newest?.source.type === "agent" || instruction?.source.type !== "agent") return newest;
  return unanswered.get(instruction.source.id) === instruction ? instruction : undefined;
}
