// The bus of one process: mailboxes in memory, each over a journal on disk. A delivery is a Map lookup, a numbered
// append and a wake-up of the one reader; nobody else is asked.

import { join } from "node:path";
import { LegionError } from "../errors.ts";
import { openJournal, readSegments, settleJournal, type Durability, type Journal } from "../log/journal.ts";
import type { Disk } from "../log/disk.ts";
import type { Lock } from "../log/lock.ts";
import { CONTROL, MAILBOX_LIMIT, parseMessageId } from "../message.ts";
import type { AgentId, Delivery, LogId, Message } from "../message.ts";
import type { Bus, Inbox, Mail, Receipt, Watermarks } from "./bus.ts";

const PART_BYTES = 1_048_576;
/** A mailbox file that holds only taken mail is removed when this many messages went through it. */
const DROP_AFTER = 1_000;

export interface MemoryBusOptions {
  readonly disk: Disk;
  readonly lock: Lock;
  readonly durability: Durability;
  readonly now: () => number;
  /** An agent's folder. */
  readonly folder: (agent: AgentId) => string;
  /** How far an agent's log has taken in mail; `undefined` for an agent that does not exist. */
  readonly watermarks: (agent: AgentId) => Promise<Watermarks | undefined>;
}

interface Mailbox {
  readonly agent: AgentId;
  readonly journal: Journal;
  readonly seen: Map<LogId, number>;
  unread: Mail[];
  taken: number;
  throughput: number;
  open: boolean;
  wake: (() => void) | undefined;
  interruption: AbortController | undefined;
}

/** Opens no file before the first message. */
export function createMemoryBus(options: MemoryBusOptions): Bus {
  const mailboxes = new Map<AgentId, Promise<Mailbox | undefined>>();
  const watchers = new Set<(message: Message) => void>();
  const find = (agent: AgentId): Promise<Mailbox | undefined> => {
    let mailbox = mailboxes.get(agent);
    if (!mailbox) {
      mailbox = loadMailbox(agent, options);
      mailboxes.set(agent, mailbox);
      void mailbox.then(
        (found) => found ?? mailboxes.delete(agent),
        () => mailboxes.delete(agent),
      );
    }
    return mailbox;
  };
  return {
    async send(delivery) {
      const mailbox = await find(parseMessageId(delivery.message.id).to);
      const receipt = mailbox ? await accept(mailbox, delivery) : ({ status: "unknown" } as const);
      if (receipt.status === "accepted") for (const watch of watchers) watch(delivery.message);
      return receipt;
    },
    async open(agent) {
      const mailbox = await find(agent);
      if (!mailbox) throw new LegionError("REFUSED", `There is no agent ${agent}.`);
      if (mailbox.open) throw new LegionError("LOCKED", `The mailbox of agent ${agent} has a reader already.`);
      mailbox.open = true;
      return createInbox(mailbox);
    },
    unread: async (agent) => (await find(agent))?.unread.length ?? 0,
    watch(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    async close() {
      for (const mailbox of await Promise.all(mailboxes.values())) if (mailbox) await closeMailbox(mailbox);
    },
  };
}

async function loadMailbox(agent: AgentId, options: MemoryBusOptions): Promise<Mailbox | undefined> {
  const marks = await options.watermarks(agent);
  if (!marks) return undefined;
  const folder = join(options.folder(agent), "mailbox");
  if (options.durability === "disk") await settleJournal(folder, options.disk);
  const seen = new Map(marks.seen);
  const unread: Mail[] = [];
  const unsealed = [];
  let last = marks.taken;
  for await (const segment of readSegments(folder, options.disk)) {
    for (const record of segment.records) {
      last = Math.max(last, record.seq);
      if (record.kind !== "mail" || record.seq <= marks.taken) continue;
      const mail = { position: record.seq, from: record["from"] as LogId, message: record["message"] as Message };
      seen.set(mail.from, parseMessageId(mail.message.id).n);
      unread.push(mail);
    }
    if (!segment.sealed) unsealed.push(segment);
  }
  const { disk, lock, durability, now } = options;
  const journal = openJournal(
    {
      folder,
      disk,
      epoch: lock.epoch,
      durability,
      held: lock.held,
      now,
      maxPartBytes: PART_BYTES,
      opening: () => ({ format: 1 }),
    },
    last,
    unsealed,
  );
  const mailbox: Mailbox = {
    agent,
    journal,
    seen,
    unread,
    taken: marks.taken,
    throughput: unsealed.length > 0 ? DROP_AFTER : 0,
    open: false,
    wake: undefined,
    interruption: undefined,
  };
  return mailbox;
}

async function accept(mailbox: Mailbox, { from, message }: Delivery): Promise<Receipt> {
  const { n } = parseMessageId(message.id);
  const seen = mailbox.seen.get(from);
  if (seen !== undefined && n <= seen) {
    await mailbox.journal.commit();
    return { status: "duplicate" };
  }
  if (seen !== undefined && n > seen + 1) return { status: "gap", expected: seen + 1 };
  if (mailbox.unread.length >= MAILBOX_LIMIT && mailbox.agent !== CONTROL) return { status: "full" };
  const { seq } = mailbox.journal.write({ kind: "mail", from, message });
  mailbox.seen.set(from, n);
  await mailbox.journal.commit();
  mailbox.unread.push({ position: seq, from, message });
  mailbox.throughput++;
  if (message.delivery === "abort") mailbox.interruption?.abort();
  mailbox.wake?.();
  return { status: "accepted" };
}

function createInbox(mailbox: Mailbox): Inbox {
  return {
    get unread() {
      return mailbox.unread.length;
    },
    peek(maxTokens) {
      let tokens = 0;
      const end = mailbox.unread.findIndex((mail) => (tokens += mail.message.content.length / 4) > maxTokens);
      return mailbox.unread.slice(0, end === -1 ? undefined : Math.max(1, end));
    },
    taken(position) {
      mailbox.taken = Math.max(mailbox.taken, position);
      mailbox.unread = mailbox.unread.filter((mail) => mail.position > position);
      if (mailbox.interruption?.signal.aborted) mailbox.interruption = undefined;
      if (mailbox.unread.length === 0 && mailbox.throughput >= DROP_AFTER) {
        mailbox.throughput = 0;
        // What could not be removed is only old mail: the next opening leaves it out by its position.
        void mailbox.journal.dropThrough(mailbox.taken).catch(() => undefined);
      }
    },
    wait: (signal) => waitForMail(mailbox, signal),
    interrupt() {
      if (mailbox.interruption) return mailbox.interruption.signal;
      mailbox.interruption = new AbortController();
      if (mailbox.unread.some(({ message }) => message.delivery === "abort")) mailbox.interruption.abort();
      return mailbox.interruption.signal;
    },
    async close() {
      mailbox.open = false;
    },
  };
}

function waitForMail(mailbox: Mailbox, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (mailbox.unread.length > 0 || signal.aborted) return resolve();
    const done = (): void => {
      mailbox.wake = undefined;
      signal.removeEventListener("abort", done);
      resolve();
    };
    mailbox.wake = done;
    signal.addEventListener("abort", done, { once: true });
  });
}

async function closeMailbox(mailbox: Mailbox): Promise<void> {
  if (mailbox.unread.length === 0) await mailbox.journal.dropThrough(mailbox.taken);
  await mailbox.journal.close();
}
