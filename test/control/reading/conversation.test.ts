import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { READINGS } from "../../../src/control/api/readings.ts";
import { sendsOf, type NewEvent } from "../../../src/domain/event/event.ts";
import { readConversation } from "../../../src/control/reading/conversation.ts";
import { undeliverable } from "../../../src/past/mail/dead-letters.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { NOOP } from "../../workshop.ts";
import { createWorld } from "../../world.ts";
import { anyTalk, readerOf, said, takes, talked } from "./talk.ts";

const tell = (targetAgentId: string, message: string) => ({
  calls: [{ action: "sendMessage", parameters: { targetAgentId, message } }],
});

describe("who talks to whom", () => {
  it("is told with the person, those that say most first, and the newest messages with what became of each", async () => {
    const hostile = "<script>alert(1)</script>\n\u202eevil";
    const world = await createWorld({
      "1": { script: [tell("2", hostile), tell("2", "Again"), NOOP, NOOP, NOOP] },
      "2": { script: [tell("0", "Heard"), NOOP, NOOP, NOOP] },
    });
    const [first] = await world.say("1", "Tell the other one");
    await world.idle();
    const told = await readConversation(createFileReader(world.project));
    const { pairs, messages, since, otherPairs, unread } = told;
    expect(READINGS.conversation.answer.parse(told)).toEqual(told);
    expect(pairs.map(({ from, to, sent, taken }) => [from, to, sent, taken])).toEqual([
      ["1", "2", 2, 2],
      ["2", "0", 1, expect.any(Number)],
      ["0", "1", 1, 1],
    ]);
    expect(messages.map(({ id }) => id).toSorted()).toEqual(["0>1#1", "1>2#1", "1>2#2", "2>0#1"]);
    expect(new Set(messages.map(({ root }) => root))).toEqual(new Set([first]));
    expect(messages.at(-1)).toMatchObject({
      id: first,
      state: "taken",
      opening: "Tell the other one",
      why: null,
    });
    const said = messages.find(({ id }) => id === "1>2#1")!;
    expect(said).toMatchObject({ opening: "<script>alert(1)</script> \u202eevil", chars: hostile.length });
    const events = await world.events(said.event.agent);
    expect(events[said.event.seq - 1]).toMatchObject({ sends: [{ id: said.id, content: hostile }] });
    expect([since, otherPairs, unread]).toEqual([null, 0, []]);
  });

  it("says of each message what became of it", async () => {
    const [one, two, three, four, five, six] = [1, 2, 3, 4, 5, 6].map((n) => said("0", "1", n)) as [
      NewEvent,
      NewEvent,
      NewEvent,
      NewEvent,
      NewEvent,
      NewEvent,
    ];
    const gone = said("0", "2", 9);
    const [held] = sendsOf(three);
    const reader = readerOf({
      "0": [
        one,
        two,
        three,
        four,
        five,
        { kind: "sent", upTo: 6 },
        six,
        gone,
        undeliverable(sendsOf(gone)[0]!, "No.", 9),
      ],
      "1": [
        takes(one),
        takes(two, true),
        takes(three, true),
        takes(four),
        undeliverable(held!, "Withdrawn."),
      ],
    });
    const { messages } = await readConversation(reader);
    expect(messages.map(({ id, state, why }) => [id, state, why]).reverse()).toEqual([
      ["0>1#1", "taken", null],
      ["0>1#2", "held", null],
      ["0>1#3", "undelivered", "Withdrawn."],
      ["0>1#4", "taken", null],
      ["0>1#5", "delivered", null],
      ["0>1#6", "sent", null],
      ["0>2#9", "undelivered", "No."],
    ]);
  });

  it("names the moment from which on none is missing, where of a log not all is kept", async () => {
    const many = Array.from({ length: 140 }, (_, n) => said("1", "2", n + 1));
    const { messages, since, pairs } = await readConversation(readerOf({ "1": many, "2": [] }));
    expect(messages).toHaveLength(100);
    expect(since).toBe(messages.at(-1)!.at);
    expect(pairs).toMatchObject([{ from: "1", to: "2", sent: 140, taken: 0 }]);
  });

  it("is told of one agent alone, from the logs that had to do with it; of nobody that is known it is none", async () => {
    const many = Array.from({ length: 140 }, (_, n) => said("1", "2", n + 1));
    const few = [said("3", "2", 1), said("3", "0", 2)];
    const reader = readerOf({ "1": many, "2": [], "3": few });
    const { messages, since, pairs } = await readConversation(reader, "3");
    expect(messages.map(({ id }) => id)).toEqual(["3>0#2", "3>2#1"]);
    expect([since, pairs.length]).toEqual([null, 3]);
    expect((await readConversation(reader, "2")).messages).toHaveLength(101);
    await expect(readConversation(reader, "9")).rejects.toThrow("there is no agent `9`; known: 0, 1, 2, 3");
  });

  it("counts what logs say, whatever they say", () =>
    fc.assert(
      fc.asyncProperty(anyTalk, async (talk) => {
        const logs = talked(talk);
        const { pairs, messages } = await readConversation(readerOf(logs));
        for (const { from, to, sent, taken } of pairs) {
          const those = talk.filter((one) => one.from === from && one.to === to);
          expect([sent, taken]).toEqual([those.length, those.filter(({ isTaken }) => isTaken).length]);
        }
        expect(pairs.reduce((sum, { sent }) => sum + sent, 0)).toBe(talk.length);
        expect(messages).toHaveLength(talk.length);
        expect(messages.filter(({ state }) => state === "taken")).toHaveLength(
          talk.filter(({ isTaken }) => isTaken).length,
        );
      }),
      { numRuns: 100 },
    ));
});
