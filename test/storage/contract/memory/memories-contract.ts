// What every place promises of the long-term memories in it.

import { describe, expect, it } from "vitest";
import type { NewMemoryEvent } from "../../../../src/domain/memory/record.ts";
import { letter } from "../../../mail/letter.ts";
import { describePeer, type PeerStage } from "../../../mail/peer-contract.ts";
import { describeHeard } from "./heard-contract.ts";
import { ID, NOTE, entry, context, eventsOf, kinds, type MemoriesPlace } from "./memory-letters.ts";

export function describeMemories(name: string, create: () => Promise<MemoriesPlace>): void {
  const peer = async (): Promise<PeerStage> => {
    const place = await create();
    const stageOf = async (): Promise<PeerStage> => {
      const memories = await place.open();
      return {
        id: ID,
        send: (delivery) => memories.receive(ID, delivery),
        told: async () =>
          (await eventsOf(memories)).flatMap((event) => (event.kind === "entry" ? [event.raw] : [])),
        beside: async () => {
          const other = await place.open();
          return { send: (delivery) => other.receive(ID, delivery) };
        },
        async restart(how) {
          await (how === "closed" ? memories.close() : place.kill(memories));
          return stageOf();
        },
      };
    };
    return stageOf();
  };
  describePeer(`a memory in ${name}`, peer, { details: { entry: NOTE } });

  describeHeard(name, create);
  describe(`memories in ${name}`, () => {
    it("keeps an entry word for word, with who sent it, its number and its marks (M5)", async () => {
      const memories = await (await create()).open();
      const of = { log: "l", message: "0>1#1" };
      await memories.receive(
        ID,
        entry(1, { content: "  Boats\n\u0000 é 船 ", taint: ["a page"], note: { of } }),
      );
      expect(await eventsOf(memories)).toMatchObject([
        { kind: "opened", seq: 1 },
        {
          ...{ kind: "entry", seq: 2, mail: 1, from: "log of x", by: "x", raw: "  Boats\n\u0000 é 船 " },
          ...{ ...NOTE, of, taint: ["a page"] },
        },
      ]);
      expect(await memories.known()).toEqual([ID]);
      expect(await eventsOf(memories, 2)).toHaveLength(1);
    });

    it("says of a memory that nobody wrote to that there is nothing, and makes nothing", async () => {
      const place = await create();
      const memories = await place.open();
      expect(await memories.known()).toEqual([]);
      expect(await eventsOf(memories)).toEqual([]);
      expect(await memories.read(ID).standing()).toMatchObject({ last: 0, entries: 0, contexts: [] });
      expect(await memories.read(ID).isForeign()).toBe(false);
      expect(await place.bytes()).toBe("");
    });

    it("refuses what is no name of a memory, and writes nothing", async () => {
      const place = await create();
      const memories = await place.open();
      for (const id of [
        "main",
        "a/b/c",
        "../x/y",
        "main/..",
        "Main/x",
        "main/",
        "/x",
        "main/con",
        "a/x ",
        "0>1/x",
      ]) {
        await expect(memories.receive(id, entry(1))).rejects.toMatchObject({ code: "USAGE" });
        await expect(memories.change(id, async () => [{ kind: "kept", by: "a" }])).rejects.toMatchObject({
          code: "USAGE",
        });
      }
      expect(await place.bytes()).toBe("");
    });

    it("counts what is no record, and keeps nothing of it: what comes behind it is taken in (M5)", async () => {
      const memories = await (await create()).open();
      const malformed: readonly unknown[] = [
        undefined,
        { entry: { ...NOTE, role: "system" } },
        { entry: { ...NOTE, summary: "x".repeat(513) } },
        { entry: { ...NOTE, said: "yesterday" } },
        { entry: NOTE, context: { upTo: 0 } },
        { context: { upTo: -1 } },
        { entry: { ...NOTE, speaker: "a\nb" } },
      ];
      for (const [index, details] of malformed.entries())
        expect(await memories.receive(ID, letter(ID, index + 1, { details }))).toEqual({
          status: "accepted",
        });
      const n = malformed.length + 1;
      await memories.receive(ID, context(n, { content: "x".repeat(5_001) }));
      await memories.receive(ID, entry(n + 1));
      const events = await eventsOf(memories);
      expect(kinds(events)).toEqual(["opened", ...Array<string>(n).fill("void"), "entry"]);
      expect(await memories.read(ID).standing()).toMatchObject({ entries: 1 });
    });

    it("is kept by the first agent that sends a context, and shows those of others as stray (M6)", async () => {
      const place = await create();
      let memories = await place.open();
      await memories.receive(ID, context(1, { from: "scribe", content: "# Facts" }));
      await memories.receive(ID, context(1, { from: "other", content: "# Lies" }));
      await memories.receive(ID, context(1, { from: "0", content: "# By hand" }));
      expect(kinds(await eventsOf(memories))).toEqual(["opened", "kept", "context", "context", "context"]);
      expect(await memories.read(ID).standing()).toMatchObject({
        ...{ keeper: "scribe", contexts: [3, 5], strays: 1 },
      });
      await memories.change(ID, async () => [{ kind: "kept", by: "other" }]);
      await memories.close();
      memories = await place.open();
      await memories.receive(ID, context(2, { from: "other", content: "# Truth" }));
      await memories.receive(ID, context(2, { from: "scribe", content: "# Old" }));
      expect(await memories.read(ID).standing()).toMatchObject({
        ...{ keeper: "other", contexts: [3, 5, 7], strays: 2 },
      });
    });

    it("forgets: the words are in no place any more, number, time and sender stay (M7)", async () => {
      const place = await create();
      const memories = await place.open();
      const canary = "canary-7313";
      const note = { summary: `${canary} s`, speaker: canary, thread: canary, tags: { [canary]: canary } };
      await memories.receive(ID, entry(1, { content: "stays" }));
      await memories.receive(ID, entry(2, { content: `so ${canary} said`, note }));
      await memories.receive(ID, context(3, { content: `# ${canary}`, upTo: 3 }));
      await memories.receive(ID, entry(4, { content: "stays, too" }));
      expect(await place.bytes()).toContain(canary);
      const forgotten: NewMemoryEvent = {
        kind: "forgotten",
        seqs: [3, 5],
        entries: 1,
        by: "0",
        reason: "asked",
      };
      await memories.change(ID, async ({ contexts }) => (contexts[0] === 5 ? [forgotten] : []));
      expect(await place.bytes()).not.toContain(canary);
      const events = await eventsOf(memories);
      expect(events.flatMap((event) => (event.kind === "entry" ? [event.raw] : []))).toEqual([
        ...["stays", "", "stays, too"],
      ]);
      expect(events[2]).toMatchObject({
        kind: "entry",
        mail: 2,
        by: "x",
        said: NOTE.said,
        thread: "",
        tags: {},
      });
      expect(events.find(({ seq }) => seq === 5)).toMatchObject({ kind: "context", content: "", upTo: 3 });
      expect(events.at(-1)).toMatchObject(forgotten);
      expect(await memories.read(ID).standing()).toMatchObject({ entries: 2, contexts: [] });
      await memories.close();
      expect(await place.bytes()).not.toContain(canary);
    });

    it("counts no shard of others than its keeper that is forgotten", async () => {
      const memories = await (await create()).open();
      await memories.receive(ID, context(1, { from: "scribe", content: "# One" }));
      await memories.receive(ID, context(1, { from: "other", content: "# Lies" }));
      await memories.receive(ID, context(2, { from: "other", content: "# More" }));
      const counted = async () => {
        const { contexts, strays } = await memories.read(ID).standing();
        return [contexts.length, strays];
      };
      expect(await counted()).toEqual([1, 2]);
      await memories.change(ID, () =>
        Promise.resolve([{ kind: "forgotten", seqs: [3, 4], entries: 0, by: "0" }]),
      );
      expect(await counted()).toEqual([0, 1]);
      await memories.close();
    });

    it("lets nobody write while a change is decided, and adds nothing where that fails", async () => {
      const memories = await (await create()).open();
      await memories.receive(ID, entry(1));
      let sent: Promise<unknown> = Promise.resolve();
      await memories.change(ID, async ({ last }, reader) => {
        sent = memories.receive(ID, entry(2));
        const events: number[] = [];
        for await (const { seq } of reader.events()) events.push(seq);
        expect(events.at(-1)).toBe(last);
        return [{ kind: "kept", by: "a" }];
      });
      await sent;
      expect(kinds(await eventsOf(memories))).toEqual(["opened", "entry", "kept", "entry"]);
      const failing = memories.change(ID, () => Promise.reject(new Error("no")));
      await expect(failing).rejects.toThrow("no");
      expect(await eventsOf(memories)).toHaveLength(4);
    });
  });
}
