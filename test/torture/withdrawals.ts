import type { Event } from "../../src/domain/event/event.ts";
import type { Message } from "../../src/domain/message/message.ts";

/** The message of somebody else that this event lists as one that its reader will not be shown. */
export function withdrawnBy(event: Event): Message | undefined {
  if (event.kind !== "notice" || event.reason !== "undeliverable") return undefined;
  const { message, seq } = event.details as { readonly message: Partial<Message>; readonly seq?: number };
  // A message of its own has the event that sent it, one that was refused has no id.
  return message.id === undefined || seq !== undefined ? undefined : (message as Message);
}
