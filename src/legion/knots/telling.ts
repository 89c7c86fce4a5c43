// Control is told of a knot.
//
//   W9. Of each set of open messages once, whichever process found it and however often it started since: log 0 says so itself.

import type { Clock } from "../../base/clock.ts";
import { fieldsOf } from "../../base/text/json.ts";
import { sendsOf, type Event } from "../../domain/event/event.ts";
import type { NoticeEvent } from "../../domain/event/notice.ts";
import { CONTROL } from "../../domain/message/message.ts";
import { compose } from "../../mail/compose.ts";
import type { Control } from "../../mail/control.ts";
import { keyOf, openIn, type Knot } from "./knots.ts";
import { describeKnot } from "./wording.ts";

/** Returns what tells of knots, unless Control was told. Rejects as whatever writes log 0. */
export function createTelling(control: Pick<Control, "alone">, clock: Pick<Clock, "now">) {
  const told = new Set<string>();
  let read = 0;
  const hear = (event: Event): void => {
    read = event.seq;
    const open = event.kind === "notice" ? fieldsOf(event.details)["knot"] : undefined;
    if (Array.isArray(open)) told.add(JSON.stringify(open));
  };
  const tell = async (knot: Knot, atMs: number): Promise<void> => {
    if (told.has(keyOf(knot))) return;
    await control
      .alone(async ({ memory, outbox }) => {
        for await (const event of memory.read(read + 1)) hear(event);
        if (told.has(keyOf(knot))) return undefined;
        const content = `${describeKnot(knot)} A word of yours to one of them unties it.`;
        const letter = { from: CONTROL, to: [CONTROL], content, spontaneous: true } as const;
        const sends = compose(memory, letter, [], clock.now());
        const details = { knot: openIn(knot).toSorted(), at: new Date(atMs).toISOString() };
        const notice: NoticeEvent = { kind: "notice", reason: "announced", content, sends, details };
        for (const event of await memory.commit(notice)) if (sendsOf(event).length > 0) hear(event);
        return outbox;
      })
      .then((outbox) => outbox?.deliver());
  };
  return async (knots: readonly Knot[], atMs: number): Promise<void> => {
    for (const knot of knots) await tell(knot, atMs);
  };
}
