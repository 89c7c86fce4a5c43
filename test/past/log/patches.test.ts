import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../src/base/redaction/redactor.ts";
import type {
  Event,
  NewEvent,
  PromptedEvent,
  ResultEvent,
  StateChange,
} from "../../../src/domain/event/event.ts";
import { blobsIn, longStrings, outline } from "../../../src/past/log/blobs.ts";
import { createWhole, packing, repacking, type Stored } from "../../../src/past/log/patches.ts";
import { redactEvent } from "../../../src/past/redact-event.ts";

const AT = "2026-11-28T00:00:00.000Z";

/** A log whose records can be looked at, and lost. */
function createKept() {
  const texts = new Map<string, string>();
  const blobs = blobsIn({
    read: (hash) => Promise.resolve(texts.get(hash)),
    place: (hash, content) => Promise.resolve(void texts.set(hash, String(content))),
  });
  const lines: string[] = [];
  const records = (): Stored<Event>[] => lines.map((line) => JSON.parse(line) as Stored<Event>);
  const open = () =>
    packing((events) =>
      events.map((event) => {
        const record = { seq: lines.length + 1, epoch: 1, at: AT, ...event } as Event;
        lines.push(JSON.stringify(record));
        return record;
      }),
    );
  async function* recordsFrom(seq: number): AsyncGenerator<Stored<Event>> {
    yield* records().filter((record) => record.seq >= seq);
  }
  const read = async (from = 1): Promise<Event[]> => {
    const whole = createWhole(blobs, recordsFrom);
    const events: Event[] = [];
    for (const record of records()) if (record.seq >= from) events.push(await whole(record));
    return events;
  };
  /** As a commit does, with its long texts beside it. */
  const append = async (write: ReturnType<typeof open>, event: NewEvent) =>
    write([await outline(event, longStrings(event), blobs)]);
  return { lines, records, open, read, append };
}

function prompted(pinned?: string): PromptedEvent {
  const hashes = { model: "scripted/m", prompt: "p", introduction: "i" };
  return {
    kind: "prompted",
    ...hashes,
    reserved: { input: 1, output: 1 },
    ...(pinned !== undefined && { pinned }),
  };
}

function result(...state: readonly StateChange[]): ResultEvent {
  return { kind: "result", call: "1", outcome: "ok", content: "Done.", state };
}

const goal = (n: number): { text: string; complete: boolean } => ({
  text: `Write chapter ${n} of the book`,
  complete: false,
});
const goals = (count: number) => Array.from({ length: count }, (_, index) => goal(index + 1));
const lines = (count: number): string =>
  goals(count)
    .map(({ text }, index) => `${index + 1}) "${text}" [PENDING]`)
    .join("\n");

const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.integer({ min: 1, max: 40 }).map((n) => goal(n).text),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join("\n"));
const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  anyText,
  fc.constant(null),
  fc.constant("x".repeat(70_000)),
  fc.array(fc.record({ text: anyText, complete: fc.boolean() }), { maxLength: 6 }),
);
const anyChange = fc.tuple(fc.constantFrom("goals", "notes"), fc.constantFrom("a", "b"), anyValue);
const anyEvent: fc.Arbitrary<NewEvent> = fc.oneof(
  anyText.map(prompted),
  fc.constant(prompted()),
  fc.array(anyChange, { maxLength: 4 }).map((changes) => result(...changes)),
  fc
    .tuple(fc.constantFrom("a", "b"), anyValue)
    .map(([key, value]): NewEvent => ({ kind: "edited", module: "goals", key, value })),
);

