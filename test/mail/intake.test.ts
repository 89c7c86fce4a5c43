import { describe, expect, it } from "vitest";
import type { Event, NewEvent } from "../../src/domain/event/event.ts";
import { CONTROL } from "../../src/domain/message/message.ts";
import type { Mail } from "../../src/mail/bus.ts";
import { planIntake } from "../../src/mail/intake.ts";
import { firstFitting } from "../../src/mail/mailbox.ts";
import { converse, createConversation, type Conversation } from "../../src/past/conversation.ts";
import { letter, type Words } from "./letter.ts";

/** Of 360 bytes, so that three of them have room in the window's quarter. */
const TEXT = "x".repeat(320);
const ROOM = 300;

const person = (delivery: Words["delivery"]): Words => ({ from: CONTROL, delivery });
const words = (...mail: readonly Words[]): readonly Mail[] =>
  mail.map((one, index) => ({ position: index + 1, ...letter("a", index + 1, { content: TEXT, ...one }) }));

function after(...events: readonly NewEvent[]): Conversation {
  const conversation = createConversation();
  for (const [index, event] of events.entries())
    converse(conversation, { ...event, seq: index + 1, epoch: 1, at: "" } as Event);
  return conversation;
}
const held = (n: number, more: Words): NewEvent => {
  const { from, message } = letter("a", n, { content: TEXT, ...more });
  return { kind: "message", message, mail: n, from, held: true };
};

function plan(conversation: Conversation, mail: readonly Mail[]): readonly string[] {
  const { events } = planIntake(conversation, (most) => firstFitting(mail, most), ROOM);
  return events.map((event) => {
    if (event.kind === "released") return `released ${event.messages.join()}`;
    if (event.kind === "notice") return "withdrawn";
    return event.kind === "message" && event.held ? "held" : "shown";
  });
}

const followUp = person("follow-up");
const steer = person("steer");
const abort = person("abort");

describe("what is taken in at once (A2)", () => {
  it.each<[string, readonly NewEvent[], readonly Words[], readonly string[]]>([
    ["nothing", [], [], []],
    ["what fits, and the rest waits", [], [{}, {}, {}, {}], ["shown", "shown", "shown"]],
    ["one message at least", [], [{ content: TEXT.repeat(9) }, {}], ["shown"]],
    [
      "follow-ups, held, take no room",
      [],
      [followUp, {}, followUp, {}, {}, {}],
      ["held", "shown", "held", "shown", "shown"],
    ],
    [
      "all before an abort that fits beside it, and the rest held",
      [],
      [{}, {}, {}, {}, {}, abort, {}],
      [...["shown", "shown", "held", "held", "held", "shown"]],
    ],
    [
      "a steer first of all, in its place",
      [],
      [{}, {}, {}, {}, steer],
      ["shown", "shown", "held", "held", "shown"],
    ],
    [
      "a steer that is larger than all room",
      [],
      [{}, { ...steer, content: TEXT.repeat(9) }],
      ["held", "shown"],
    ],
    [
      "two steers: the last one, and what fits",
      [],
      [steer, {}, {}, steer],
      ["shown", "shown", "held", "shown"],
    ],
    [
      "nothing beside a long steer, and what else is shown in any case",
      [],
      [abort, {}, { ...steer, content: TEXT.repeat(9) }],
      ["shown", "held", "shown"],
    ],
    ["overflow, and nothing else", [held(1, {}), held(2, {})], [{}], ["released 1,2"]],
    [
      "as much overflow as fits",
      [held(1, {}), held(2, {}), held(3, {}), held(4, {})],
      [{}],
      ["released 1,2,3"],
    ],
    [
      "overflow in front of what an abort brings",
      [held(1, {})],
      [{}, {}, abort, {}],
      [...["released 1", "shown", "held", "shown"]],
    ],
    [
      "a follow-up that was held before a steer, withdrawn",
      [held(1, followUp)],
      [{}, steer, followUp],
      [...["shown", "withdrawn", "shown", "held"]],
    ],
    [
      "what an agent calls a steer, in its turn",
      [held(1, followUp)],
      [{}, {}, {}, { delivery: "steer" }],
      [...["shown", "shown", "shown"]],
    ],
    ["what an agent calls a follow-up, as it comes", [], [{ delivery: "follow-up" }], ["shown"]],
  ])("is %s", (_, past, mail, taken) => {
    expect(plan(after(...past), words(...mail))).toEqual(taken);
  });
});
