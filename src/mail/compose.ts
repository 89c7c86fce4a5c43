// "Say this to those": from a letter to numbered messages, or to why it may not be sent. Every refusal comes before a number
// is given.

import type { Clock } from "../base/clock.ts";
import { LegionError } from "../base/errors.ts";
import type { Answering } from "../domain/message/answering.ts";
import { writtenBy } from "../domain/message/authority.ts";
import {
  CONTROL,
  HOP_LIMIT,
  MAX_CONTENT_BYTES,
  displayName,
  mailboxLimit,
  messageId,
  type AgentId,
  type Draft,
  type Message,
} from "../domain/message/message.ts";
import { markOf } from "../domain/message/taint.ts";
import { undeliverable, type Undeliverable } from "../past/mail/dead-letters.ts";
import type { Conversation } from "../past/conversation.ts";
import type { Memory } from "../past/past.ts";
import { answeringTo } from "../past/waiting/answering.ts";

/** What a message is numbered and chained by. */
export type Books = Pick<Memory, "ledger" | "conversation">;

/** Where a message stands in a chain of messages. */
export interface Chain {
  readonly root: string;
  readonly hops: number;
}

export interface Letter extends Answering {
  readonly from: AgentId;
  /** Each once. */
  readonly to: readonly AgentId[];
  readonly content: string;
  readonly delivery?: Message["delivery"];
  readonly details?: unknown;
  /** As its messages carry them. */
  readonly receipts?: Message["receipts"];
  /** Sent by the runtime itself, not by `from`. */
  readonly spontaneous?: true;
  /** Absent: it goes on from the newest message that `from` was shown; what Control says always begins a chain. */
  readonly chain?: "new" | Chain;
  /** What it was marked with when it was written, in place of what its sender has been shown since. */
  readonly marks?: Pick<Message, "authority" | "taint">;
}

/** A letter as it would be sent now. */
export function draftOf({ conversation }: Books, letter: Letter, nowMs: number): Draft {
  const { from, spontaneous, chain = from === CONTROL ? "new" : undefined } = letter;
  const cause = chain === undefined ? conversation.newest : undefined;
  return {
    type: spontaneous ? "spontaneous" : "agentToAgent",
    source: spontaneous ? { type: "user" } : { type: "agent", id: from },
    targetAgentIds: letter.to,
    content: letter.content,
    sentAt: new Date(nowMs).toISOString(),
    delivery: letter.delivery ?? "normal",
    cause: cause?.id,
    root: cause?.root,
    hops: chain === undefined ? (cause?.hops ?? 0) + 1 : 0,
    ...(typeof chain === "object" && chain),
    ...(letter.marks ?? marksOf(conversation, letter)),
    receipts: letter.receipts,
    ...(letter.needsAnswer && { needsAnswer: letter.needsAnswer }),
    ...(letter.answers && { answers: letter.answers }),
    ...(letter.declines && { declines: letter.declines }),
    details: letter.details,
  };
}

/** An agent writes in the name of all whose work it does, and with all that it has been shown. */
function marksOf({ authority, taint }: Conversation, { from, spontaneous }: Letter): Letter["marks"] {
  if (from === CONTROL || spontaneous) return {};
  return { authority: writtenBy(from, authority), taint: markOf(taint) };
}

/** What becomes of a letter. */
export interface Composed {
  /** One to each recipient; none if it was refused. */
  readonly sends: readonly Message[];
  readonly refusal?: RefusedLetter;
}

/** Composes `letter`, or refuses it. */
export async function writeLetter(
  books: Books,
  letter: Letter,
  post: PostalService,
  staged: readonly Message[] = [],
): Promise<Composed> {
  const refusal = await refusalOf(books, letter, post);
  return refusal ? { sends: [], refusal } : { sends: compose(books, letter, staged, post.clock.now()) };
}

/** A message to more targets than this names only its own: naming all of them in each would be quadratic. */
const MAX_NAMED_TARGETS = 1_000;

/**
 * One numbered message to each recipient of a letter that nothing stands against; `staged` are messages of the same log that
 * are numbered but not committed.
 */
export function compose(
  books: Books,
  letter: Letter,
  staged: readonly Message[],
  nowMs: number,
): readonly Message[] {
  const { cause, root, needsAnswer, answers, declines, ...draft } = draftOf(books, letter, nowMs);
  return letter.to.map((to) => {
    const prefix = messageId({ from: letter.from, to, n: 0 }).slice(0, -1);
    const ahead = staged.filter(({ id }) => id.startsWith(prefix)).length;
    const id = `${prefix}${(books.ledger.numbers.get(to) ?? 0) + ahead + 1}`;
    const re = cause !== undefined && ahead === 0 ? books.conversation.unanswered.get(to)?.id : undefined;
    return {
      id,
      ...draft,
      targetAgentIds: letter.to.length > MAX_NAMED_TARGETS ? [to] : letter.to,
      cause,
      re,
      root: root ?? id,
      ...answeringTo({ needsAnswer, answers, declines }, to),
    };
  });
}

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
  const unknown = targets.filter((id) => id !== CONTROL && !isAmong(known, id) && !isGone(id));
  if (unknown.length > 0) {
    const who = unknown.map((id) => `"${id}"`).join(", ");
    throw new LegionError("REFUSED", `There is no agent ${who}. ${listKnown(known)}`);
  }
  return [...new Set(targets)];
}

const sets = new WeakMap<readonly AgentId[], ReadonlySet<AgentId>>();

/** Of a hundred thousand that stay the same from letter to letter, too. */
function isAmong(known: readonly AgentId[], id: AgentId): boolean {
  const set = sets.get(known) ?? new Set(known);
  sets.set(known, set);
  return set.has(id);
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
  readonly known: () => Promise<readonly AgentId[]>;
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
  { clock, known: find, unread }: PostalService,
): Promise<RefusedLetter | undefined> {
  const draft = draftOf(books, letter, clock.now());
  const refuse = (why: string, advice = ""): RefusedLetter => ({
    notice: undeliverable(draft, why),
    reason: `${why} ${advice}`.trim(),
  });
  const blocked = pastHopLimit(draft);
  if (blocked.length > 0) return refuse(tooLong(blocked), WAY_OUT);
  const known = await find();
  const gone = letter.to.filter((id) => id !== CONTROL && !isAmong(known, id));
  if (gone.length > 0) return refuse(`There is no agent ${gone.join(", ")} any more.`, listKnown(known));
  const bytes = Buffer.byteLength(letter.content);
  if (bytes > MAX_CONTENT_BYTES)
    return refuse(`The message has ${bytes} bytes; at most ${MAX_CONTENT_BYTES} are allowed.`);
  const places = mailboxLimit(letter.from, draft.taint);
  for (const id of letter.to)
    if (id !== CONTROL && (await unread(id)) >= places)
      return refuse(`The mailbox of ${displayName(id)} is full: ${places} unread messages.`);
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
