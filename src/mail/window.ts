// The front of a mailbox that lies elsewhere: its oldest mail, in memory.
//
//   Q1. It holds what waits without gaps and once, however it was heard of and in whatever order.
//   Q2. It holds little; but all up to the last abort, and while all that it holds is being taken in, what comes next.

import type { Inbox, Mail } from "./bus.ts";
import { firstFitting } from "./mailbox.ts";
import { createUnread, type Unread } from "./unread.ts";

/** Past this many messages, or this much text in them, mail waits where it is. */
const MAX_MESSAGES = 1_000;
const MAX_LENGTH = 4_194_304;

/** How far a mailbox goes, in positions. */
export interface MailboxReach {
  readonly newest: number;
  /** The last abort. */
  readonly abort?: number;
  /** What was taken. */
  readonly taken?: number;
}

/** The inbox of the mailbox; `unread` counts what waits here and there. */
export interface Front extends Omit<Inbox, "close"> {
  /** One message that was not read, at `position`: the next one is opened and kept, another one heard of. */
  arrived(position: number, open: () => Mail): void;
  heard(reach: MailboxReach): void;
  /** Resolves when what was to be read is read. Rejects as reading did. */
  settled(): Promise<void>;
}

/** Where the mail is. */
export interface Rear {
  /** From this position on, oldest first, until there is no more. */
  read(position: number): AsyncIterable<readonly Mail[]>;
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
  /** The last abort that was heard of. */
  abort: number;
}

export function createFront(rear: Rear): Front {
  const unread = createUnread([]);
  const standing: WindowStanding = { unread, read: 0, shown: 0, newest: 0, abort: 0 };
  let reading: Promise<void> | undefined;
  const readOn = async (): Promise<void> => {
    try {
      while (wantsMore(standing)) {
        const { newest } = standing;
        const isAll = await readPart(standing, rear);
        // What was said to be there, nobody has delivered.
        if (isAll && newest === standing.newest) standing.newest = standing.read;
      }
    } finally {
      reading = undefined;
    }
  };
  const fill = (): void => {
    if (reading || !wantsMore(standing)) return;
    reading = readOn();
    reading.catch(rear.onFailure);
  };
  const heard = ({ newest, abort = 0, taken = 0 }: MailboxReach): void => {
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
    arrived(position, open) {
      if (position === standing.read + 1 && hasRoom(standing)) keep(standing, open());
      else heard({ newest: position });
    },
    heard,
    settled: async () => reading,
  };
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

function hasRoom({ unread: { mail, length } }: WindowStanding): boolean {
  return mail.length < MAX_MESSAGES && length < MAX_LENGTH;
}
