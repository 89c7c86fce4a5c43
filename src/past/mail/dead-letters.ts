// Messages that nobody could act on, as the logs of their senders tell of them. Pure.

import { fieldsOf } from "../../base/text/json.ts";
import type { Event } from "../../domain/event/event.ts";
import type { NoticeEvent, NoticeReason } from "../../domain/event/notice.ts";
import { CONTROL, isAgentId, isMessageId, parseMessageId } from "../../domain/message/message.ts";
import type { AgentId, Draft, Message } from "../../domain/message/message.ts";
import { withoutWord } from "../../domain/supervision.ts";

/** Keeps a message that cannot be delivered. One that was refused before it got a number is a draft. */
export interface Undeliverable extends NoticeEvent {
  readonly reason: "undeliverable";
  readonly details: {
    readonly message: Message | Draft;
    /** A sentence. */
    readonly why: string;
    /** The event that sent it, if it has a number. */
    readonly seq?: number;
  };
}

/** @param why a sentence */
export function undeliverable(message: Message | Draft, why: string, seq?: number): Undeliverable {
  const subject =
    "id" in message ? `Message ${message.id} could not be delivered.` : "A message was not sent.";
  const content = `${subject} ${why}`;
  return { kind: "notice", reason: "undeliverable", content, details: { message, why, seq } };
}

/** Names the message with a number that an event keeps: its id and the event that sent it; `undefined` if there is none. */
export function buriedBy({ reason, details }: NoticeEvent): string | undefined {
  if (reason !== "undeliverable" || !isKept(details) || !("id" in details.message)) return undefined;
  return graveOf(details.message, details.seq);
}

/** The id of the message of another sender that an event withdraws before its reader was shown it. */
export function withdrawnBy(event: Event): string | undefined {
  if (event.kind !== "notice" || event.reason !== "undeliverable" || !isKept(event.details)) return undefined;
  const { message, seq } = event.details;
  return "id" in message && seq === undefined ? message.id : undefined;
}

/** The name that `buriedBy` gives to `message`, sent by event `seq`: numbers may begin again in the same log. */
export function graveOf({ id }: Pick<Message, "id">, seq: number | undefined): string {
  return `${id} ${seq}`;
}

/** What stands before these was said elsewhere. */
const COME: readonly NoticeReason[] = ["foreign", "adopted"];

/** Those of `sends` that are still on their way after `event`; the same list if it changes nothing. */
export function unsettled<S extends { readonly message: Message; readonly seq: number }>(
  sends: S[],
  event: Event,
): S[] {
  if (event.kind === "sent") return sends.filter(({ seq }) => seq > event.upTo);
  if (event.kind === "notice" && COME.includes(event.reason))
    return sends.map((send) => ({ ...send, message: withoutWord(send.message) }));
  const grave = event.kind === "notice" ? buriedBy(event) : undefined;
  return grave === undefined ? sends : sends.filter(({ message, seq }) => graveOf(message, seq) !== grave);
}

/** A dead letter's name: the event of its sender's log that keeps it. */
export interface DeadLetterAddress {
  readonly agent: AgentId;
  readonly seq: number;
}

export function deadLetterId({ agent, seq }: DeadLetterAddress): string {
  return `${agent}@${seq}`;
}

/** `undefined` if `id` has not the form `<agent>@<seq>`. */
export function parseDeadLetterId(id: string): DeadLetterAddress | undefined {
  const [agent = "", seq = "", ...rest] = id.split("@");
  if (rest.length > 0 || !/^[1-9]\d{0,14}$/.test(seq)) return undefined;
  return agent === CONTROL || isAgentId(agent) ? { agent, seq: Number(seq) } : undefined;
}

export interface DeadLetter {
  /** `<agent>@<seq>` */
  readonly id: string;
  /** ISO 8601: since when. */
  readonly since: string;
  readonly message: Message | Draft;
  /** Who did not get it. */
  readonly to: readonly AgentId[];
  /** A sentence. */
  readonly why: string;
  readonly isResent: boolean;
}

/** Every dead letter that the log of `agent` tells of, oldest first, also those that were sent again. */
export async function deadLettersIn(
  agent: AgentId,
  events: AsyncIterable<Event>,
): Promise<readonly DeadLetter[]> {
  const letters = new Map<string, DeadLetter>();
  for await (const event of events) {
    // What stands before it is another agent's past.
    if (event.kind === "branch" && event.origin !== undefined) letters.clear();
    if (event.kind !== "notice") continue;
    if (event.reason === "undeliverable" && isKept(event.details)) {
      const { message, why } = event.details;
      const id = deadLetterId({ agent, seq: event.seq });
      letters.set(id, { id, since: event.at, message, to: recipientsOf(message), why, isResent: false });
    }
    const resent = event.reason === "resent" ? letters.get(deadIn(event)) : undefined;
    if (resent) letters.set(resent.id, { ...resent, isResent: true });
  }
  return [...letters.values()];
}

/** Names the dead letters that a log sent again; those of other logs among them are what was withdrawn from there. */
export async function resentIn(events: AsyncIterable<Event>): Promise<ReadonlySet<string>> {
  const resent = new Set<string>();
  for await (const event of events)
    if (event.kind === "notice" && event.reason === "resent") resent.add(deadIn(event));
  return resent;
}

/** A message with a number is one to one recipient, whoever else got it as well. */
function recipientsOf(message: Message | Draft): readonly AgentId[] {
  return "id" in message ? [parseMessageId(message.id).to] : message.targetAgentIds;
}

/** Earlier versions kept no message, and a log may come from another machine. */
function isKept(details: unknown): details is Undeliverable["details"] {
  const { message, why } = fieldsOf(details);
  const { id, content, source, targetAgentIds } = fieldsOf(message);
  const isText = typeof content === "string" && typeof why === "string";
  const isFromTo = typeof source === "object" && source !== null && Array.isArray(targetAgentIds);
  return isText && isFromTo && (id === undefined || isMessageId(id));
}

/** Which dead letter an event with the reason `resent` sent again; empty if it does not say. */
function deadIn({ details }: NoticeEvent): string {
  const { dead } = fieldsOf(details);
  return typeof dead === "string" ? dead : "";
}
