// The bus of a legion in the memory of a process.

import { LegionError } from "../../base/errors.ts";
import { CONTROL, MAILBOX_LIMIT, parseMessageId } from "../../domain/message.ts";
import type { AgentId, Delivery, LogId } from "../../domain/message.ts";
import type { Bus, Inbox, Receipt, Watermarks } from "../../mail/bus.ts";
import { firstFitting, standingOf } from "../../mail/mailbox.ts";
import { createUnread, type Unread } from "../../mail/unread.ts";
import type { KeptAgent, MemoryPlace } from "./place.ts";

export interface MemoryBusOptions {
  readonly place: Pick<MemoryPlace, "of">;
  /** How far an agent's log has taken in mail; `undefined` for an agent that does not exist. */
  readonly watermarks: (agent: AgentId) => Promise<Watermarks | undefined>;
}

interface MemoryMailbox {
  readonly kept: KeptAgent;
  readonly limit: number;
  /** Per sender log, the highest number taken in or waiting. */
  readonly seen: Map<LogId, number>;
  readonly unread: Unread;
  open: boolean;
}

export function createMemoryBus({ place, watermarks }: MemoryBusOptions): Bus {
  const mailboxes = new Map<AgentId, Promise<MemoryMailbox | undefined>>();
  let closed = false;
  const load = async (agent: AgentId): Promise<MemoryMailbox | undefined> => {
    const marks = await watermarks(agent);
    if (!marks) mailboxes.delete(agent);
    return marks && openMailbox(agent, place.of(agent), marks);
  };
  const find = (agent: AgentId): Promise<MemoryMailbox | undefined> => {
    if (closed) throw new LegionError("STORAGE", "The bus is closed.");
    const mailbox = mailboxes.get(agent) ?? load(agent);
    mailboxes.set(agent, mailbox);
    return mailbox;
  };
  return {
    async send(delivery) {
      const mailbox = await find(parseMessageId(delivery.message.id).to);
      if (!mailbox) return { status: "unknown" };
      return accept(mailbox, delivery);
    },
    async open(agent) {
      const mailbox = await find(agent);
      if (!mailbox) throw new LegionError("REFUSED", `There is no agent ${agent}.`);
      if (mailbox.open)
        throw new LegionError("LOCKED", `The mailbox of agent ${agent} has a reader already.`);
      mailbox.open = true;
      return createInbox(mailbox);
    },
    unread: async (agent) => (await find(agent))?.unread.mail.length ?? 0,
    close: () => Promise.resolve(void (closed = true)),
  };
}

function openMailbox(agent: AgentId, kept: KeptAgent, { taken, seen }: Watermarks): MemoryMailbox {
  kept.mail = kept.mail.filter(({ position }) => position > taken);
  kept.position = Math.max(kept.position, taken);
  const waiting = kept.mail.map(({ from, message }) => [from, parseMessageId(message.id).n] as const);
  return {
    kept,
    limit: agent === CONTROL ? Infinity : MAILBOX_LIMIT,
    seen: new Map([...seen, ...waiting]),
    unread: createUnread(kept.mail),
    open: false,
  };
}

function accept({ kept, limit, seen, unread }: MemoryMailbox, delivery: Delivery): Receipt {
  const standing = standingOf(delivery, seen);
  const { from, message } = delivery;
  if (standing === "gap") return { status: "gap", expected: seen.get(from)! + 1 };
  if (standing === "duplicate") return { status: "duplicate" };
  if (unread.mail.length >= limit) return { status: "full" };
  const mail = { position: ++kept.position, from, message: structuredClone(message) };
  seen.set(from, parseMessageId(message.id).n);
  kept.mail.push(mail);
  unread.add(mail);
  return { status: "accepted" };
}

function createInbox(mailbox: MemoryMailbox): Inbox {
  const { kept, unread } = mailbox;
  return {
    get unread() {
      return unread.mail.length;
    },
    peek: (maxTokens) => firstFitting(unread.mail, maxTokens),
    taken(position) {
      unread.drop(position);
      kept.mail = kept.mail.filter((mail) => mail.position > position);
    },
    wait: unread.wait,
    interrupt: unread.interrupt,
    close: () => Promise.resolve(void (mailbox.open = false)),
  };
}
