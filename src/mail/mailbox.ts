// What holds for a mailbox wherever it is kept: how much of it is shown at once, and what may be put into it next.

import { laneOf, parseMessageId, type Delivery, type LogId } from "../domain/message/message.ts";
import type { Mail } from "./bus.ts";

/** What a header in front of a message costs, about. */
export const HEADER_BYTES = 40;

export const BYTES_PER_TOKEN = 4;

/**
 * The oldest of `mail` that fit into `maxTokens`, at least one; through the last abort in any case: what it stops may be
 * what comes before it.
 */
export function firstFitting(mail: readonly Mail[], maxTokens: number): readonly Mail[] {
  let bytes = 0;
  const end = mail.findIndex(({ message }) => {
    bytes += HEADER_BYTES + Buffer.byteLength(message.content);
    return bytes > maxTokens * BYTES_PER_TOKEN;
  });
  const fitting = end === -1 ? mail.length : Math.max(1, end);
  const throughAbort = mail.findLastIndex(({ message }) => laneOf(message) === "abort") + 1;
  return mail.slice(0, Math.max(fitting, throughAbort));
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
