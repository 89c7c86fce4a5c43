// The bus of a place that one process has alone: a delivery is a Map lookup, and nobody else is asked.

import { LegionError } from "../../base/errors.ts";
import {
  CONTROL,
  mailboxLimit,
  parseMessageId,
  type AgentId,
  type Delivery,
} from "../../domain/message/message.ts";
import type { Bus, Inbox, Reception, Watermarks } from "../../mail/bus.ts";
import { firstFitting } from "../../mail/mailbox.ts";
import type { Unread } from "../../mail/unread.ts";

export interface LocalMailbox extends Pick<Inbox, "taken"> {
  readonly unread: Unread;
  /** @param places how many messages may wait in it */
  receive(delivery: Delivery, places: number): Reception | Promise<Reception>;
  close(): Promise<void>;
}

export interface LocalMailboxes {
  /** How far an agent's log has taken in mail; `undefined` for an agent that does not exist. */
  readonly watermarks: (agent: AgentId) => Promise<Watermarks | undefined>;
  /** How much of its mail an agent's log holds. Absent: nothing is ever held. */
  readonly held?: (agent: AgentId) => number;
  load(agent: AgentId, marks: Watermarks): Promise<LocalMailbox>;
}

export interface LocalBus extends Bus {
  /** Closes the mailbox of an agent that nobody reads, until somebody asks for it. */
  forget(agent: AgentId): Promise<void>;
}

const NONE_HELD = (): number => 0;

export function createLocalBus({ watermarks, held = NONE_HELD, load }: LocalMailboxes): LocalBus {
  /** In place of one that is being opened, its opening. */
  const mailboxes = new Map<AgentId, LocalMailbox | Promise<LocalMailbox | undefined>>();
  const closings = new Map<AgentId, Promise<void>>();
  const readers = new Set<AgentId>();
  let closed = false;
  const loadKnown = async (agent: AgentId): Promise<LocalMailbox | undefined> => {
    await closings.get(agent);
    const marks = await watermarks(agent);
    return marks && load(agent, marks);
  };
  const begin = (agent: AgentId): Promise<LocalMailbox | undefined> => {
    const opening = loadKnown(agent);
    const end = (found?: LocalMailbox): unknown =>
      found ? mailboxes.set(agent, found) : mailboxes.delete(agent);
    mailboxes.set(agent, opening);
    opening.then(end, () => end());
    return opening;
  };
  const find = (agent: AgentId): LocalMailbox | Promise<LocalMailbox | undefined> => {
    if (closed) throw new LegionError("STORAGE", "The bus is closed.");
    return mailboxes.get(agent) ?? begin(agent);
  };
  return {
    async send(delivery) {
      const { from, to } = parseMessageId(delivery.message.id);
      const found = find(to);
      const mailbox = found instanceof Promise ? await found : found;
      const places = to === CONTROL ? Infinity : mailboxLimit(from, delivery.message.taint) - held(to);
      return mailbox ? mailbox.receive(delivery, places) : { status: "unknown" };
    },
    async open(agent) {
      const mailbox = await find(agent);
      if (!mailbox) throw new LegionError("REFUSED", `There is no agent ${agent}.`);
      if (readers.has(agent))
        throw new LegionError("LOCKED", `The mailbox of agent ${agent} has a reader already.`);
      readers.add(agent);
      mailbox.taken((await watermarks(agent))?.taken ?? 0);
      return createInbox(mailbox, () => readers.delete(agent));
    },
    // Who asks whether there is room must not fail with a mailbox that cannot be read: the mail waits at its sender.
    async unread(agent) {
      const mailbox = await Promise.resolve(find(agent)).catch(() => undefined);
      return (mailbox?.unread.mail.length ?? 0) + held(agent);
    },
    async forget(agent) {
      const mailbox = await mailboxes.get(agent);
      if (!mailbox || readers.has(agent)) return;
      mailboxes.delete(agent);
      const closing = mailbox.close().finally(() => closings.delete(agent));
      closings.set(agent, closing);
      await closing;
    },
    async close() {
      closed = true;
      for (const mailbox of [...mailboxes.values()]) await (await mailbox)?.close();
    },
  };
}

function createInbox({ unread, taken }: LocalMailbox, leave: () => void): Inbox {
  return {
    get unread() {
      return unread.mail.length;
    },
    peek: (maxTokens) => firstFitting(unread.mail, maxTokens),
    taken,
    wait: unread.wait,
    interrupt: unread.interrupt,
    ahead: unread.ahead,
    heard: unread.heard,
    close: () => Promise.resolve(leave()),
  };
}
