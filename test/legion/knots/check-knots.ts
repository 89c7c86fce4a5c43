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

interface Waits {
  /** Ids of its messages that need an answer and have none. */
  readonly open: ReadonlySet<string>;
  /** Those of them that no person has spoken to it since. */
  readonly unheard: ReadonlySet<string>;
}

/** For what an agent waited at that moment, as ISO 8601, or in the end. */
export function waitsOf(events: readonly Event[], untilAt = "9"): Waits {
  const open = new Set<string>();
  const unheard = new Set<string>();
  const held = new Map<number, Message>();
  const close = ({ id, answers = [], declines = [], source, delivery }: Message): void => {
    if (delivery === "verdict") return;
    for (const answered of [...answers, ...declines])
      if (addressOf(answered).to === addressOf(id).from) open.delete(answered);
    if (source.type !== "agent" || source.id !== "0") return;
    unheard.clear();
    for (const asked of open) if (addressOf(asked).to === "0") open.delete(asked);
  };
  for (const event of events) {
    if (event.at > untilAt) break;
    for (const message of sentBy(event))
      if (message.needsAnswer) for (const ids of [open, unheard]) ids.add(message.id);
    if (event.kind === "notice" && event.reason === "undeliverable")
      open.delete(String(fieldsOf(fieldsOf(event.details)["message"])["id"]));
    const shown: Message[] = [];
    if (event.kind === "message" && event.held) held.set(event.seq, event.message);
    else if (event.kind === "message") shown.push(event.message);
    else if (event.kind === "released") shown.push(...event.messages.map((seq) => held.get(seq)!));
    for (const message of shown) close(message);
  }
  return { open, unheard: new Set([...unheard].filter((id) => open.has(id))) };
}

/**
 * All agents resting: those of which everybody whom they lead to, by what they wait for, leads back to them, waits for no person, and
 * has asked somebody since a person spoke to it.
 */
export function tiedIn(logs: Logs): readonly AgentId[] {
  const waits = new Map([...logs].map(([id, events]) => [id, waitsOf(events)]));
  const leads = new Map<AgentId, ReadonlySet<AgentId>>();
  for (const id of logs.keys()) {
    const reached = new Set([...waits.get(id)!.open].map((open) => addressOf(open).to));
    for (const one of reached) for (const open of waits.get(one)?.open ?? []) reached.add(addressOf(open).to);
    leads.set(id, reached);
  }
  const isHeldUp = (id: AgentId): boolean => (waits.get(id)?.unheard.size ?? 0) > 0;
  return [...logs.keys()].filter((id) => {
    const reached = [...leads.get(id)!];
    return (
      isHeldUp(id) && reached.length > 0 && reached.every((one) => isHeldUp(one) && leads.get(one)!.has(id))
    );
  });
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
  const waits = members.map((id) => waitsOf(logs.get(id) ?? [], at));
  const isOpen = (id: string): boolean => waits.some((one) => one.open.has(id));
  const closed = open.find((id) => !isOpen(id));
  if (closed !== undefined) return `${closed} was not open`;
  const unsaid = waits.flatMap((one) => [...one.open]).find((id) => !open.includes(id));
  if (unsaid !== undefined) return `${unsaid} was open as well`;
  const heard = members.find((_, index) => waits[index]!.unheard.size === 0);
  if (heard !== undefined) return `a person had spoken to agent ${heard}`;
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
