import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Event, NewEvent } from "../../../src/domain/event/event.ts";
import { CONTROL, parseMessageId, type AgentId } from "../../../src/domain/message/message.ts";
import { momentAt, unreadBy, wholeRecord } from "../../../src/legion/moment/moment.ts";
import { readerAt } from "../../../src/legion/moment/reader.ts";
import { createReader, type Reader } from "../../../src/storage/contract/reader.ts";
import { createMemoryPlace } from "../../../src/storage/memory/place.ts";
import { letter } from "../../mail/letter.ts";
import { decided, noticed } from "../../past/digest/any-log.ts";

const START = Date.parse("2026-01-01T00:00:00.000Z");
const AGENTS: readonly AgentId[] = [CONTROL, "1", "2", "3"];

async function collected<T>(given: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const one of given) all.push(one);
  return all;
}

type Logs = ReadonlyMap<AgentId, Event[]>;

function readerOf(logs: Logs): Reader {
  return createReader({
    known: () => Promise.resolve([...logs.keys()].filter((agent) => agent !== CONTROL)),
    async *events(agent, from = 1) {
      for (const event of logs.get(agent) ?? []) if (event.seq >= from) yield await Promise.resolve(event);
    },
    last: (agent) => Promise.resolve(logs.get(agent)?.length ?? 0),
    unread: () => Promise.resolve([]),
    recordText: () => Promise.resolve(undefined),
    lastStart: () => Promise.resolve(undefined),
    blobs: () => createMemoryPlace().of("1").blobs,
  });
}

/** Who sends to whom, or takes in what it was sent, a second apart by a clock that all have; each writes what its own says. */
interface Course {
  readonly skewsMs: readonly number[];
  readonly steps: readonly (readonly [from: number, to: number, does: "sends" | "takes in"])[];
}

const who = fc.nat(AGENTS.length - 1);
const course = (skew: fc.Arbitrary<number>): fc.Arbitrary<Course> =>
  fc.record({
    skewsMs: fc.tuple(skew, skew, skew, skew),
    steps: fc.array(fc.tuple(who, who, fc.constantFrom("sends" as const, "takes in" as const)), {
      maxLength: 40,
    }),
  });

function written({ skewsMs, steps }: Course): Logs {
  const logs = new Map<AgentId, Event[]>(AGENTS.map((agent) => [agent, []]));
  const counts = { sent: new Map<string, number>(), taken: new Map<string, number>() };
  const next = (kind: keyof typeof counts, way: string): number => {
    const n = (counts[kind].get(way) ?? 0) + 1;
    counts[kind].set(way, n);
    return n;
  };
  let now = START;
  const write = (index: number, event: NewEvent | object): void => {
    const log = logs.get(AGENTS[index]!)!;
    const at = new Date(now + skewsMs[index]!).toISOString();
    log.push({ ...(event as NewEvent), seq: log.length + 1, epoch: 1, at });
  };
  for (const index of AGENTS.keys())
    write(index, { kind: "opened", format: 2, log: `log of ${AGENTS[index]!}`, seals: {} });
  for (const [from, to, does] of steps) {
    now += 1_000;
    if (from === to) continue;
    const way = `${from}>${to}`;
    const [source, target] = [AGENTS[from]!, AGENTS[to]!];
    if (does === "sends")
      write(from, decided(1, { sends: [letter(target, next("sent", way), { from: source }).message] }));
    else if ((counts.taken.get(way) ?? 0) < (counts.sent.get(way) ?? 0)) {
      const n = next("taken", way);
      write(to, { kind: "message", ...letter(target, n, { from: source }), mail: logs.get(target)!.length });
    }
  }
  return logs;
}

const sentIn = (events: readonly Event[]): readonly string[] =>
  events.flatMap((event) => (event.kind === "decision" ? (event.sends ?? []).map(({ id }) => id) : []));
const takenIn = (events: readonly Event[]): readonly string[] =>
  events.flatMap((event) => (event.kind === "message" ? [event.message.id] : []));

async function shownAt(reader: Reader, ms: number) {
  const moment = await momentAt(reader, ms, await wholeRecord(reader));
  const there = readerAt(reader, moment);
  const logs = new Map<AgentId, readonly Event[]>();
  for (const agent of AGENTS) logs.set(agent, await collected(there.events(agent)));
  return { moment, there, logs };
}

const moments = fc.integer({ min: -1_000, max: 45_000 }).map((ms) => START + ms);

