// What every place promises of a message that is entered again, by whomever.

import { describe, expect, it } from "vitest";
import { heardMark } from "../../../../src/past/memory/heard.ts";
import { context, entry, eventsOf, ID, kinds, NOTE, type MemoriesPlace } from "./memory-letters.ts";

export function describeHeard(name: string, create: () => Promise<MemoriesPlace>): void {
  describe(`messages in memories in ${name}`, () => {
    it("keeps a message once, whoever enters it and under whatever number, also in one breath (M5)", async () => {
      const place = await create();
      let memories = await place.open();
      const of = (message: string, log = "log of 1") => ({ note: { of: { log, message } } });
      const once: readonly (readonly [content: string, ReturnType<typeof of>])[] = [
        ["first", of("0>1#31")],
        ["its neighbour", of("0>1#32")],
        ["what stands before both", of("0>1#2")],
        ["the same number of another pair", of("1>0#31")],
        ["and of another log", of("0>1#31", "log of 2")],
        ["without a number", of("chapter 3")],
        ["the highest number", of(`0>1#${Number.MAX_SAFE_INTEGER}`)],
      ];
      for (const [index, [content, words]] of once.entries())
        await memories.receive(ID, entry(index + 1, { content, ...words }));
      await memories.receive(ID, entry(once.length + 1, { content: "of no message" }));
      await memories.receive(ID, entry(once.length + 2, { content: "of no message" }));
      await memories.close();
      memories = await place.open();
      // A fork of its sender numbers anew what it sends again.
      const again = once.map(([, words], index) =>
        memories.receive(ID, entry(index + 1, { from: "fork", content: "again", ...words })),
      );
      expect(new Set((await Promise.all(again)).map(({ status }) => status))).toEqual(new Set(["accepted"]));
      const [twice, thrice] = [of("0>1#33"), of("0>1#33")];
      await Promise.all([
        memories.receive(ID, entry(again.length + 1, { from: "fork", content: "new", ...twice })),
        memories.receive(ID, entry(again.length + 2, { from: "fork", content: "new, again", ...thrice })),
      ]);
      const events = await eventsOf(memories);
      const told = events.flatMap((event) => (event.kind === "entry" ? [event.raw] : []));
      expect(told).toEqual([...once.map(([content]) => content), "of no message", "of no message", "new"]);
      expect(events.filter(({ kind }) => kind === "void")).toHaveLength(once.length + 1);
      expect(await memories.read(ID).standing()).toMatchObject({ entries: told.length });
      expect(await memories.receive(ID, entry(again.length + 2, { from: "fork" }))).toEqual({
        status: "duplicate",
      });
    });

    it("does not let a message come back that is forgotten, and keeps nothing of whose it was (M7)", async () => {
      const place = await create();
      let memories = await place.open();
      const of = { log: "canary-log", message: "canary>1#3" };
      await memories.receive(ID, entry(1, { note: { of } }));
      await memories.change(ID, async () => [{ kind: "forgotten", seqs: [2], entries: 1, by: "0" }]);
      await memories.close();
      expect(await place.bytes()).not.toContain("canary");
      memories = await place.open();
      await memories.receive(ID, entry(1, { from: "fork", content: "back", note: { of } }));
      expect(kinds(await eventsOf(memories))).toEqual(["opened", "entry", "forgotten", "void"]);
      expect(await memories.read(ID).standing()).toMatchObject({ entries: 0 });
    });

    it("takes no context that was made of what was forgotten before it came (M7)", async () => {
      const place = await create();
      let memories = await place.open();
      await memories.receive(ID, entry(1, { content: "the canary" }));
      await memories.receive(ID, context(2, { content: "of the canary", upTo: 2, asOf: 2 }));
      await memories.change(ID, async () => [{ kind: "forgotten", seqs: [2, 4], entries: 1, by: "0" }]);
      await memories.receive(ID, context(3, { content: "made of the canary", upTo: 2, asOf: 4 }));
      await memories.close();
      memories = await place.open();
      await memories.receive(ID, context(4, { content: "made of the canary, too", upTo: 2, asOf: 4 }));
      const { contexts, strays, last } = await memories.read(ID).standing();
      expect({ contexts, strays }).toEqual({ contexts: [], strays: 0 });
      await memories.receive(ID, context(5, { content: "made later", asOf: last }));
      const events = await eventsOf(memories);
      const told = ["opened", "entry", "kept", "context", "forgotten", "void", "void", "context"];
      expect(kinds(events)).toEqual(told);
      expect((await memories.read(ID).standing()).contexts).toEqual([last + 1]);
      await memories.close();
      expect(await place.bytes()).not.toContain("canary");
    });

    it("knows a message also that was added to it in another way than by its sender (M5)", async () => {
      const memories = await (await create()).open();
      const of = { log: "l", message: "0>1#1" };
      const told = { kind: "entry", mail: 0, from: "", by: "x", raw: "imported", ...NOTE } as const;
      const gone = { log: "l", message: "0>1#2" };
      await memories.change(ID, async () => [
        { ...told, of },
        { ...{ kind: "void", mail: 0, from: "", by: "x", reason: "forgotten" }, heard: heardMark(gone) },
      ]);
      await memories.receive(ID, entry(1, { note: { of } }));
      await memories.receive(ID, entry(2, { note: { of: gone } }));
      await memories.receive(ID, entry(3, { note: { of: { ...of, message: "0>1#3" } } }));
      const events = await eventsOf(memories);
      expect(kinds(events)).toEqual(["opened", "entry", "void", "void", "void", "entry"]);
    });
  });
}
