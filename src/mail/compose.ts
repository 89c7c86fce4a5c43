// From "say this to those" to numbered messages.

import type { Memory } from "../past/past.ts";
import { CONTROL, messageId, type AgentId, type Draft, type Message } from "../domain/message.ts";

/** What a message is numbered and chained by. */
export type Books = Pick<Memory, "ledger" | "conversation">;

export interface Letter {
  readonly from: AgentId;
  /** Each once. */
  readonly to: readonly AgentId[];
  readonly content: string;
  readonly type?: Message["type"];
  readonly delivery?: Message["delivery"];
  readonly details?: unknown;
  /** Sent by the runtime itself, not by `from`. */
  readonly spontaneous?: true;
  /** A person has it sent: it belongs to no conversation that went on before. */
  readonly chain?: "new";
  /** It came from outside, whatever its sender has been shown. */
  readonly taint?: boolean;
}

/** A letter as it would be sent now. */
export function draftOf({ conversation }: Books, letter: Letter, nowMs: number): Draft {
  const isChained = letter.from !== CONTROL && letter.chain !== "new";
  const isReader = letter.from !== CONTROL && !letter.spontaneous;
  const isTainted = letter.taint === true || (isReader && conversation.tainted);
  const cause = isChained ? conversation.newest : undefined;
  return {
    type: letter.type ?? "agentToAgent",
    source: letter.spontaneous ? { type: "user" } : { type: "agent", id: letter.from },
    targetAgentIds: letter.to,
    content: letter.content,
    sentAt: new Date(nowMs).toISOString(),
    delivery: letter.delivery ?? "normal",
    ...(cause && { cause: cause.id, root: cause.root }),
    hops: isChained ? (cause?.hops ?? 0) + 1 : 0,
    ...(isTainted && { taint: true }),
    ...(letter.details !== undefined && { details: letter.details }),
  };
}

/** A message to more targets than this names only its own: naming all of them in each would be quadratic. */
const MAX_NAMED_TARGETS = 1_000;

/** One numbered message to each recipient; `staged` are messages of the same log that are numbered but not committed. */
export function compose(
  books: Books,
  letter: Letter,
  staged: readonly Message[],
  nowMs: number,
): readonly Message[] {
  const { cause, root, ...draft } = draftOf(books, letter, nowMs);
  return letter.to.map((to) => {
    const prefix = messageId({ from: letter.from, to, n: 0 }).slice(0, -1);
    const ahead = staged.filter(({ id }) => id.startsWith(prefix)).length;
    const id = `${prefix}${(books.ledger.numbers.get(to) ?? 0) + ahead + 1}`;
    const re = draft.hops > 0 && ahead === 0 ? books.conversation.unanswered.get(to)?.id : undefined;
    return {
      id,
      ...draft,
      targetAgentIds: letter.to.length > MAX_NAMED_TARGETS ? [to] : letter.to,
      ...(cause !== undefined && { cause }),
      ...(re !== undefined && { re }),
      root: root ?? id,
    };
  });
}
