// From "say this to those" to numbered messages. Every refusal comes before a number is given.

import { LegionError } from "./errors.ts";
import type { Ledger } from "./ledger.ts";
import { CONTROL, HOP_LIMIT, MAILBOX_LIMIT, MAX_CONTENT_BYTES, displayName, messageId } from "./message.ts";
import type { AgentId, Message } from "./message.ts";

export interface Letter {
  readonly from: AgentId;
  /** Resolved: known ids, each once. */
  readonly to: readonly AgentId[];
  readonly content: string;
  readonly type?: Message["type"];
  readonly delivery?: Message["delivery"];
  readonly details?: unknown;
  /** Sent by the runtime itself, not by `from`. */
  readonly spontaneous?: true;
}

/** The agents that `targets` names, each once. Throws REFUSED, naming the known ids, if one is unknown. */
export function resolveTargets(
  targets: readonly AgentId[] | "all",
  known: readonly AgentId[],
  sender: AgentId,
): readonly AgentId[] {
  if (targets === "all") return known.filter((id) => id !== sender);
  const unknown = targets.filter((id) => id !== CONTROL && !known.includes(id));
  if (unknown.length > 0) {
    const who = unknown.map((id) => `"${id}"`).join(", ");
    throw new LegionError(
      "REFUSED",
      `There is no agent ${who}. Known ids: ${[...known, CONTROL].join(", ")}.`,
    );
  }
  return [...new Set(targets)];
}

/** Throws REFUSED if `letter` may not be sent for its size or because a mailbox is full. */
export async function refuseUnfit(
  { to, content }: Letter,
  unread: (agent: AgentId) => Promise<number>,
): Promise<void> {
  const bytes = Buffer.byteLength(content);
  if (bytes > MAX_CONTENT_BYTES) {
    throw new LegionError(
      "REFUSED",
      `The message has ${bytes} bytes; at most ${MAX_CONTENT_BYTES} are allowed.`,
    );
  }
  for (const id of to) {
    if (id === CONTROL || (await unread(id)) < MAILBOX_LIMIT) continue;
    throw new LegionError(
      "REFUSED",
      `The mailbox of ${displayName(id)} is full: ${MAILBOX_LIMIT} unread messages.`,
    );
  }
}

/** How many agent-to-agent steps a message would be away from the last word of a person or the clock. */
export function hopsOf(ledger: Ledger): number {
  return (ledger.newest?.hops ?? 0) + 1;
}

/** Those of `to` whom the hop limit keeps this agent from writing to; never Control. */
export function pastHopLimit(ledger: Ledger, to: readonly AgentId[]): readonly AgentId[] {
  return hopsOf(ledger) > HOP_LIMIT ? to.filter((id) => id !== CONTROL) : [];
}

/** A message to more targets than this names only its own: naming all of them in each would be quadratic. */
const MAX_NAMED_TARGETS = 1_000;

/** One numbered message to each recipient; `staged` are messages of the same log that are numbered but not committed. */
export function compose(
  ledger: Ledger,
  letter: Letter,
  staged: readonly Message[],
  nowMs: number,
): readonly Message[] {
  const chained = letter.from !== CONTROL;
  const cause = chained ? ledger.newest : undefined;
  return letter.to.map((to) => {
    const prefix = messageId({ from: letter.from, to, n: 0 }).slice(0, -1);
    const ahead = staged.filter(({ id }) => id.startsWith(prefix)).length;
    const id = `${prefix}${(ledger.numbers.get(to) ?? 0) + ahead + 1}`;
    const re = chained && ahead === 0 ? ledger.unanswered.get(to)?.id : undefined;
    return {
      id,
      type: letter.type ?? "agentToAgent",
      source: letter.spontaneous ? { type: "user" } : { type: "agent", id: letter.from },
      targetAgentIds: letter.to.length > MAX_NAMED_TARGETS ? [to] : letter.to,
      content: letter.content,
      sentAt: new Date(nowMs).toISOString(),
      delivery: letter.delivery ?? "normal",
      ...(cause && { cause: cause.id }),
      ...(re !== undefined && { re }),
      root: cause?.root ?? id,
      hops: chained ? hopsOf(ledger) : 0,
      ...(letter.details !== undefined && { details: letter.details }),
    };
  });
}
