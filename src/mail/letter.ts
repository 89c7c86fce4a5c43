// "Say this to those": what is to be sent, before it is refused or has a number.

import type { Memory } from "../past/past.ts";
import { CONTROL, type AgentId, type Draft, type Message } from "../domain/message.ts";

/** What a message is numbered and chained by. */
export type Books = Pick<Memory, "ledger" | "conversation">;

/** Where a message stands in a chain of messages. */
export interface Chain {
  readonly root: string;
  readonly hops: number;
}

export interface Letter {
  readonly from: AgentId;
  /** Each once. */
  readonly to: readonly AgentId[];
  readonly content: string;
  readonly delivery?: Message["delivery"];
  readonly details?: unknown;
  /** Sent by the runtime itself, not by `from`. */
  readonly spontaneous?: true;
  /** Absent: it goes on from the newest message that `from` was shown; what Control says always begins a chain. */
  readonly chain?: "new" | Chain;
  /** It came from outside, whatever its sender has been shown. */
  readonly taint?: boolean;
}

/** A letter as it would be sent now. */
export function draftOf({ conversation }: Books, letter: Letter, nowMs: number): Draft {
  const { from, spontaneous, chain = from === CONTROL ? "new" : undefined } = letter;
  const isTainted = letter.taint === true || (from !== CONTROL && !spontaneous && conversation.tainted);
  const cause = chain === undefined ? conversation.newest : undefined;
  return {
    type: spontaneous ? "spontaneous" : "agentToAgent",
    source: spontaneous ? { type: "user" } : { type: "agent", id: from },
    targetAgentIds: letter.to,
    content: letter.content,
    sentAt: new Date(nowMs).toISOString(),
    delivery: letter.delivery ?? "normal",
    ...(cause && { cause: cause.id, root: cause.root }),
    hops: chain === undefined ? (cause?.hops ?? 0) + 1 : 0,
    ...(typeof chain === "object" && chain),
    ...(isTainted && { taint: true }),
    ...(letter.details !== undefined && { details: letter.details }),
  };
}
