// The bus of a legion in the memory of a process.

import { parseMessageId, type AgentId, type Message } from "../../domain/message/message.ts";
import type { Watermarks } from "../../mail/bus.ts";
import { standingOf } from "../../mail/mailbox.ts";
import {
  createLocalBus,
  type LocalBus,
  type LocalMailbox,
  type LocalMailboxes,
} from "../contract/local-bus.ts";
import type { MemoryPlace } from "./place.ts";

export function createMemoryBus(
  place: Pick<MemoryPlace, "of">,
  { watermarks, held }: Pick<LocalMailboxes, "watermarks" | "held">,
): LocalBus {
  return createLocalBus({ watermarks, held, load: async (agent, marks) => openMailbox(agent, marks, place) });
}

function openMailbox(agent: AgentId, marks: Watermarks, { of }: Pick<MemoryPlace, "of">): LocalMailbox {
  const kept = of(agent);
  const { unread } = kept;
  unread.drop(marks.taken);
  kept.position = Math.max(kept.position, marks.taken);
  const seen = new Map(marks.seen);
  for (const { from, message } of unread.mail) seen.set(from, parseMessageId(message.id).n);
  return {
    unread,
    receive(delivery, places) {
      const { from, message } = delivery;
      const standing = standingOf(delivery, seen);
      if (standing === "gap") return { status: "gap", expected: seen.get(from)! + 1 };
      if (standing === "duplicate") return { status: "duplicate" };
      if (unread.mail.length >= places) return { status: "full" };
      seen.set(from, parseMessageId(message.id).n);
      unread.add({ position: ++kept.position, from, message: copyOf(message) });
      return { status: "accepted" };
    },
    taken: unread.drop,
    close: () => Promise.resolve(),
  };
}

/** An action may still change the object that it gave as details; nobody has another part of a message to change. */
function copyOf(message: Message): Message {
  return message.details === undefined ? message : { ...message, details: structuredClone(message.details) };
}
