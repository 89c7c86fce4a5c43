// The bus of one process: mailboxes in memory, each over a journal on disk. A delivery is a numbered append and a wake-up of
// the one reader.

import { join } from "node:path";
import { LegionError } from "../../base/errors.ts";
import { mailboxName, type Authorship } from "../folder/person/authorship.ts";
import {
  createLocalBus,
  type LocalBus,
  type LocalMailbox,
  type LocalMailboxes,
} from "../contract/local-bus.ts";
import type { Journal, JournalStart, JournalWriter } from "./journal/journal.ts";
import { isForeignJournal, setAside, settleSegments } from "./journal/segments.ts";
import {
  displayName,
  parseMessageId,
  type AgentId,
  type Delivery,
  type LogId,
} from "../../domain/message/message.ts";
import type { Mail, Reception, Watermarks } from "../../mail/bus.ts";
import { openMailbox, readMailbox, type MailMark } from "./mailbox.ts";
import { createUnread, type Unread } from "../../mail/unread.ts";
import { standingOf } from "../../mail/mailbox.ts";

export interface FileBusOptions extends JournalWriter, Pick<LocalMailboxes, "watermarks" | "held"> {
  /** An agent's folder. */
  readonly folder: (agent: AgentId) => string;
  /** Where damaged lines are set aside. */
  readonly corruptFolder: string;
  /** Told when mail of an agent was lost to a damage: its senders still have it. */
  readonly onDamage: (agent: AgentId) => void;
  /** Tells whose mail is in a mailbox, and signs what is put there; absent: nobody asks. */
  readonly authorship?: Authorship;
}

interface Mailbox {
  readonly agent: AgentId;
  /** Goes on in it. */
  readonly openJournal: (start: JournalStart) => Journal;
  journal: Journal;
  /** Per sender log, the highest number taken in, waiting or being written. */
  seen: Map<LogId, number>;
  readonly unread: Unread;
  /** Being written, oldest first. */
  readonly arriving: Mail[];
  /** The last write failed: what was acknowledged counts, nothing else. */
  failed: boolean;
  taken: number;
}

/** Opens no file before the first message. */
export function createFileBus(options: FileBusOptions): LocalBus {
  const { watermarks, held } = options;
  return createLocalBus({ watermarks, held, load: (agent, marks) => loadMailbox(agent, marks, options) });
}

async function loadMailbox(
  agent: AgentId,
  marks: Watermarks,
  options: FileBusOptions,
): Promise<LocalMailbox> {
  const { disk, durability, corruptFolder, authorship } = options;
  const folder = join(options.folder(agent), "mailbox");
  const author = authorship && { authorship, of: mailboxName(agent) };
  if (author && (await isForeignJournal(folder, disk, author)))
    throw new LegionError("FOREIGN", `${displayName(agent)} has mail that was not written on your machines`);
  if (durability === "disk") await settleSegments(folder, disk);
  const { unread, seen, start, damages } = await readMailbox(folder, disk, marks);
  await setAside(damages, join(corruptFolder, `${agent}-mailbox`), disk);
  if (damages.length > 0) options.onDamage(agent);
  const openJournal = (from: JournalStart): Journal => openMailbox(agent, folder, options, from);
  const mailbox: Mailbox = {
    agent,
    openJournal,
    journal: openJournal(start),
    seen: new Map(seen),
    unread: createUnread(unread),
    arriving: [],
    failed: false,
    taken: 0,
  };
  return {
    unread: mailbox.unread,
    async receive(delivery, places) {
      if (mailbox.failed) await revive(mailbox, options);
      return accept(mailbox, delivery, places);
    },
    taken(position) {
      mailbox.taken = Math.max(mailbox.taken, position);
      mailbox.unread.drop(position);
      // What could not be removed is only old mail: the next opening leaves it out by its position.
      mailbox.journal.dropThrough(mailbox.taken).catch(() => undefined);
    },
    async close() {
      await mailbox.journal.close();
      await mailbox.journal.dropThrough(mailbox.taken);
    },
  };
}

/** After a failed write: goes on behind the last message that was acknowledged, if the disk works again. */
async function revive(mailbox: Mailbox, options: FileBusOptions): Promise<void> {
  const { agent, journal } = mailbox;
  if (!options.lock.held()) return;
  const start = await journal.acknowledged();
  const marks = await options.watermarks(agent);
  // Another send may have been faster.
  if (mailbox.journal !== journal) return;
  const acknowledged = mailbox.arriving.filter(({ position }) => position <= start.last);
  mailbox.seen = new Map(marks?.seen);
  for (const { from, message } of [...mailbox.unread.mail, ...acknowledged])
    mailbox.seen.set(from, parseMessageId(message.id).n);
  mailbox.journal = mailbox.openJournal(start);
  mailbox.failed = false;
}

async function accept(mailbox: Mailbox, delivery: Delivery, places: number): Promise<Reception> {
  const { journal, seen, arriving } = mailbox;
  const standing = standingOf(delivery, seen);
  if (standing === "gap") return { status: "gap", expected: seen.get(delivery.from)! + 1 };
  const isFull = mailbox.unread.mail.length + arriving.length >= places;
  if (standing === "next" && isFull) return { status: "full" };
  try {
    if (standing === "duplicate") await journal.commit();
    else await receive(mailbox, delivery);
  } catch (error) {
    if (mailbox.journal === journal) mailbox.failed = true;
    throw error;
  }
  return { status: standing === "next" ? "accepted" : "duplicate" };
}

async function receive(mailbox: Mailbox, { from, message, after }: Delivery): Promise<void> {
  const { journal, arriving } = mailbox;
  const mark: MailMark = mailbox.seen.has(from) ? {} : { first: true };
  const record = { kind: "mail", from, message, ...(after !== undefined && { after }), ...mark };
  const mail = { position: journal.write([record])[0]!.seq, from, message };
  mailbox.seen.set(from, parseMessageId(message.id).n);
  arriving.push(mail);
  try {
    await journal.commit();
  } finally {
    arriving.splice(arriving.indexOf(mail), 1);
  }
  mailbox.unread.add(mail);
}
