// What every search of a memory has to do, whatever finds.

import { describe, expect, it } from "vitest";
import type { MemoryQuery } from "../../../src/domain/authoring/memories.ts";

import { finding, type CreateSearch } from "./finding.ts";
import { memoryOf } from "./memory-of.ts";

export function describeSearch(name: string, create: CreateSearch): void {
  const { open, find, findIn } = finding(create);

  describe(`search ${name}`, () => {
    it("finds nothing where nothing is, and nothing for what nobody said", async () => {
      const memory = memoryOf();
      expect(await findIn(memory, "milk")).toEqual([]);
      memory.begin(undefined);
      expect(await findIn(memory, "milk")).toEqual([]);
      memory.begin("another-log");
      memory.say("bread");
      expect(await findIn(memory, "milk")).toEqual([]);
    });

    it("finds what was said, what it was summed up as, and contexts", async () => {
      const memory = memoryOf("buy milk");
      memory.say("two litres, please", { summary: "how much milk is wanted" });
      memory.write("# Preferences\nMilk is bought on Mondays.");
      memory.say("bread");
      expect((await findIn(memory, "milk")).sort((a, b) => a - b)).toEqual([2, 3, 4]);
    });

    it("ranks what holds more of the rare words higher, and finds with a question", async () => {
      const memory = memoryOf(
        ...Array.from({ length: 60 }, (_, day) => `the weather of day ${day} was fine`),
      );
      const both = memory.say("the ferry to Bergen was late, and so was the weather");
      const one = memory.say("the weather on the ferry");
      const found = await findIn(memory, "What was it about the weather and the ferry to Bergen?", {
        limit: 3,
      });
      expect(found.slice(0, 2)).toEqual([both, one]);
      expect(found).toHaveLength(3);
    });

    it("has the newest of equals first, and no more than are wanted", async () => {
      const search = await open(memoryOf("same words", "same words", "same words", "other"));
      expect(await find(search, "words")).toEqual([4, 3, 2]);
      expect(await find(search, "words", { limit: 2 })).toEqual([4, 3]);
      const [best, next] = await search.search({ text: "words", limit: 2 });
      expect(best!.score).toBeGreaterThanOrEqual(next!.score);
    });

    it.each([
      ["Crème Brûlée", "creme brulee"],
      ["the cafe", "CAFÉ"],
      ["Straße nach Łódź", "strasse lodz"],
      ["Ελληνικά λόγος", "ελληνικα ΛΟΓΟΣ"],
      ["ёлка стоит", "Елка"],
      ["ﬁne ﬁgures", "fine"],
      ["e\u0301te\u0301", "\u00e9t\u00e9"],
      ["مُحَمَّد", "محمد"],
      ["हिन्दी भाषा", "हिन्दी"],
      ["ticket ABC-1234", "abc-1234"],
    ])("finds %j by %j", async (said, asked) => {
      expect(await findIn(memoryOf(said, "something else"), asked)).toEqual([2]);
    });

    it.each([
      [
        "東京都に住んでいます",
        ["東京", "京都に", "住", "すん", "んでいます"],
        [true, true, true, false, true],
      ],
      ["机器学习很有意思", ["学习", "意思", "思", "天气"], [true, true, true, false]],
      ["ฉันชอบกินข้าวผัด", ["ข้าว", "ชอบกิน", "ปลา"], [true, true, false]],
      ["서울에서 만났다", ["서울", "만났", "부산"], [true, true, false]],
      ["ビタミンCとカルシウム", ["カルシウム", "C", "ビタ"], [true, true, true]],
    ])("finds parts of %j, which has no spaces", async (said, parts, found) => {
      const search = await open(memoryOf(said, "nothing of it"));
      const all = [];
      for (const part of parts) all.push((await find(search, part)).includes(2));
      expect(all).toEqual(found);
    });

    it("keeps to who said it, in which role, when and with which tags", async () => {
      const memory = memoryOf();
      const early = memory.say("tea", { role: "user", speaker: "0", said: "2026-01-01T10:00:00.000Z" });
      const tagged = memory.say("tea", { speaker: "2", tags: { project: "x", place: "home" } });
      const answer = memory.say("tea", { role: "assistant", speaker: "2", tags: { project: "x" } });
      const late = memory.say("tea", { role: "user", speaker: "20", said: "2026-12-31T10:00:00+02:00" });
      const shard = memory.write("tea");
      const search = await open(memory);
      const all = async (query: Partial<MemoryQuery>) =>
        (await find(search, "tea", query)).sort((a, b) => a - b);
      expect(await all({})).toEqual([early, tagged, answer, late, shard]);
      expect(await all({ role: "assistant" })).toEqual([answer]);
      expect(await all({ speaker: "2" })).toEqual([tagged, answer]);
      expect(await all({ tags: { project: "x" } })).toEqual([tagged, answer]);
      expect(await all({ tags: { place: "home", project: "x" } })).toEqual([tagged]);
      expect(await all({ tags: { project: "" } })).toEqual([]);
      expect(await all({ tags: {} })).toEqual([early, tagged, answer, late, shard]);
      expect(await all({ until: "2026-01-01T10:00:00Z" })).toEqual([early]);
      expect(await all({ since: "2026-12-31T08:00:00.000Z" })).toEqual([late]);
      expect(await all({ since: "2026-02-01", until: "2026-04-01" })).toEqual([tagged, answer, shard]);
      expect(await all({ role: "user", since: "2026-02-01" })).toEqual([tagged, late]);
    });

    it("refuses a time that is none", async () => {
      const search = await open(memoryOf("tea"));
      await expect(search.search({ text: "tea", limit: 1, since: "yesterday" })).rejects.toMatchObject({
        code: "USAGE",
        message: expect.stringContaining('"yesterday" is no time') as string,
      });
    });

    it("finds at each search what the log says by then, and reads no more than that", async () => {
      const memory = memoryOf("first tea");
      const search = await open(memory);
      expect(await find(search, "tea")).toEqual([2]);
      memory.say("second tea, with more words");
      memory.say("no such thing");
      expect(await find(search, "tea")).toEqual([2, 3]);
      expect(await find(search, "thing")).toEqual([4]);
      expect(memory.reads.at(0)).toBe(1);
      expect(memory.reads.slice(1).every((from) => from >= 2)).toBe(true);
    });

    it("finds nothing that is forgotten, also where entry and end are read at once", async () => {
      const memory = memoryOf("tea one", "tea two", "tea three");
      memory.forget(3);
      const search = await open(memory);
      expect(await find(search, "tea")).toEqual([4, 2]);
      memory.forget(2);
      expect(await find(search, "tea")).toEqual([4]);
      const fifth = memory.say("tea five");
      memory.forget(fifth, 999, 1);
      memory.forget(4);
      expect(await find(search, "tea")).toEqual([]);
      expect(await find(search, "tea", { role: "user" })).toEqual([]);
    });

    it("forgets what lies many events back", async () => {
      const memory = memoryOf(...Array.from({ length: 1_000 }, (_, at) => `tea ${at}`));
      memory.forget(2, 500, 1_001);
      for (let at = 0; at < 600; at++) memory.say("milk");
      memory.forget(3);
      const search = await open(memory);
      expect(await find(search, "0 498 999 1")).toEqual([]);
      expect(await find(search, "2 497")).toEqual([499, 4]);
      expect(await find(search, "milk", { limit: 1_000 })).toHaveLength(600);
    });

    it("follows another log that is in its place, and one that lost its end", async () => {
      const memory = memoryOf("tea", "tea", "milk");
      const search = await open(memory);
      expect(await find(search, "milk")).toEqual([4]);
      memory.lose(1);
      expect(await find(search, "milk tea")).toEqual([3, 2]);
      memory.lose(2);
      memory.say("bread");
      memory.say("bread");
      expect(await find(search, "milk tea bread")).toEqual([3, 2]);
      expect(await find(search, "tea")).toEqual([]);
      memory.begin("b-log");
      memory.say("water");
      expect(await find(search, "bread")).toEqual([]);
      expect(await find(search, "water")).toEqual([2]);
      memory.begin(undefined);
      expect(await find(search, "water")).toEqual([]);
    });

    it("answers many at once, each its own", async () => {
      const search = await open(memoryOf("red tea", "green tea", "blue tea"));
      const colours = ["red", "green", "blue", "red", "black"];
      expect(await Promise.all(colours.map((colour) => find(search, colour)))).toEqual([
        [2],
        [3],
        [4],
        [2],
        [],
      ]);
    });

    it("rejects with what the memory rejects with, and goes on where it was", async () => {
      const memory = memoryOf("tea", "milk");
      let isBroken = true;
      const search = await open({
        log: memory.log,
        async *events(from) {
          for await (const event of memory.events(from)) {
            if (isBroken && event.seq === 3) throw new Error("out of reach");
            yield event;
          }
        },
      });
      await expect(find(search, "tea")).rejects.toThrow("out of reach");
      isBroken = false;
      expect(await find(search, "tea milk")).toEqual([3, 2]);
    });

    it("answers nobody once it is closed, and keeps nobody waiting who closes it", async () => {
      const memory = memoryOf("tea");
      const never = new Promise<never>(() => {});
      let reading: (() => void) | undefined;
      const isReading = new Promise<void>((resolve) => (reading = resolve));
      const search = await open({
        log: memory.log,
        async *events(from) {
          yield* memory.events(from);
          reading?.();
          await never;
        },
      });
      const asked = find(search, "tea");
      const refused = expect(asked).rejects.toMatchObject({ code: "REFUSED" });
      await isReading;
      await search.close();
      await refused;
      await expect(find(search, "tea")).rejects.toMatchObject({ code: "REFUSED" });
      await search.close();
    });
  });
}
