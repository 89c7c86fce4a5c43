// What deliveries to a long-term memory come to. Pure.

import type { NewMemoryEvent } from "../domain/memory/record.ts";
import { parseMessageId, type Delivery } from "../domain/message/message.ts";
import type { MemoryStanding } from "../past/memory/standing.ts";
import { hear, isHeard, markIn, type HeardMark, type HeardMessages } from "../past/memory/heard.ts";
import { repeated, takenIn } from "../past/memory/take-in.ts";
import type { Reception } from "./bus.ts";
import { standingOf } from "./mailbox.ts";

export interface MemoryIntake {
  /** To be added as one; empty where nothing was new. */
  readonly events: readonly NewMemoryEvent[];
  /** One for each delivery; they hold once the events are added. */
  readonly receipts: readonly Reception[];
}

/** One delivery after the other, where the memory stands like this, and has heard so much. */
export function planMemoryIntake(
  { seen: before, keeper, forgottenAt }: Pick<MemoryStanding, "seen" | "keeper" | "forgottenAt">,
  heard: ReadonlyMap<string, number>,
  deliveries: readonly Delivery[],
): MemoryIntake {
  const seen = new Map(before);
  const heardHere: HeardMessages = new Map();
  const isRepeated = (mark: HeardMark): boolean => isHeard(heard, mark) || isHeard(heardHere, mark);
  const now = { keeper, forgottenAt };
  const events: NewMemoryEvent[] = [];
  const receipts = deliveries.map((delivery): Reception => {
    const standing = standingOf(delivery, seen);
    if (standing === "duplicate") return { status: "duplicate" };
    if (standing === "gap") return { status: "gap", expected: seen.get(delivery.from)! + 1 };
    seen.set(delivery.from, parseMessageId(delivery.message.id).n);
    for (const event of takenIn(delivery, now)) {
      if (event.kind === "kept") now.keeper = event.by;
      const mark = markIn(event);
      const isThere = mark !== undefined && isRepeated(mark);
      events.push(event.kind === "entry" && isThere ? repeated(event) : event);
      hear(heardHere, mark);
    }
    return { status: "accepted" };
  });
  return { events, receipts };
}
