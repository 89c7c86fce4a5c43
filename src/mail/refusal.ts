// What may not be sent, and why. Every refusal comes before a number is given.

import type { Clock } from "../base/clock.ts";
import { draftOf, type Books, type Letter } from "./compose.ts";
import { undeliverable, type Undeliverable } from "../past/dead-letters.ts";
import { LegionError } from "../base/errors.ts";
import { CONTROL, HOP_LIMIT, MAILBOX_LIMIT, MAX_CONTENT_BYTES, displayName } from "../domain/message.ts";
import type { AgentId, Draft } from "../domain/message.ts";
import type { Peer } from "../domain/module.ts";

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

/** How many unread messages an agent has. */
type Unread = (agent: AgentId) => Promise<number>;

/** Throws REFUSED if `letter` goes to nobody: whoever says it would wait for ever. */
export function refuseNobody({ to }: Letter): void {
  if (to.length === 0) throw new LegionError("REFUSED", "There are no agents that could hear this.");
}

/** Throws REFUSED if `letter` may not be sent for its size or because a mailbox is full. */
export async function refuseUnfit(letter: Letter, unread: Unread): Promise<void> {
  const why = await unfitness(letter, unread);
  if (why !== undefined) throw new LegionError("REFUSED", why);
}

async function unfitness({ to, content }: Letter, unread: Unread): Promise<string | undefined> {
  const bytes = Buffer.byteLength(content);
  if (bytes > MAX_CONTENT_BYTES)
    return `The message has ${bytes} bytes; at most ${MAX_CONTENT_BYTES} are allowed.`;
  for (const id of to) {
    if (id === CONTROL || (await unread(id)) < MAILBOX_LIMIT) continue;
    return `The mailbox of ${displayName(id)} is full: ${MAILBOX_LIMIT} unread messages.`;
  }
  return undefined;
}

/** Who can be written to. */
export interface Recipients {
  /** Control not. */
  readonly known: readonly AgentId[];
  readonly unread: Unread;
}

/** Why a letter that belongs to no conversation cannot be delivered, as a sentence; `undefined` if it can. */
export async function obstacleTo(letter: Letter, { known, unread }: Recipients): Promise<string | undefined> {
  return absence(letter, known) ?? (await unfitness(letter, unread));
}

function absence({ to }: Letter, known: readonly AgentId[]): string | undefined {
  const all = new Set([CONTROL, ...known]);
  const gone = to.filter((id) => !all.has(id));
  return gone.length > 0 ? `There is no agent ${gone.join(", ")} any more.` : undefined;
}

/** What stands between an agent and those it writes to. */
export interface PostalService {
  readonly clock: Clock;
  readonly peers: () => Promise<readonly Peer[]>;
  readonly unread: Unread;
}

/** A letter that may not be sent. */
export interface Refusal {
  /** Keeps it. */
  readonly notice: Undeliverable;
  /** What its sender is told. */
  readonly reason: string;
}

/** Says why an agent's letter may not be sent; `undefined` if it may. The hop limit is asked first. */
export async function refusalOf(
  books: Books,
  letter: Letter,
  { clock, peers, unread }: PostalService,
): Promise<Refusal | undefined> {
  const draft = draftOf(books, letter, clock.now());
  const refuse = (why: string, advice = ""): Refusal => ({
    notice: undeliverable(draft, why),
    reason: `${why} ${advice}`.trim(),
  });
  const blocked = pastHopLimit(draft);
  if (blocked.length > 0) return refuse(tooLong(blocked), WAY_OUT);
  const known = (await peers()).map(({ id }) => id);
  const gone = absence(letter, known);
  if (gone !== undefined) return refuse(gone, listKnown(known));
  const why = await unfitness(letter, unread);
  return why === undefined ? undefined : refuse(why);
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
