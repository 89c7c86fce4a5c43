// What a mailbox holds on disk: one line for each message that was accepted, until the reader's log has taken it in.

import type { UnreadMail } from "../contract/arrival.ts";
import type { Disk } from "../../base/files/disk.ts";
import { openJournal } from "./journal/journal.ts";
import type { Journal, JournalStart, JournalWriter, SegmentEnd } from "./journal/journal.ts";
import type { Damage, JournalRecord } from "./journal/scan.ts";
import { readSegments } from "./journal/segments.ts";
import { mailboxName } from "../folder/person/authorship.ts";
import { parseMessageId, type AgentId, type Delivery } from "../../domain/message/message.ts";
import { withoutWord } from "../../domain/supervision.ts";
import type { Mail, Watermarks } from "../../mail/bus.ts";
import { standingOf } from "../../mail/mailbox.ts";

const PART_BYTES = 1_048_576;

/** One line of a mailbox; its sequence number is the position of the mail. */
export type MailRecord = JournalRecord & Delivery & MailMark;

export interface MailMark {
  /** Nothing of this sender's log was known before it. */
  readonly first?: true;
}

/** Goes on in the mailbox `folder` of an agent. */
export function openMailbox(
  agent: AgentId,
  folder: string,
  writer: JournalWriter,
  start: JournalStart,
): Journal {
  return openJournal({ ...writer, folder, name: mailboxName(agent), maxPartBytes: PART_BYTES }, start);
}

/** What waits in the mailbox `folder` of a reader whose log has taken in mail as far as `marks` say. */
export async function readMailbox(
  folder: string,
  disk: Disk,
  marks: Watermarks,
): Promise<UnreadMail & { readonly start: JournalStart; readonly damages: readonly Damage[] }> {
  let unread: Mail[] = [];
  const seen = new Map(marks.seen);
  const segments: SegmentEnd[] = [];
  const damages: Damage[] = [];
  let last = 0;
  let lost = 0;
  for await (const segment of readSegments<MailRecord>(folder, disk)) {
    lost += segment.damages.length;
    for (const record of segment.records) {
      last = record.seq;
      if (record.kind === "adopted") unread = unread.map(asAdopted);
      if (record.kind !== "mail" || record.seq <= marks.taken) continue;
      // What it should come after may be what is damaged: no more than so many.
      if (lost > 0 && !record.first && !seen.has(record.from)) seen.set(record.from, lowest(record, lost));
      // Behind a damaged line its sender's mail does not count: it is sent again, in order, from where it is missing.
      if (standingOf(record, seen) !== "next") continue;
      const { seq: position, from, message } = record;
      seen.set(from, parseMessageId(message.id).n);
      unread.push({ position, from, message });
    }
    segments.push({ name: segment.name, bytes: segment.bytes, sealed: segment.sealed, last });
    damages.push(...segment.damages);
  }
  // A position is never given twice, also not after the files of all mail that was taken are gone.
  return { unread, seen, damages, start: { last: Math.max(last, marks.taken), segments } };
}

function asAdopted(mail: Mail): Mail {
  return { ...mail, message: withoutWord(mail.message) };
}

/** The number before the first of `lost` messages that may be missing in front of this one. */
function lowest({ message }: Delivery, lost: number): number {
  return Math.max(0, parseMessageId(message.id).n - 1 - lost);
}
