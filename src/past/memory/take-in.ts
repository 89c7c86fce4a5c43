// What a long-term memory makes of what is sent to it. It never refuses: what is no record counts all the same, or its sender
// would send it for ever.

import type { ContextEvent, EntryEvent, NewMemoryEvent, VoidEvent } from "../../domain/memory/record.ts";
import { readRecord } from "../../domain/memory/record-schema.ts";
import { MAX_CONTENT_BYTES, parseMessageId, type Delivery } from "../../domain/message/message.ts";
import { counts, type MemoryStanding } from "./standing.ts";

/** The events that a delivery comes to, which stands next in its sender's order: the first to send a context keeps the memory. */
export function takenIn(
  { from, message }: Delivery,
  standing: Pick<MemoryStanding, "keeper" | "forgottenAt">,
): readonly NewMemoryEvent[] {
  const { from: by, n: mail } = parseMessageId(message.id);
  const { content, taint } = message;
  const told = { mail, from, by };
  const isFitting = Buffer.byteLength(content) <= MAX_CONTENT_BYTES;
  const record = isFitting ? readRecord(message.details, content) : undefined;
  if (!record) return [{ kind: "void", ...told, reason: "it was no entry, and no context" }];
  const marks = taint === undefined ? {} : { taint };
  if ("entry" in record) return [{ kind: "entry", ...told, raw: content, ...record.entry, ...marks }];
  const claim: NewMemoryEvent[] =
    standing.keeper === undefined && !counts(standing, by) ? [{ kind: "kept", by }] : [];
  const isOld = (record.context.asOf ?? Infinity) < (standing.forgottenAt ?? 0);
  const shard = { kind: "context", ...told, content, ...record.context, ...marks } as const;
  return [...claim, isOld ? outdated(shard) : shard];
}

/** What `context` comes to where something was forgotten since that was read which it is made of. */
export function outdated({ mail, from, by }: Pick<ContextEvent, "mail" | "from" | "by">): VoidEvent {
  return {
    kind: "void",
    mail,
    from,
    by,
    reason: "what it was made of was read before something was forgotten",
  };
}

/** What `entry` comes to where there is one of the same message, or was before it was forgotten. */
export function repeated({ mail, from, by }: Pick<EntryEvent, "mail" | "from" | "by">): VoidEvent {
  return { kind: "void", mail, from, by, reason: "an entry of that message was there already" };
}
