import fc from "fast-check";
import { expect, it } from "vitest";
import type { NewEvent } from "../../src/domain/event/event.ts";
import { CONTROL, isUrgent, laneOf, type Message } from "../../src/domain/message/message.ts";
import type { Mail } from "../../src/mail/bus.ts";
import { planIntake } from "../../src/mail/intake.ts";
import { BYTES_PER_TOKEN, firstFitting, HEADER_BYTES } from "../../src/mail/mailbox.ts";
import {
  converse,
  createConversation,
  hasWork,
  mayDecide,
  nextFollowUp,
} from "../../src/past/conversation.ts";
import { createHeldMail, foldHeld } from "../../src/past/mail/held.ts";
import { decision, result } from "../domain/event/event-lines.ts";
import { letter } from "./letter.ts";

const ROOM = 100;

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      delivery: fc.constantFrom("normal", "normal", "normal", "follow-up", "follow-up", "steer", "abort"),
      length: fc.constantFrom(0, 40, 100, 300, 900),
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom("acts", "rests") },
);

/** An agent that is spoken to, and takes its mail in as the actor does. */
function createReader() {
  const conversation = createConversation();
  const held = createHeldMail();
  let mailbox: Mail[] = [];
  let [last, seq] = [0, 0];
  /** What was shown, a turn at a time. */
  const shown: Message[][] = [];
  const withdrawn: string[] = [];
  /** Since the newest decision, it was shown something to decide on, or that one left something to do. */
  let isDue = false;
  const commit = (...events: readonly NewEvent[]): readonly Message[] =>
    events.flatMap((event) => {
      const stamped = { ...event, seq: ++seq, epoch: 1, at: "" };
      if (event.kind === "notice") withdrawn.push((event.details as { message: Message }).message.id);
      converse(conversation, stamped);
      return foldHeld(held, stamped).map(({ message }) => message);
    });
  const takeIn = (): void => {
    const { events, mail } = planIntake(conversation, (most) => firstFitting(mailbox, most), ROOM);
    const taken = commit(...events);
    mailbox = mailbox.slice(mail.length);
    const followUp = mailbox.length === 0 ? nextFollowUp(conversation) : undefined;
    const more = followUp === undefined ? [] : commit({ kind: "released", messages: [followUp] });
    shown.push([...taken, ...more]);
    if (shown.at(-1)!.some((one) => laneOf(one) === "abort")) isDue = false;
    isDue ||= shown.at(-1)!.some((one) => laneOf(one) !== "abort");
  };
  return {
    shown,
    withdrawn,
    isBusy: () => hasWork(conversation, mailbox.length),
    said: () => last,
    hear(delivery: NonNullable<Parameters<typeof letter>[2]>["delivery"], length: number): void {
      const content = "x".repeat(length);
      mailbox.push({ position: ++last, ...letter("a", last, { from: CONTROL, delivery, content }) });
    },
    turn(outcome: "acts" | "rests"): void {
      if (!hasWork(conversation, mailbox.length)) return;
      if (!mayDecide(conversation) || !conversation.mail) takeIn();
      if (!mayDecide(conversation)) return;
      expect(isDue).toBe(true);
      isDue = outcome === "acts";
      commit(decision("", "c"), result("c", isDue ? "ok" : "idle"));
    },
  };
}

const sizeOf = ({ content }: Message): number => HEADER_BYTES + content.length;

it("whatever is said in whatever lanes is shown once or withdrawn, in order, no more at once than has room, and then decided on (A2, A5)", () => {
  let [most, released] = [0, 0];
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: "max" }), (steps) => {
      const reader = createReader();
      for (const each of steps)
        if (typeof each === "string") reader.turn(each as "acts" | "rests");
        else reader.hear(each.delivery as "normal", each.length);
      reader.hear("normal", 0);
      for (let turns = 0; reader.isBusy(); turns++) {
        expect(turns).toBeLessThan(3 * reader.said());
        reader.turn("rests");
      }
      const all = reader.shown.flat();
      const ids = [...all.map(({ id }) => id), ...reader.withdrawn];
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toHaveLength(reader.said());
      for (const lane of ["normal", "follow-up"] as const) {
        const numbers = all.filter((one) => laneOf(one) === lane).map(({ id }) => Number(id.split("#")[1]));
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      }
      for (const turn of reader.shown) {
        const followUps = turn.filter((one) => laneOf(one) === "follow-up");
        if (followUps.length > 0) expect(turn).toHaveLength(1);
        const size = turn.reduce((sum, one) => sum + sizeOf(one), 0);
        if (turn.length > 1 && !turn.every(isUrgent))
          expect(size).toBeLessThanOrEqual(Math.max(ROOM * BYTES_PER_TOKEN, urgentSize(turn)));
        most = Math.max(most, turn.length);
        released += followUps.length;
      }
    }),
    { numRuns: 500 },
  );
  expect(Math.min(most, released)).toBeGreaterThan(2);
});

/** What is shown in any case takes its room. */
function urgentSize(turn: readonly Message[]): number {
  return turn.filter(isUrgent).reduce((sum, one) => sum + sizeOf(one), 0);
}