describe("an earlier moment", () => {
  it("holds what each log held by then, where all clocks are one", () =>
    fc.assert(
      fc.asyncProperty(course(fc.constant(0)), moments, async (said, ms) => {
        const all = written(said);
        const { logs } = await shownAt(readerOf(all), ms);
        for (const [agent, events] of logs)
          expect(events).toEqual(all.get(agent)!.filter(({ at }) => Date.parse(at) <= ms));
      }),
    ));

  it("has no message received before it is sent, however far the clocks of machines are apart", () =>
    fc.assert(
      fc.asyncProperty(course(fc.integer({ min: -8_000, max: 8_000 })), moments, async (said, ms) => {
        const all = written(said);
        const { logs, moment } = await shownAt(readerOf(all), ms);
        const sent = new Set([...logs.values()].flatMap(sentIn));
        for (const [agent, events] of logs) {
          for (const id of takenIn(events)) expect(sent).toContain(id);
          // Nothing else is left out of what it had by its own clock.
          const next = all.get(agent)![events.length];
          const isEarly = next?.kind === "message" && !sent.has(next.message.id);
          if (next && !isEarly) expect(Date.parse(next.at)).toBeGreaterThan(ms);
        }
        for (const agent of moment.digests.keys()) {
          const waiting = [...sent].filter((id) => parseMessageId(id).to === agent).length;
          expect(unreadBy(moment, agent)).toBe(waiting - takenIn(logs.get(agent)!).length);
        }
      }),
      { numRuns: 300 },
    ));

  it("shows what was said to the person by then", async () => {
    const logs = written({
      skewsMs: [0, 0, 0, 0],
      steps: [
        [1, 0, "sends"],
        [1, 0, "takes in"],
        [1, 0, "sends"],
        [1, 0, "takes in"],
      ],
    });
    const early = await shownAt(readerOf(logs), START + 2_500);
    expect((await collected(early.there.inbox())).map(({ id }) => id)).toEqual(["1>0#1"]);
    const late = await shownAt(readerOf(logs), START + 9_000);
    expect((await collected(late.there.inbox())).map(({ id }) => id)).toEqual(["1>0#1", "1>0#2"]);
  });

  it("does not know an agent whose past it copied before it came to be", async () => {
    const logs = new Map(
      written({
        skewsMs: [0, 0, 0, 0],
        steps: [
          [0, 1, "sends"],
          [0, 1, "takes in"],
        ],
      }),
    );
    const [, ...past] = logs.get("1")!;
    const stamp = (seq: number) => ({ seq, epoch: 2, at: new Date(START + 20_000).toISOString() });
    logs.set("1b", [
      {
        kind: "opened",
        format: 2,
        log: "log of 1",
        seals: {},
        seq: 1,
        epoch: 1,
        at: new Date(START).toISOString(),
      },
      ...past,
      { kind: "opened", format: 2, log: "log of 1b", seals: {}, ...stamp(past.length + 2) },
      { kind: "branch", to: past.length + 1, origin: "1", ...stamp(past.length + 3) },
    ]);
    const reader = readerOf(logs);
    const early = await shownAt(reader, START + 10_000);
    expect(await early.there.known()).toEqual(["1", "2", "3"]);
    const late = await shownAt(reader, START + 20_000);
    expect(await late.there.known()).toEqual(["1", "1b", "2", "3"]);
  });

  it("is empty before anything was recorded, and all of it after", async () => {
    const logs = written({ skewsMs: [0, 0, 0, 0], steps: [[0, 1, "sends"]] });
    const reader = readerOf(logs);
    expect((await shownAt(reader, START - 1)).moment.digests.size).toBe(0);
    const whole = await wholeRecord(reader);
    expect([whole.began, whole.latest]).toEqual([
      new Date(START).toISOString(),
      new Date(START + 1_000).toISOString(),
    ]);
    expect(await wholeRecord(readerOf(new Map()))).toMatchObject({ at: "", began: "", latest: "" });
  });

  it("is the same for a clock that was set back meanwhile: what came behind a later time is not there yet", async () => {
    const logs = written({ skewsMs: [0, 0, 0, 0], steps: [] });
    const at = (ms: number): string => new Date(START + ms).toISOString();
    logs
      .get("1")!
      .push(
        { ...noticed("paused"), seq: 2, epoch: 1, at: at(9_000) },
        { ...noticed("resumed"), seq: 3, epoch: 1, at: at(3_000) },
      );
    const lengths = [];
    for (const ms of [0, 4_000, 9_000])
      lengths.push((await shownAt(readerOf(logs), START + ms)).logs.get("1")!.length);
    expect(lengths).toEqual([1, 1, 3]);
  });
});
