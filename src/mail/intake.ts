// What an agent takes from its mailbox into its log before a decision, and what of it is held. Pure.

import type { MessageEvent, NewEvent } from "../domain/event/event.ts";
import { isUrgent, laneOf, type Message } from "../domain/message/message.ts";
import type { Conversation } from "../past/conversation.ts";
import { undeliverable } from "../past/mail/dead-letters.ts";
import type { HeldMail } from "../past/mail/held.ts";
import type { Inbox, Mail } from "./bus.ts";
import { createRoom } from "./mailbox.ts";

export interface Intake {
  /** To be committed as one; mostly empty where nothing waits. */
  readonly events: readonly NewEvent[];
  /** The mail among them, oldest first. */
  readonly mail: readonly Mail[];
  /** Follow-ups in whose place their sender's new instructions came. */
  readonly withdrawn: readonly Message[];
}

export const WITHDRAWN = "New instructions came before it was read.";

/**
 * A2: overflow comes first, as much as fits into `maxTokens`; then the mail that fits, but none while something is released. What
 * stands before an abort or a steer is taken in with it in any case, and held where there is no room. Follow-ups are always
 * held; those that came before a steer are withdrawn.
 */
export function planIntake({ held }: Conversation, peek: Inbox["peek"], maxTokens: number): Intake {
  const waiting = peek(maxTokens);
  const through = waiting.findLastIndex(({ message }) => isUrgent(message)) + 1;
  const steer = waiting.findLastIndex(({ message }) => laneOf(message) === "steer");
  const room = createRoom(maxTokens);
  // They are shown in any case.
  for (const [index, { message }] of waiting.entries())
    if (index === steer || laneOf(message) === "abort") room.takes(message);
  const released = fitting(held.overflow, room.takes);
  let isFull = released.length < held.overflow.size;
  const isHeld = ({ message }: Mail, index: number): boolean => {
    const lane = laneOf(message);
    const mayWait = index < through && index !== steer && (lane === "normal" || lane === "steer");
    if (!mayWait) return lane === "follow-up";
    isFull ||= !room.takes(message);
    return isFull;
  };
  const mail = released.length > 0 || isFull ? waiting.slice(0, through) : waiting;
  const withdrawn = steer === -1 ? [] : followUpsBefore(mail.slice(0, steer), held);
  const events: NewEvent[] = released.length > 0 ? [{ kind: "released", messages: released }] : [];
  for (const [index, one] of mail.entries()) {
    // In front of what withdraws them: a crash in the middle of the commit may keep them, but not the steer alone.
    if (index === steer) events.push(...withdrawn.map((message) => undeliverable(message, WITHDRAWN)));
    const event = takenIn(one);
    events.push(isHeld(one, index) ? { ...event, held: true } : event);
  }
  return { events, mail, withdrawn };
}

function followUpsBefore(mail: readonly Mail[], { followUps }: HeldMail): readonly Message[] {
  const arrived = mail.map(({ message }) => message).filter((message) => laneOf(message) === "follow-up");
  return [...followUps.values(), ...arrived];
}

/** The oldest that have room. */
function fitting(
  overflow: ReadonlyMap<number, Message>,
  takes: (message: Message) => boolean,
): readonly number[] {
  const released: number[] = [];
  for (const [seq, message] of overflow) {
    if (!takes(message)) break;
    released.push(seq);
  }
  return released;
}

function takenIn({ position, from, message }: Mail): MessageEvent {
  return { kind: "message", message, mail: position, from };
}
