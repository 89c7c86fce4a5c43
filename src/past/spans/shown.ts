// The mail that gives an agent work, where it is shown, and whose chain the newest of it belongs to: also where a log goes back to
// an earlier event.

import type { Event, EventOf } from "../../domain/event/event.ts";
import { laneOf, type LogId } from "../../domain/message/message.ts";
import { forkIn } from "../branch.ts";
import { createHeldMail, foldHeld, type TakenMessage } from "../mail/held.ts";
import type { SpanOutline } from "./sends.ts";

export interface ShownMail extends Omit<TakenMessage, "seq"> {
  /** The log that numbered it. */
  readonly from: LogId;
  /** The event from which on it is shown, as `spanIdOf` takes it. */
  readonly event: string;
}

export function createShown({ targets }: Pick<SpanOutline, "targets">) {
  /** By event that the log goes back to. */
  const roots = new Map<number, string | undefined>();
  /** Of held mail, by the event that took it in. */
  const senders = new Map<number, LogId>();
  let held = createHeldMail();
  let newest: string | undefined;
  return {
    /** The first message of that chain; absent: nothing was shown. */
    root: () => newest,
    /** What is shown in the place of `event`, oldest first. */
    see(event: Event): readonly ShownMail[] {
      if (event.kind === "message") senders.set(event.seq, event.from);
      const mail = foldHeld(held, event).map(({ seq, ...taken }, index) => {
        const from = senders.get(seq) ?? "";
        senders.delete(seq);
        return { ...taken, from, event: index === 0 ? String(event.seq) : `${event.seq}.${seq}` };
      });
      const work = mail.filter(({ message }) => !["abort", "verdict"].includes(laneOf(message)));
      newest = work.at(-1)?.message.root ?? newest;
      if (targets.has(event.seq)) roots.set(event.seq, newest);
      return work;
    },
    turn(event: EventOf<"branch">): void {
      const fork = forkIn(event);
      if (fork) newest = roots.get(fork.to);
      held = createHeldMail();
      senders.clear();
    },
  };
}
