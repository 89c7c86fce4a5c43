// What an agent spent for which first message: whatever it does counts to the root of the newest message that it was shown.

import type { Event } from "../../domain/event/event.ts";
import { laneOf, type Message } from "../../domain/message/message.ts";
import { forkIn } from "../branch.ts";

/** The id of a first message; `undefined` stands for what was done before any message was shown. */
export type RootId = string | undefined;

export type FirstMessage = Pick<Message, "id" | "source" | "taint" | "sentAt" | "delivery"> & {
  /** How it begins, as it was written. */
  readonly opening: string;
};

const OPENING_CHARS = 500;

/** The first message of a chain that `event` takes in, if it is one. */
export function firstIn(event: Event): FirstMessage | undefined {
  if (event.kind !== "message" || event.message.id !== event.message.root) return undefined;
  return firstOf(event.message);
}

export function firstOf(message: Message): FirstMessage {
  const { id, source, taint, sentAt, delivery, content } = message;
  return { id, source, taint, sentAt, delivery, opening: content.slice(0, OPENING_CHARS) };
}

interface PackedNewest {
  readonly turns: [seq: number, root: string | null][];
  readonly held: [seq: number, root: string][];
}

/**
 * Follows which message is the newest that was shown, also where a log goes back to an earlier event.
 *
 * @param nameOf what tells a message from others; absent: only those of different first messages are told apart
 */
export function followNewest(kept?: PackedNewest, nameOf = ({ root }: Message) => root) {
  /** Each with the event from which on it counts. */
  const turns = (kept?.turns ?? []).map(([seq, root]) => ({ seq, root: root ?? undefined }));
  /** Of mail that is taken in and not shown, by the event that took it in. */
  const held = new Map<number, string>(kept?.held);
  const rootAt = (seq: number): RootId => turns.findLast((turn) => turn.seq <= seq)?.root;
  const turn = (seq: number, root: RootId): void => {
    if (turns.at(-1)?.root !== root) turns.push({ seq, root });
  };
  return {
    root: (): RootId => turns.at(-1)?.root,
    see(event: Event): void {
      const fork = forkIn(event);
      if (fork) turn(fork.seq, rootAt(fork.to));
      else if (event.kind === "released") {
        for (const seq of event.messages) if (held.has(seq)) turn(event.seq, held.get(seq));
      } else if (event.kind !== "message") return;
      else if (event.held) held.set(event.seq, nameOf(event.message));
      else if (isShown(event.message)) turn(event.seq, nameOf(event.message));
    },
    pack: (): PackedNewest => ({
      turns: turns.map(({ seq, root }) => [seq, root ?? null]),
      held: [...held],
    }),
  };
}

function isShown(message: Message): boolean {
  const lane = laneOf(message);
  return lane !== "abort" && lane !== "verdict";
}

/** Does something that `event` charges have a price? */
export function hasPrice(event: Event): boolean {
  if (event.kind === "prompted") return event.reserved.cost !== undefined;
  if (event.kind === "decision" && event.cost !== undefined) return true;
  return "usage" in event && event.usage?.cost !== undefined;
}
