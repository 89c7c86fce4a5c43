import { describe, expect, it } from "vitest";
import {
  deadLetterId,
  deadLettersIn,
  parseDeadLetterId,
  undeliverable,
  unsettled,
} from "../../../src/past/mail/dead-letters.ts";
import type { Event, NewEvent } from "../../../src/domain/event/event.ts";
import type { Draft, Message } from "../../../src/domain/message/message.ts";

const DRAFT: Draft = {
  type: "agentToAgent",
  source: { type: "agent", id: "2" },
  targetAgentIds: ["3", "4"],
  content: "hello",
  sentAt: "2026-01-01T00:00:00.000Z",
  delivery: "normal",
  hops: 33,
};
const MESSAGE: Message = { ...DRAFT, id: "2>3#5", root: "0>2#1" };
const WHY = "There is no agent 3 any more.";

/** Events with the numbers 1, 2, 3... */
function log(...events: readonly NewEvent[]): Event[] {
  return events.map((event, index) => ({ seq: index + 1, epoch: 1, at: `2026-01-0${index + 1}`, ...event }));
}

async function* each(events: readonly Event[]): AsyncGenerator<Event> {
  yield* events;
}

const lettersIn = (...events: readonly NewEvent[]) => deadLettersIn("2", each(log(...events)));
const resent = (details?: unknown): NewEvent => ({
  kind: "notice",
  reason: "resent",
  content: "hello",
  details,
});

describe("the dead letters of a log", () => {
  it("are named after the event that keeps them, oldest first", async () => {
    expect(await lettersIn(undeliverable(DRAFT, "Too long."), undeliverable(MESSAGE, WHY, 7))).toEqual([
      { id: "2@1", since: "2026-01-01", message: DRAFT, to: ["3", "4"], why: "Too long.", isResent: false },
      { id: "2@2", since: "2026-01-02", message: MESSAGE, to: ["3"], why: WHY, isResent: false },
    ]);
  });

  it("are still there when they were sent again, and marked", async () => {
    const letters = await lettersIn(
      undeliverable(DRAFT, "Too long."),
      undeliverable(DRAFT, "Too long."),
      resent({ dead: "2@1" }),
    );
    expect(letters.map(({ id, isResent }) => [id, isResent])).toEqual([
      ["2@1", true],
      ["2@2", false],
    ]);
  });

  it("are not those of the agent whose past was copied", async () => {
    const letters = await lettersIn(
      undeliverable(DRAFT, "The other's."),
      { kind: "branch", to: 1, origin: "9" },
      undeliverable(DRAFT, "Its own."),
      { kind: "branch", to: 1 },
    );
    expect(letters.map(({ why }) => why)).toEqual(["Its own."]);
  });

  it("are not made of events that keep no message", async () => {
    const broken = [
      null,
      {},
      { ...DRAFT, content: 7 },
      { ...DRAFT, targetAgentIds: "3" },
      { ...MESSAGE, id: "5" },
    ];
    const empty = [
      ...[undefined, null, "text", {}, { dead: 7 }, { dead: "__proto__" }, { message: DRAFT }],
      ...broken.map((message) => ({ message, why: WHY })),
    ];
    const kept = empty.map((details): NewEvent => ({
      kind: "notice",
      reason: "undeliverable",
      content: "",
      details,
    }));
    expect(await lettersIn(...kept, ...empty.map(resent))).toEqual([]);
  });

  it("say in a sentence what became of the message", () => {
    expect(undeliverable(MESSAGE, WHY, 7).content).toBe(`Message 2>3#5 could not be delivered. ${WHY}`);
    expect(undeliverable(DRAFT, "Too long.").content).toBe("A message was not sent. Too long.");
  });
});

describe("the name of a dead letter", () => {
  it("is read as it is written", () => {
    expect(parseDeadLetterId(deadLetterId({ agent: "writer.1", seq: 57 }))).toEqual({
      agent: "writer.1",
      seq: 57,
    });
    expect(parseDeadLetterId("0@1")).toEqual({ agent: "0", seq: 1 });
  });

  it.each([
    "",
    "@",
    "2@",
    "@5",
    "2@0",
    "2@05",
    "2@1e3",
    "2@-1",
    "2@5@6",
    "../2@5",
    "all@5",
    "2>3#5",
    "2@99999999999999999",
  ])("is never %j", (name) => expect(parseDeadLetterId(name)).toBeUndefined());
});

describe("what is on its way", () => {
  const sends = [3, 7].map((seq) => ({ message: MESSAGE, seq }));

  it("is neither what was delivered nor what is dead, of the same number only that of the same event", () => {
    const [sent, dead] = log({ kind: "sent", upTo: 3 }, undeliverable(MESSAGE, WHY, 3));
    expect(unsettled(sends, sent!)).toEqual([sends[1]]);
    expect(unsettled(sends, dead!)).toEqual([sends[1]]);
  });

  it("stays the same list where an event says nothing of it", () => {
    for (const event of log(undeliverable(DRAFT, WHY), resent({ dead: "2@1" }), { kind: "sent", upTo: 0 }))
      expect(unsettled(sends, event)).toEqual(sends);
    expect(unsettled(sends, log(undeliverable(DRAFT, WHY))[0]!)).toBe(sends);
  });
});
