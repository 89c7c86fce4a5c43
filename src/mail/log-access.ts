// Adding to a log that somebody else may add to as well: one at a time, or two would give out the same numbers.

import { sendsOf } from "../domain/event/event.ts";
import type { NoticeEvent } from "../domain/event/notice.ts";
import type { Memory } from "../past/past.ts";
import type { Outbox } from "./outbox.ts";

/** An agent's log, and what delivers the messages in it. */
export interface Writing {
  readonly memory: Memory;
  readonly outbox: Outbox;
}

export interface Writer {
  /** Runs `work` while nobody else writes to the log. */
  alone<T>(work: (log: Writing) => Promise<T>): Promise<T>;
}

/** As `Writing`, for letters alone. */
export interface LetterWriting {
  readonly memory: Pick<Memory, "agent" | "ledger" | "conversation" | "read" | "commit">;
  readonly outbox: Pick<Outbox, "deliver">;
}

export interface LetterWriter {
  /** As `Writer`; `work` may be run anew, where somebody else has written all the same and nothing was committed. */
  alone<T>(work: (log: LetterWriting) => Promise<T>): Promise<T>;
}

/** Commits what `write` returns. Resolves with the ids of its messages once each was offered to its mailbox. */
export async function sendNotice(
  writer: LetterWriter,
  write: (memory: LetterWriting["memory"]) => Promise<NoticeEvent>,
): Promise<readonly string[]> {
  const { sends, outbox } = await writer.alone(async ({ memory, outbox }) => {
    const [notice] = await memory.commit(await write(memory));
    return { sends: sendsOf(notice!), outbox };
  });
  await outbox.deliver();
  return sends.map(({ id }) => id);
}

/** A log that failed goes on behind what it acknowledged. Rejects with STORAGE while it cannot. */
export async function mend(memory: Pick<Memory, "isDead" | "reopen">): Promise<void> {
  if (memory.isDead()) await memory.reopen();
}
