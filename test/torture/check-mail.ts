// Every message that a log committed is taken in by its recipient once, in order; every parcel comes to its end.

import type { Event } from "../../src/domain/event/event.ts";
import type { Message } from "../../src/domain/message/message.ts";
import type { Told } from "./evidence.ts";
import type { Report } from "./fault.ts";
import { read } from "./parcel.ts";
import { withdrawnBy } from "./withdrawals.ts";

interface Sent {
  readonly to: string;
  times: number;
}

/**
 * Returns how many messages were committed by their senders.
 *
 * @param mayLack of whose own counts numbers may be missing, as what bore them may not have been said; by default Control's,
 * who is not told of everything that was
 */
export function checkMail(
  evidence: Told,
  report: Report,
  mayLack: Books["mayLack"] = (speaker) => speaker === "0",
): number {
  const books: Books = { sent: new Map(), report, mayLack };
  const { sent } = books;
  for (const { log } of evidence.agents.values()) collectSends(log.records, books);
  for (const [id, { log }] of evidence.agents) checkTaken(id, log.records, books);
  for (const [key, { times }] of sent) {
    if (times === 0) report("lost", `${key} is in no log but its sender's`);
    if (times > 1) report("twice", `${key} was taken in ${times} times`);
  }
  checkParcels(evidence, report);
  return sent.size;
}

interface Books {
  /** By the sender's log and the message's id. */
  readonly sent: Map<string, Sent>;
  readonly report: Report;
  readonly mayLack: (speaker: string) => boolean;
}

function collectSends(events: readonly Event[], { sent, report }: Books): void {
  let log = "";
  const numbers = new Map<string, number>();
  for (const event of events) {
    if (event.kind === "opened" && event.log !== log) {
      log = event.log;
      numbers.clear();
    }
    for (const message of messagesOf(event)) {
      const { to, n } = addressOf(message);
      const before = numbers.get(to) ?? 0;
      if (n !== before + 1) report("sequence", `${message.id} was sent after number ${before}`);
      numbers.set(to, n);
      sent.set(`${log} ${message.id}`, { to, times: 0 });
    }
  }
}

function checkTaken(id: string, events: readonly Event[], { sent, report, mayLack }: Books): void {
  /** Of each sender's log, and of each sender's own count. */
  const newest = new Map<string, number>();
  const advance = (series: string, number: number): number => {
    const before = newest.get(series) ?? 0;
    newest.set(series, Math.max(number, before));
    if (number <= before) report("out of order", `${series} for ${id}: ${number} after ${before}`);
    return number - before;
  };
  for (const event of events) {
    if (event.kind !== "message") continue;
    const { message, from, mail } = event;
    const key = `${from} ${message.id}`;
    const { to, n } = addressOf(message);
    const known = sent.get(key);
    if (!known || to !== id) report("never sent", `${key} was taken in by ${id}`);
    if (known && ++known.times > 1) continue;
    advance("position in the mailbox", mail);
    advance(`number of ${from}`, n);
    const parcel = read(message.content);
    if (!parcel) continue;
    const step = advance(`count of ${parcel.from}`, parcel.number);
    if (step > 1 && !mayLack(parcel.from))
      report("lost", `count of ${parcel.from} for ${id}: ${parcel.number}`);
  }
}

/** A parcel that was acknowledged, or that any stop took in, is handed over to every further stop once, but if it was withdrawn. */
function checkParcels({ agents, fed }: Told, report: Report): void {
  const sent = new Map<string, number>();
  const taken = new Set<string>();
  const routes = new Map<string, readonly string[]>();
  const withdrawn = new Set<string>();
  for (const { log } of agents.values()) {
    for (const event of log.records) {
      for (const parcel of wordsOf(event).map(({ content }) => read(content))) {
        if (!parcel) continue;
        const place = `${parcel.name} at stop ${parcel.stop}`;
        sent.set(place, (sent.get(place) ?? 0) + 1);
      }
      withdrawn.add(read(withdrawnBy(event)?.content ?? "")?.name ?? "");
      const parcel = event.kind === "message" ? read(event.message.content) : undefined;
      if (!parcel) continue;
      taken.add(`${parcel.name} at stop ${parcel.stop}`);
      routes.set(parcel.name, parcel.route);
    }
  }
  for (const [place, times] of sent) if (times > 1) report("twice", `${place} was sent ${times} times`);
  for (const { name, said } of fed)
    if (said && !taken.has(`${name} at stop 0`)) report("lost", `${name} was acknowledged and never began`);
  for (const [name, route] of routes) {
    if (withdrawn.has(name)) continue;
    const missing = route.findIndex((_, stop) => !taken.has(`${name} at stop ${stop}`));
    if (missing !== -1) report("lost", `${name} never came to stop ${missing} of ${route.length}`);
  }
}

/** What is remembered of a parcel takes it nowhere. */
function wordsOf(event: Event): readonly Message[] {
  return messagesOf(event).filter(({ id }) => !id.includes("/"));
}

function messagesOf(event: Event): readonly Message[] {
  return "sends" in event ? (event.sends ?? []) : [];
}

function addressOf({ id }: Message): { readonly to: string; readonly n: number } {
  const [, to = "", n] = /^[^>]+>([^#]+)#(\d+)$/.exec(id) ?? [];
  return { to, n: Number(n) };
}
