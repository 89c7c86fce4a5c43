// What may not be sent, and why.

import type { Clock } from "../base/clock.ts";
import { LegionError } from "../base/errors.ts";
import { CONTROL, HOP_LIMIT, MAILBOX_LIMIT, MAX_CONTENT_BYTES, displayName } from "../domain/message.ts";
import type { AgentId, Draft } from "../domain/message.ts";
import type { Peer } from "../domain/module.ts";
import { undeliverable, type Undeliverable } from "../past/dead-letters.ts";
import { draftOf, type Books, type Letter } from "./letter.ts";

/**
 * The agents that `targets` names, each once. Throws REFUSED, naming the known ids, if one is unknown.
 *
 * @param isGone of an unknown agent, whether it was there once: a letter to it is not the sender's mistake
 */
export function resolveTargets(
  targets: readonly AgentId[] | "all",
  known: readonly AgentId[],
  sender: AgentId,
  isGone: (id: AgentId) => boolean = () => false,
): readonly AgentId[] {
  if (targets === "all") return known.filter((id) => id !== sender);
  const unknown = targets.filter((id) => id !== CONTROL && !known.includes(id) && !isGone(id));
  if (unknown.length > 0) {
    const who = unknown.map((id) => `"${id}"`).join(", ");
    throw new LegionError("REFUSED", `There is no agent ${who}. ${listKnown(known)}`);
  }
  return [...new Set(targets)];
}

function listKnown(known: readonly AgentId[]): string {
  return `Known ids: ${[...known, CONTROL].join(", ")}.`;
}

/** Has this log had to do with `id`? If such an agent is unknown, it is gone. */
export function hasMet({ ledger, conversation }: Books, id: AgentId): boolean {
  return ledger.numbers.has(id) || conversation.unanswered.has(id);
}

/** What stands between whoever writes and those who are written to. */
export interface PostalService {
  readonly clock: Pick<Clock, "now">;
  /** Every known agent, Control not. */
  readonly peers: () => Promise<readonly Pick<Peer, "id">[]>;
  /** How many unread messages an agent has. */
  readonly unread: (agent: AgentId) => Promise<number>;
}

/** A letter that may not be sent. */
export interface RefusedLetter {
  /** Keeps it. */
  readonly notice: Undeliverable;
  /** What its sender is told. */
  readonly reason: string;
}

/** Says why a letter may not be sent; `undefined` if it may. The hop limit is asked first. */
export async function refusalOf(
  books: Books,
  letter: Letter,
  { clock, peers, unread }: PostalService,
): Promise<RefusedLetter | undefined> {
  const draft = draftOf(books, letter, clock.now());
  const refuse = (why: string, advice = ""): RefusedLetter => ({
    notice: undeliverable(draft, why),
    reason: `${why} ${advice}`.trim(),
  });
  const blocked = pastHopLimit(draft);
  if (blocked.length > 0) return refuse(tooLong(blocked), WAY_OUT);
  const known = (await peers()).map(({ id }) => id);
  const there = new Set([CONTROL, ...known]);
  const gone = letter.to.filter((id) => !there.has(id));
  if (gone.length > 0) return refuse(`There is no agent ${gone.join(", ")} any more.`, listKnown(known));
  const bytes = Buffer.byteLength(letter.content);
  if (bytes > MAX_CONTENT_BYTES)
    return refuse(`The message has ${bytes} bytes; at most ${MAX_CONTENT_BYTES} are allowed.`);
  for (const id of letter.to)
    if (id !== CONTROL && (await unread(id)) >= MAILBOX_LIMIT)
      return refuse(`The mailbox of ${displayName(id)} is full: ${MAILBOX_LIMIT} unread messages.`);
  return undefined;
}

/** The targets whom the hop limit keeps a message from; never Control. */
export function pastHopLimit({ hops, targetAgentIds }: Draft): readonly AgentId[] {
  return hops > HOP_LIMIT ? targetAgentIds.filter((id) => id !== CONTROL) : [];
}

function tooLong(blocked: readonly AgentId[]): string {
  const whom = blocked.map(displayName).join(", ");
  return `This conversation with ${whom} has gone on for ${HOP_LIMIT} messages between agents without a person.`;
}

const WAY_OUT =
  "It was stopped and Control was told. Do what is left to do on your own, or wait for Control.";