describe("a log in which what changed is written", () => {
  it("is read as it was written, from any event on, whatever was changed and opened anew meanwhile (L6)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(anyEvent, fc.nat({ max: 9 })), { maxLength: 25 }), async (steps) => {
        const kept = createKept();
        let write = kept.open();
        for (const [event, luck] of steps) {
          if (luck === 0) write = kept.open();
          await kept.append(write, event);
        }
        const events = steps.map(([event], index) => ({ seq: index + 1, epoch: 1, at: AT, ...event }));
        for (let from = 1; from <= events.length; from += 1 + (events.length >> 2))
          expect(await kept.read(from)).toEqual(events.slice(from - 1));
      }),
      { numRuns: 60 },
    );
  });

  it("has of a long list what was added to it, and gives back the whole at once", async () => {
    const kept = createKept();
    const write = kept.open();
    write([prompted(lines(100)), result(["goals", "goals", goals(100)])]);
    const [shown, done] = [
      ...write([prompted(lines(101))]),
      ...write([result(["goals", "goals", goals(101)])]),
    ];
    expect(shown).toMatchObject(prompted(lines(101)));
    expect(done).toMatchObject(result(["goals", "goals", goals(101)]));
    const [first, second, ...changed] = kept.lines.map(({ length }) => length);
    expect([first! > 4_000, second! > 4_000, changed.every((length) => length < 400)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(kept.records()[2]).toMatchObject({
      pinned: "",
      patches: [[["pinned"], 1, 1, [[0, expect.any(Number)], expect.stringContaining("101)")]]],
    });
  });

  it("keeps texts of one write apart, which have no numbers yet", async () => {
    const kept = createKept();
    const write = kept.open();
    write([result(["goals", "goals", goals(50)])]);
    const changes = [
      result(["goals", "goals", goals(51)], ["goals", "goals", goals(52)]),
      result(["goals", "goals", goals(53)]),
    ];
    write(changes);
    write([result(["goals", "goals", goals(54)])]);
    expect(await kept.read()).toMatchObject([
      result(["goals", "goals", goals(50)]),
      ...changes,
      result(["goals", "goals", goals(54)]),
    ]);
  });

  it("finds what many texts were made of, each whole in another place, wherever reading begins (L6)", async () => {
    const kept = createKept();
    const write = kept.open();
    const titles = Array.from({ length: 30 }, (_, n) => `note ${n}`);
    for (let round = 0; round < 12; round++)
      for (const [n, title] of titles.entries()) {
        if (round > n % 5) write([result(["notes", title, `${lines(10)}\n${title}, ${round}`])]);
      }
    const events = await kept.read();
    expect(kept.records().filter(({ patches }) => patches)).toHaveLength(events.length - titles.length);
    for (const from of [2, 70, 200, events.length])
      expect(await kept.read(from)).toEqual(events.slice(from - 1));
  });

  it("is whole again after some changes: damage to a line reaches no further (L8)", async () => {
    const kept = createKept();
    const write = kept.open();
    for (let n = 0; n < 140; n++) write([prompted(lines(50 + n)), result(["goals", "goals", goals(50 + n)])]);
    const wholes = kept.records().filter(({ kind, patches }) => kind === "prompted" && !patches);
    expect(wholes.map(({ seq }) => seq)).toEqual([1, 67, 133, 199, 265]);
    const before = await kept.read();
    kept.lines.splice(20, 2);
    const after = await kept.read();
    expect(after.slice(0, 20)).toEqual(before.slice(0, 20));
    expect(after.slice(66)).toEqual(before.slice(68));
    // What cannot be told is said, and state stays what it was.
    expect(after[20]).toMatchObject({ kind: "prompted", pinned: "(lost: event 21, of which this was made)" });
    expect(after[21]).toMatchObject({ kind: "result", state: [] });
  });

  it("never brings back a secret, nor any part of one, wherever a change begins and ends (L7)", async () => {
    const KEY = "sk-ant-x9Kq72fLmZ0vB3tYw";
    const redactor = createRedactor([{ name: "KEY", value: KEY }]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: 400 }), fc.nat({ max: KEY.length }), fc.boolean()), {
          minLength: 2,
          maxLength: 12,
        }),
        async (steps) => {
          const kept = createKept();
          const write = kept.open();
          let text = lines(20);
          const clean: string[] = [];
          for (const [at, length, isWhole] of steps) {
            // Half of it in one step and the rest in the next, or all at once.
            text = isWhole
              ? `${text.slice(0, at)}${KEY}${text.slice(at)}`
              : `${text.slice(0, at)}${KEY.slice(0, length)}${KEY.slice(length)}${text.slice(at)}`;
            text = `${text}\n${KEY.slice(0, length)}`;
            const event = redactEvent(prompted(text), redactor);
            clean.push(redactor.text(text));
            write([event]);
          }
          expect((await kept.read()).map((event) => event.kind === "prompted" && event.pinned)).toEqual(
            clean,
          );
          for (const line of kept.lines) expect(redactor.text(line)).toBe(line);
          for (const event of await kept.read()) expect(JSON.stringify(event)).not.toContain(KEY);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("is written anew by a copy, which begins with what a log begins with", async () => {
    const kept = createKept();
    const write = kept.open();
    for (let n = 0; n < 10; n++) write([prompted(lines(80 + n))]);
    const repack = repacking();
    const copied = (await kept.read(4)).map(repack);
    expect(copied[0]).toMatchObject({ pinned: lines(83) });
    expect(copied.slice(1).every(({ patches }) => patches?.[0]?.[2] === 4)).toBe(true);
  });

  it.each([
    [[["pinned"], 1, 1, Array.from({ length: 1_000 }, () => [0, 4_000])]],
    [[["pinned"], 1, 1, [[0, 1e9]]]],
    [[["pinned"], 1, 1, [[-5, 2]]]],
    [[["pinned"], 1, 1, [null]]],
    [[["pinned"], 99, 1, ["x"]]],
    [[["pinned"], 1, "1", ["x"]]],
    [["pinned", 1]],
  ])("makes nothing of a forged change, and no gigabyte: %j", async (...patches) => {
    const kept = createKept();
    kept.open()([prompted(lines(100))]);
    kept.lines.push(JSON.stringify({ seq: 2, epoch: 1, at: AT, ...prompted(""), patches }));
    const [whole, forged] = await kept.read();
    expect(whole).toMatchObject(prompted(lines(100)));
    expect(forged).toMatchObject({ pinned: expect.stringMatching(/^(\(lost.*)?$/) });
  });
});
