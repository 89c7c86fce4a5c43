// The front of a mailbox that lies elsewhere: its oldest mail, in memory.
//
//   Q1. It holds what waits without gaps and once, however it was heard of and in whatever order.
//   Q2. It holds little; but all up to the last abort or steer, and while all that it holds is being taken in, what comes next.
//   Q3. Beside that it holds Control's mail, wherever that stands, and reads no other for it.

import { isControlsOwn } from "../domain/message/message.ts";
import type { Inbox, Mail } from "./bus.ts";
import { firstFitting } from "./mailbox.ts";
import { createUnread, type Unread } from "./unread.ts";

/** Past this many messages, or this much text in them, mail waits where it is. */
const MAX_MESSAGES = 1_000;
const MAX_LENGTH = 4_194_304;

/** How far a mailbox goes, in positions. */
export interface MailboxReach {
  readonly newest: number;
  /** The last abort or steer. */
  readonly abort?: number;
  /** Control's newest; absent: nobody says whether any of what is new is Control's. */
  readonly control?: number;
  /** What was taken. */
  readonly taken?: number;
}

/** The inbox of the mailbox; `unread` counts what waits here and there. */
export interface Front extends Omit<Inbox, "close"> {
  /** One message that was not read, at `position`: the next one is opened and kept, another one heard of. */
  arrived(position: number, open: () => Mail): void;
  /** Hears how far the mailbox goes. */
  learn(reach: MailboxReach): void;
  /** Resolves when what was to be read is read. Rejects as reading did. */
  settled(): Promise<void>;
}

/** Where the mail is. */
export interface Rear {
  /** From this position on, oldest first, until there is no more. */
  read(position: number): AsyncIterable<readonly Mail[]>;
  /** The same of Control's mail alone, one by one. */
  readAhead(position: number): AsyncIterable<Mail>;
  /** Told that mail waits which could not be read; the next time that it is heard of, that is tried again. */
  onFailure(error: unknown): void;
}

/** Where things stand: what is in memory, and positions. */
interface WindowStanding {
  readonly unread: Unread;
  /** Up to there mail was read; shown; heard of. */
  read: number;
  shown: number;
  newest: number;
  /** The last abort or steer that was heard of. */
  abort: number;
  /** Control's newest mail that was heard of, and as far as all of it was read. */
  control: number;
  readAhead: number;
}

export function createFront(rear: Rear): Front {
  const unread = createUnread([]);
  const standing: WindowStanding = {
    unread,
    read: 0,
    shown: 0,
    newest: 0,
    abort: 0,
    control: 0,
    readAhead: 0,
  };
  const { fill, settled } = createFilling(standing, rear);
  const learn = ({ newest, abort = 0, taken = 0, ...reach }: MailboxReach): void => {
    const { control = newest > standing.newest ? newest : 0 } = reach;
    standing.control = Math.max(standing.control, control);
    standing.newest = Math.max(standing.newest, newest);
    standing.abort = Math.max(standing.abort, abort);
    standing.read = Math.max(standing.read, taken);
    // A late word may have told of what was taken by then.
    if (taken > 0) unread.drop(taken);
    fill();
  };
  return {
    get unread() {
      // Until something can be shown nothing is there: whoever asks again at once would keep it from arriving.
      return unread.mail.length === 0 ? 0 : unread.mail.length + standing.newest - standing.read;
    },
    peek(maxTokens) {
      const fitting = firstFitting(unread.mail, maxTokens);
      standing.shown = Math.max(standing.shown, fitting.at(-1)?.position ?? 0);
      fill();
      return fitting;
    },
    taken(position) {
      unread.drop(position);
      fill();
    },
    wait: unread.wait,
    interrupt: unread.interrupt,
    ahead: unread.ahead,
    heard: unread.heard,
    arrived(position, open) {
      if (position === standing.read + 1 && hasRoom(standing)) return keep(standing, open());
      const control = isControlsOwn(open().message) ? position : 0;
      learn({ newest: position, control });
    },
    learn,
    settled,
  };
}

/** `fill` begins to read what is to be in memory, if that is not under way. */
function createFilling(standing: WindowStanding, rear: Rear) {
  let reading: Promise<void> | undefined;
  const readOn = async (): Promise<void> => {
    try {
      while (wantsMore(standing) || wantsAhead(standing)) {
        if (wantsAhead(standing)) await readAhead(standing, rear);
        else await readFront(standing, rear);
      }
    } finally {
      reading = undefined;
    }
  };
  return {
    fill(): void {
      if (reading || !(wantsMore(standing) || wantsAhead(standing))) return;
      reading = readOn();
      reading.catch(rear.onFailure);
    },
    settled: async (): Promise<void> => reading,
  };
}

async function readFront(standing: WindowStanding, rear: Rear): Promise<void> {
  const { newest } = standing;
  const isAll = await readPart(standing, rear);
  // What was said to be there, nobody has delivered.
  if (isAll && newest === standing.newest) standing.newest = standing.read;
}

async function readAhead(standing: WindowStanding, rear: Rear): Promise<void> {
  const { control, read, unread } = standing;
  for await (const mail of rear.readAhead(Math.max(read, standing.readAhead) + 1)) {
    // It may have been taken since.
    if (mail.position > standing.read) unread.addAhead(mail);
    standing.readAhead = Math.max(standing.readAhead, mail.position);
    if (!hasRoomAhead(standing)) return;
  }
  standing.readAhead = Math.max(standing.readAhead, control);
}

/** Resolves with true once there is no more. */
async function readPart(standing: WindowStanding, rear: Rear): Promise<boolean> {
  for await (const page of rear.read(standing.read + 1)) {
    for (const mail of page) keep(standing, mail);
    if (!wantsMore(standing)) return false;
  }
  return true;
}

function keep(standing: WindowStanding, mail: Mail): void {
  if (mail.position <= standing.read) return;
  standing.read = mail.position;
  standing.newest = Math.max(standing.newest, mail.position);
  standing.unread.add(mail);
}

function wantsMore(standing: WindowStanding): boolean {
  const { read, newest, abort, shown } = standing;
  return newest > read && (hasRoom(standing) || abort > read || shown >= read);
}

/** Where there is room in front, it is read with all the rest. */
function wantsAhead(standing: WindowStanding): boolean {
  const { read, control, readAhead } = standing;
  return control > Math.max(read, readAhead) && !hasRoom(standing) && hasRoomAhead(standing);
}

function hasRoomAhead({ unread }: WindowStanding): boolean {
  return unread.lengthAhead < MAX_LENGTH;
}

function hasRoom({ unread: { mail, length } }: WindowStanding): boolean {
  return mail.length < MAX_MESSAGES && length < MAX_LENGTH;
}
