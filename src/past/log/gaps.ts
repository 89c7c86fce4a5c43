// What is gone of a log: numbers that nobody has, and what its notices have reported of that.

import type { Event, SeqRange } from "../../domain/event/event.ts";
import type { NoticeEvent } from "../../domain/event/notice.ts";

/** Events whose loss `event` reports; empty for most. */
export function lostIn(event: Event): readonly SeqRange[] {
  if (event.kind !== "notice" || event.reason !== "gap") return [];
  const lost = (event.details as { readonly lost?: unknown } | null | undefined)?.lost;
  return Array.isArray(lost) ? lost.filter(isRange) : [];
}

/** Follows a log, and knows what is gone of it. `last`: up to this event nothing is. */
export function createGaps(last = 0) {
  const lost: SeqRange[] = [];
  const reported: SeqRange[] = [];
  const isReported = ([first, end]: SeqRange): boolean => reported.some((r) => r[0] <= first && end <= r[1]);
  return {
    /** The highest number that is known of. */
    get last() {
      return last;
    },
    see(event: Event): void {
      if (event.seq > last + 1) lost.push([last + 1, event.seq - 1]);
      last = event.seq;
      reported.push(...lostIn(event));
    },
    /** So many more events were behind the last one that was seen. */
    miss(count: number): void {
      if (count > 0) lost.push([last + 1, (last += count)]);
    },
    /** All of it is there. */
    isNone: (): boolean => lost.length === 0,
    /** What no notice of the log has reported; mostly empty. */
    unreported: (): readonly SeqRange[] => lost.filter((range) => !isReported(range)),
  };
}

/** A log may come from another machine. */
function isRange(value: unknown): value is SeqRange {
  return Array.isArray(value) && typeof value[0] === "number" && typeof value[1] === "number";
}

/** What tells an agent that some of its past is gone; `lostIn` finds in it what it reports. */
export function gapNotice(lost: readonly SeqRange[]): NoticeEvent {
  const count = lost.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const what = count === 1 ? "1 event of your past is" : `${count} events of your past are`;
  const content = `${what} damaged or gone. If something seems to be missing, it may have been there.`;
  return { kind: "notice", reason: "gap", content, details: { lost } };
}
