// Control is told of a knot.
//
//   W9. Of each set of open messages once, whichever process found it and however often it started since: log 0 says so itself.

import type { Clock } from "../../base/clock.ts";
import { fieldsOf } from "../../base/text/json.ts";
import { sendsOf, type Event } from "../../domain/event/event.ts";
import type { NoticeEvent } from "../../domain/event/notice.ts";
import { describeKnot, UNTIED, type Knot } from "../../domain/message/knot.ts";
import { CONTROL } from "../../domain/message/message.ts";
import { compose } from "../../mail/compose.ts";
import type { Control } from "../../mail/control.ts";
import { keyOf } from "./knots.ts";

export interface KnotTelling {
  /** Is it known here that Control was told of it? */
  isTold(knot: Knot): boolean;
  /** Tells of it, unless Control was told. Rejects as whatever writes log 0. @param atMs when it stood, in milliseconds since 1970 */
  tell(knot: Knot, atMs: number): Promise<void>;
}

export function createTelling(control: Pick<Control, "alone">, clock: Pick<Clock, "now">): KnotTelling {
  const told = new Set<string>();
  let read = 0;
  const hear = (event: Event): void => {
    read = event.seq;
    const open = event.kind === "notice" ? fieldsOf(event.details)["knot"] : undefined;
    if (Array.isArray(open)) told.add(JSON.stringify(open));
  };
  const isTold = (knot: Knot): boolean => told.has(keyOf(knot));
  return {
    isTold,
    async tell(knot, atMs) {
      if (isTold(knot)) return;
      const telling = control.alone(async ({ memory, outbox }) => {
        for await (const event of memory.read(read + 1)) hear(event);
        if (isTold(knot)) return undefined;
        const content = `${describeKnot(knot)} ${UNTIED}`;
        const letter = { from: CONTROL, to: [CONTROL], content, spontaneous: true } as const;
        const sends = compose(memory, letter, [], clock.now());
        const details = { knot: knot.open.toSorted(), at: new Date(atMs).toISOString() };
        const notice: NoticeEvent = { kind: "notice", reason: "announced", content, sends, details };
        for (const event of await memory.commit(notice)) if (sendsOf(event).length > 0) hear(event);
        return outbox;
      });
      await (await telling)?.deliver();
    },
  };
}
