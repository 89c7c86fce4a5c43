// What every place promises of the long-term memories in it.

import { describe, expect, it } from "vitest";
import type { EntryNote, MemoryEvent, NewMemoryEvent } from "../../../../src/domain/memory/record.ts";
import type { Delivery } from "../../../../src/domain/message/message.ts";
import { heardMark } from "../../../../src/past/memory/heard.ts";
import type { Memories } from "../../../../src/storage/contract/memory/memories.ts";
import { letter, type Words } from "../../../mail/letter.ts";
import { describePeer, type PeerStage } from "../../../mail/peer-contract.ts";

export const ID = "main/legion";

/** A place that outlives whoever opens it. */
export interface MemoriesPlace {
  /** As another process would; those before may still have it open. */
  open(): Promise<Memories>;
  /** What was opened dies, as by kill -9. */
  kill(memories: Memories): Promise<void>;
  /** Every byte that is kept. */
  bytes(): Promise<string>;
}

const NOTE: EntryNote = {
  summary: "Ada asked",
  role: "user",
  speaker: "0",
  thread: "0,1",
  said: "2026-01-01T00:00:00.000Z",
  tags: { topic: "boats" },
  summarised: "model",
};

export const entry = (n: number, words: Words & { readonly note?: Partial<EntryNote> } = {}): Delivery =>
  letter(ID, n, { details: { entry: { ...NOTE, ...words.note } }, ...words });

export const context = (n: number, words: Words & { readonly upTo?: number; readonly base?: number } = {}) =>
  letter(ID, n, {
    details: { context: { upTo: words.upTo ?? 0, ...(words.base !== undefined && { base: words.base }) } },
    ...words,
  });

export async function eventsOf(memories: Memories, from?: number): Promise<MemoryEvent[]> {
  const events: MemoryEvent[] = [];
  for await (const event of memories.read(ID).events(from)) events.push(event);
  return events;
}

const kinds = (events: readonly MemoryEvent[]): string[] => events.map(({ kind }) => kind);

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
