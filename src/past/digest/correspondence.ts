// The newest messages that an agent sent and what became of them, and where in its log stands what has to do with which first
// message, whatever the branch.

import { z } from "zod";
import { fieldsOf } from "../../base/text/json.ts";
import { sendsOf, type Event, type SeqRange } from "../../domain/event/event.ts";
import { MAIL_LANES, laneOf, type LogId, type MailLane, type Message } from "../../domain/message/message.ts";
import { buriedBy, graveOf, withdrawnBy } from "../mail/dead-letters.ts";

export interface SentMail {
  readonly id: string;
  /** The log that numbered it. */
  readonly log: LogId;
  /** The event that sent it. */
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  /** The first message of its chain. */
  readonly root: string;
  readonly lane: MailLane;
  /** The runtime said it, in its sender's name. */
  readonly spontaneous?: true;
  /** How it begins, on one line. */
  readonly opening: string;
  /** The length of its text. */
  readonly chars: number;
  /** Why it could not be delivered, a sentence; absent: it could, or nobody knows yet. */
  readonly why?: string;
}

export interface Correspondence {
  /** The newest, oldest first. */
  readonly sent: readonly SentMail[];
  /** Messages before these are not kept. */
  readonly isCut: boolean;
  /** The newest of those that others sent, and that nobody was shown: why, by id. */
  readonly withdrawn: ReadonlyMap<string, string>;
  /** The first and the last event that has to do with mail of a chain, by its first message. */
  readonly chains: ReadonlyMap<string, SeqRange>;
}

/** So many of each are kept. */
export const MOST_MAIL = 100;
const OPENING_CHARS = 200;

const seq = z.int().min(1);

export const correspondenceSchema = z.object({
  sent: z.array(
    z.object({
      ...{ id: z.string(), log: z.string(), seq, at: z.string(), root: z.string() },
      ...{ lane: z.enum(MAIL_LANES), opening: z.string(), chars: z.int(), why: z.string().optional() },
      spontaneous: z.literal(true).optional(),
    }),
  ),
  isCut: z.boolean(),
  withdrawn: z.array(z.tuple([z.string(), z.string()])),
  chains: z.array(z.tuple([z.string(), seq, seq])),
  log: z.string(),
});

type PackedCorrespondence = z.output<typeof correspondenceSchema>;

export function createCorrespondence(kept?: PackedCorrespondence) {
  let sent: readonly SentMail[] = kept?.sent ?? [];
  let isCut = kept?.isCut ?? false;
  let log = kept?.log ?? "";
  const withdrawn = new Map(kept?.withdrawn);
  const chains = new Map(
    (kept?.chains ?? []).map(([root, first, last]): [string, SeqRange] => [root, [first, last]]),
  );
  const enter = (root: string, at: number): void => void chains.set(root, [chains.get(root)?.[0] ?? at, at]);
  const bury = (event: Event): void => {
    const { why, root } = undeliveredIn(event);
    if (root !== "") enter(root, event.seq);
    const gone = withdrawnBy(event);
    if (gone !== undefined) withdrawn.set(gone, why);
    const [oldest] = withdrawn.size > MOST_MAIL ? withdrawn.keys() : [];
    if (oldest !== undefined) withdrawn.delete(oldest);
    const grave = event.kind === "notice" ? buriedBy(event) : undefined;
    if (grave !== undefined)
      sent = sent.map((one) => (graveOf(one, one.seq) === grave ? { ...one, why } : one));
  };
  return {
    get correspondence(): Correspondence {
      return { sent, isCut, withdrawn, chains };
    },
    see(event: Event): void {
      if (event.kind === "opened") ({ log } = event);
      // What stands before it is another agent's past.
      if (event.kind === "branch" && event.origin !== undefined) {
        sent = [];
        isCut = false;
        for (const part of [withdrawn, chains]) part.clear();
      }
      if (event.kind === "message") enter(event.message.root, event.seq);
      if (event.kind === "notice" && event.reason === "undeliverable") bury(event);
      const sends = sendsOf(event);
      if (sends.length === 0) return;
      for (const { root } of sends) enter(root, event.seq);
      const all = [...sent, ...sends.map((message) => sentMail(message, log, event.seq))];
      isCut ||= all.length > MOST_MAIL;
      sent = all.slice(-MOST_MAIL);
    },
    pack: (): PackedCorrespondence => ({
      ...{ sent: [...sent], isCut, log, withdrawn: [...withdrawn] },
      chains: [...chains].map(([root, [first, last]]) => [root, first, last]),
    }),
  };
}

/**
 * @param log the one that numbered it
 * @param seq the event that sends it
 */
export function sentMail(message: Message, log: LogId, seq: number): SentMail {
  const { id, sentAt: at, root, content, type } = message;
  const spontaneous = type === "spontaneous" ? true : undefined;
  const opening = content
    .slice(0, 4 * OPENING_CHARS)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, OPENING_CHARS)
    // Not half a character.
    .replace(/[\ud800-\udbff]$/, "");
  return {
    ...{ id, log, seq, at, root, lane: laneOf(message), opening, chars: content.length },
    ...(spontaneous && { spontaneous }),
  };
}

/** What an event says of a message that could not be delivered; empty where it does not. */
export function undeliveredIn(event: Event) {
  const { why, message } = fieldsOf(event.kind === "notice" ? event.details : undefined);
  const { id, root } = fieldsOf(message);
  const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
  return { why: textOf(why), id: textOf(id), root: textOf(root) };
}
