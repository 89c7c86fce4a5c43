import { describe, expect, it } from "vitest";
import type { Event, NewEvent } from "../../../src/domain/event/event.ts";
import { CONTROL } from "../../../src/domain/message/message.ts";
import { converse, createConversation, mayDecide, nextFollowUp } from "../../../src/past/conversation.ts";
import { undeliverable } from "../../../src/past/mail/dead-letters.ts";
import { countHeld, createHeldCount } from "../../../src/past/mail/held.ts";
import { letter, type Words } from "../../mail/letter.ts";

const log = (...events: readonly NewEvent[]): readonly Event[] =>
  events.map((event, index) => ({ ...event, seq: index + 1, epoch: 1, at: "2026-01-01T00:00:00.000Z" }));
const mail = (n: number, words: Words = {}, held?: true): NewEvent => {
  const { from, message } = letter("a", n, { from: CONTROL, ...words });
  return { kind: "message", message, mail: n, from, held };
};
const followUp = (n: number): NewEvent => mail(n, { delivery: "follow-up" }, true);
const overflow = (n: number): NewEvent => mail(n, { from: "x" }, true);
const released = (...messages: readonly number[]): NewEvent => ({ kind: "released", messages });
const withdrawn = (n: number): NewEvent =>
  undeliverable(letter("a", n, { from: CONTROL, delivery: "follow-up" }).message, "Not now.");
const decision: NewEvent = {
  kind: "decision",
  text: "",
  calls: [],
  protocol: "tools",
  model: "m",
  usage: { input: 1, output: 1 },
  stop: "end",
};
const branch = (to: number, origin?: string): NewEvent => ({ kind: "branch", to, origin });
const halted: NewEvent = { kind: "notice", reason: "parked-mail", content: "" };

describe("held mail", () => {
  it.each<[string, readonly NewEvent[], { decides: boolean; next?: number }]>([
    ["a follow-up came to an agent at rest", [followUp(1)], { decides: false, next: 1 }],
    ["two did: the oldest is next", [followUp(1), followUp(2)], { decides: false, next: 1 }],
    ["it was released", [followUp(1), released(1)], { decides: true }],
    ["it was released and answered", [followUp(1), released(1), decision], { decides: false }],
    [
      "one of two was answered",
      [followUp(1), followUp(2), released(1), decision],
      { decides: false, next: 2 },
    ],
    ["other mail waits for a decision", [followUp(1), mail(2)], { decides: true }],
    ["that was answered", [followUp(1), mail(2), decision], { decides: false, next: 1 }],
    ["an abort came since", [decision, followUp(1), mail(2, { delivery: "abort" })], { decides: false }],
    [
      "it decided after an abort",
      [followUp(1), mail(2, { delivery: "abort" }), decision],
      { decides: false, next: 1 },
    ],
    ["it was withdrawn", [followUp(1), withdrawn(1)], { decides: false }],
    ["it is parked", [followUp(1), halted], { decides: false }],
    ["too much mail came at once, and was not shown yet", [overflow(1)], { decides: false }],
    ["that comes before follow-ups", [followUp(1), overflow(2)], { decides: false }],
    ["that was shown", [followUp(1), overflow(2), released(2)], { decides: true }],
    ["its past is a copy", [followUp(1), overflow(1), branch(2, "b")], { decides: false }],
  ])("where %s (A5)", (_, events, { decides, next }) => {
    const conversation = createConversation();
    for (const event of log(...events)) converse(conversation, event);
    expect(mayDecide(conversation)).toBe(decides);
    expect(nextFollowUp(conversation)).toBe(next);
  });

  it.each<[string, readonly NewEvent[], readonly number[]]>([
    ["nothing was held", [mail(1)], []],
    ["some was, and some of it was released", [followUp(1), overflow(1), followUp(2), released(2)], [1, 3]],
    ["all was withdrawn", [followUp(1), followUp(2), withdrawn(1), withdrawn(2)], []],
    ["it goes on before a release", [followUp(1), released(1), decision, branch(1)], [1]],
    ["it goes on before it came", [decision, followUp(1), branch(1)], []],
    ["it goes on in what it left before", [followUp(1), released(1), branch(1), branch(2)], []],
    ["it was released anew on a branch", [followUp(1), released(1), branch(1), released(1)], []],
    ["its past is a copy", [followUp(1), overflow(1), branch(2, "b"), followUp(1)], [4]],
  ])("is counted over a whole log: %s", (_, events, held) => {
    const count = createHeldCount();
    for (const event of log(...events)) countHeld(count, event);
    expect([...count.now.keys()]).toEqual(held);
  });

  it("is withdrawn one by one, however much it is", () => {
    const held = Array.from({ length: 40_000 }, (_, n) => followUp(n + 1));
    const [conversation, counted] = [createConversation(), createHeldCount()];
    // Looking through all of it for each would take minutes.
    for (const event of log(...held, ...held.map((_, n) => withdrawn(n + 1)))) {
      converse(conversation, event);
      countHeld(counted, event);
    }
    expect([conversation.held.followUps.size, counted.now.size]).toEqual([0, 0]);
  });
});
