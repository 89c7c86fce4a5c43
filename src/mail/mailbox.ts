// What holds for a mailbox wherever it is kept: how much of it is shown at once, and what may be put into it next.

import {
  isUrgent,
  laneOf,
  parseMessageId,
  type Delivery,
  type LogId,
  type Message,
} from "../domain/message/message.ts";
import type { Mail } from "./bus.ts";

/** What a header in front of a message costs, about. */
export const HEADER_BYTES = 40;

export const BYTES_PER_TOKEN = 4;

/** So much text may be shown at once, but at least one message. */
export function createRoom(maxTokens: number) {
  let left = maxTokens * BYTES_PER_TOKEN;
  let isUntouched = true;
  return {
    /** Is there room for it? There is less from now on in any case: it may have to be shown all the same. */
    takes(message: Message): boolean {
      const bytes = HEADER_BYTES + Buffer.byteLength(message.content);
      const fits = isUntouched || bytes <= left;
      isUntouched = false;
      left -= bytes;
      return fits;
    },
  };
}

/**
 * The oldest of `mail` that fit into `maxTokens`, at least one; through the last abort or steer in any case: what it stops may
 * be what comes before it. What is not shown when it is taken in takes no room.
 */
export function firstFitting(mail: readonly Mail[], maxTokens: number): readonly Mail[] {
  if (mail.length < 2) return mail.slice();
  const room = createRoom(maxTokens);
  const end = mail.findIndex(({ message }) => {
    const lane = laneOf(message);
    return lane !== "follow-up" && lane !== "verdict" && !room.takes(message);
  });
  const fitting = end === -1 ? mail.length : end;
  const throughUrgent = mail.findLastIndex(({ message }) => isUrgent(message)) + 1;
  return mail.slice(0, Math.max(fitting, throughUrgent));
}

/** How a delivery stands to what is there from the same log. A log that is new here may begin with any number. */
export function standingOf(
  { from, message, after }: Delivery,
  seen: ReadonlyMap<LogId, number>,
): "next" | "duplicate" | "gap" {
  const { n } = parseMessageId(message.id);
  const newest = seen.get(from);
  if (newest === undefined) return "next";
  if (n <= newest) return "duplicate";
  return (after ?? n - 1) <= newest ? "next" : "gap";
}
