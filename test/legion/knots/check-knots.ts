// What logs say of knots, by the definition and with nothing of the finder's code: who is tied, and whether Control was told of
// agents that were not.

import { fieldsOf } from "../../../src/base/text/json.ts";
import type { Event } from "../../../src/domain/event/event.ts";
import type { AgentId, Message } from "../../../src/domain/message/message.ts";

export type Logs = ReadonlyMap<AgentId, readonly Event[]>;

const addressOf = (id: string) => {
  const [from = "", to = ""] = id.split(/[>#]/);
  return { from, to };
};

const sentBy = (event: Event): readonly Message[] => ("sends" in event && event.sends) || [];

/** Ids of an agent's messages that need an answer, have none, and that nobody has spoken to it since. */
export function openOf(events: readonly Event[], untilAt = "9"): readonly string[] {
  const open = new Set<string>();
  const held = new Map<number, Message>();
  const close = ({ id, answers = [], declines = [], source, delivery }: Message): void => {
    if (delivery === "verdict") return;
    for (const answered of [...answers, ...declines])
      if (addressOf(answered).to === addressOf(id).from) open.delete(answered);
    if (source.type === "agent" && source.id === "0") open.clear();
  };
  for (const event of events) {
    if (event.at > untilAt) break;
    for (const message of sentBy(event)) if (message.needsAnswer) open.add(message.id);
    if (event.kind === "notice" && event.reason === "undeliverable")
      open.delete(String(fieldsOf(fieldsOf(event.details)["message"])["id"]));
    const shown: Message[] = [];
    if (event.kind === "message" && event.held) held.set(event.seq, event.message);
    else if (event.kind === "message") shown.push(event.message);
    else if (event.kind === "released") shown.push(...event.messages.map((seq) => held.get(seq)!));
    for (const message of shown) close(message);
  }
  return [...open];
}
/** All agents resting: those of whom everybody that they wait for, or that these wait for, waits for somebody, and for no person. */
export function tiedIn(logs: Logs): readonly AgentId[] {
  const awaited = (id: AgentId): readonly AgentId[] =>
    openOf(logs.get(id) ?? []).map((open) => addressOf(open).to);
  const isTied = (id: AgentId): boolean => {
    const reached = new Set([id]);
    for (const one of reached) for (const next of awaited(one)) reached.add(next);
    return [...reached].every((one) => logs.has(one) && awaited(one).length > 0);
  };
  return [...logs.keys()].filter(isTied);
}

/** The sets of open messages that Control was told of. */
export function toldIn(control: readonly Event[]): readonly (readonly string[])[] {
  return control.flatMap((event) => {
    const { knot } = fieldsOf(event.kind === "notice" ? event.details : undefined);
    return Array.isArray(knot) ? [knot as readonly string[]] : [];
  });
}

/** Why what Control was told of was no knot, a line each; `control` is the log of agent 0. */
export function falseAlarms(logs: Logs, control: readonly Event[]): readonly string[] {
  return control.flatMap((event) => {
    const { knot, at } = fieldsOf(event.kind === "notice" ? event.details : undefined);
    if (!Array.isArray(knot)) return [];
    const open = knot as readonly string[];
    const wrong = whyNone(logs, open, String(at));
    return wrong === undefined ? [] : [`told at ${String(at)} of ${open.join(", ")}: ${wrong}`];
  });
}

function whyNone(logs: Logs, open: readonly string[], at: string): string | undefined {
  const members = [...new Set(open.map((id) => addressOf(id).from))];
  const outside = open.find((id) => !members.includes(addressOf(id).to));
  if (outside !== undefined) return `${outside} is not to one of them`;
  for (const id of open)
    if (!openOf(logs.get(addressOf(id).from) ?? [], at).includes(id)) return `${id} was not open`;
  // What any of them does first from then on has to come of a word of a person, or of what others said later.
  const [first] = members
    .flatMap((agent) => (logs.get(agent) ?? []).map((event) => ({ agent, event })))
    .filter(({ event }) => event.at > at && isWaking(event))
    .sort((a, b) => (a.event.at < b.event.at ? -1 : 1));
  if (!first || isOutside(first.event, at, logs)) return undefined;
  const what =
    first.event.kind === "message"
      ? `message ${first.event.message.id} of ${first.event.message.sentAt}`
      : first.event.kind;
  return `agent ${first.agent} went on by itself at ${first.event.at} with event ${first.event.seq}, ${what}`;
}

function isWaking(event: Event): boolean {
  if (event.kind === "notice") return event.reason === "resumed";
  return ["message", "released", "decision", "branch"].includes(event.kind);
}

function isOutside(event: Event, at: string, logs: Logs): boolean {
  if (event.kind !== "message") return event.kind === "branch" || event.kind === "notice";
  const { id } = event.message;
  return id.startsWith("0>") || !wasSaidBy(logs.get(addressOf(id).from) ?? [], id, at);
}

/**
 * Is it sure that the message was in its sender's log at that moment? Its own time, and that of its event, are of before it was
 * written, which takes as long as the place where it is kept is away; what its sender did next comes after that.
 */
function wasSaidBy(events: readonly Event[], id: string, at: string): boolean {
  const index = events.findIndex((event) => sentBy(event).some((message) => message.id === id));
  return index !== -1 && events.slice(index + 1).some((event) => event.at <= at);
}
