import { expect, it } from "vitest";
import type { Event } from "../../../src/domain/event/event.ts";
import { createTracks } from "../../../src/legion/tracing/tracks.ts";
import type { Span } from "../../../src/past/spans/span.ts";
import {
  LEGION,
  decision,
  letter,
  mail,
  numbered,
  opened,
  prompted,
  result,
  tell,
} from "../../past/spans/story.ts";

const asked = letter("1>2#1", { root: "0>1#1" });
const work = [prompted(), decision(["a"])];
const done = [prompted(), decision([])];
const LOGS = {
  1: [
    ...[
      opened(),
      mail("0>1#1"),
      ...work,
      result("a", "ok", { sends: [asked] }),
      ...done,
      mail("0>1#2"),
      ...work,
    ],
    ...[{ kind: "branch", to: 4 } as const, result("a"), ...done, opened(), mail("0>1#3"), ...done],
  ],
  2: [opened("log of 2"), mail("1>2#1", { root: "0>1#1" }), ...work, result("a", "error"), ...done],
};

/** Logs that are as long as `shown` says. */
function growing(shown: Record<string, number>) {
  const all: Record<string, readonly Event[]> = {
    0: numbered([opened(LEGION)]),
    1: numbered(LOGS[1]),
    2: numbered(LOGS[2]),
  };
  const seen = (agent: string): readonly Event[] => (all[agent] ?? []).slice(0, shown[agent] ?? 1);
  return {
    last: (agent: string) => Promise.resolve(seen(agent).length),
    async *events(agent: string, from = 1): AsyncGenerator<Event> {
      yield* seen(agent).slice(from - 1);
    },
  };
}

const fail = (agent: string, error: unknown): never => {
  throw new Error(`${agent}: ${String(error)}`);
};

it("logs that are read on as they grow come to the spans of the whole ones, where they go back, too", async () => {
  const whole = Object.values(tell(LOGS)).flatMap(({ spans }) => spans);
  const byId = (spans: readonly Span[]) => new Map(spans.map((span) => [span.id, span]));
  for (const step of [1, 2, 3, 5, 99]) {
    const shown: Record<string, number> = { 1: 0, 2: 0 };
    const tracks = createTracks({ reader: growing(shown), content: "left out" });
    const spans: Span[] = [];
    while (shown[1]! < LOGS[1].length || shown[2]! < LOGS[2].length) {
      // What was sent is there before it is taken in.
      if (shown[1]! < LOGS[1].length) shown[1]! += step;
      else shown[2]! += step;
      for (const [agent, end] of await tracks.readOn(new Set(["1", "2"]), fail))
        for await (const told of tracks.tell(agent, end)) spans.push(...told.spans);
    }
    expect(byId(spans)).toEqual(byId(whole));
  }
});

it("finds what an agent of another node sent, whose bell rings elsewhere", async () => {
  const tracks = createTracks({ reader: growing({ 1: 99, 2: 99 }), content: "left out" });
  const spans: Span[] = [];
  for (const [agent, end] of await tracks.readOn(new Set(["2"]), fail))
    for await (const told of tracks.tell(agent, end)) spans.push(...told.spans);
  expect(spans).toEqual(tell(LOGS)[2].spans);
});

it("begins anew with a log that was begun anew", async () => {
  const shown = { 1: 99, 2: 99 };
  const tracks = createTracks({ reader: growing(shown), content: "left out" });
  const spansOf = async (): Promise<readonly Span[]> => {
    const spans: Span[] = [];
    for (const [agent, end] of await tracks.readOn(new Set(["2"]), fail))
      for await (const told of tracks.tell(agent, end)) spans.push(...told.spans);
    return spans;
  };
  const all = await spansOf();
  expect(await spansOf()).toEqual([]);
  shown[2] = 4;
  expect(await spansOf()).toEqual(all.slice(0, 1));
});

it("a log of which all was told before is not read until there is more of it, but for what it sent", async () => {
  const shown = { 1: 99, 2: 99 };
  const reader = growing(shown);
  const reads: string[] = [];
  const events = (agent: string, from?: number): AsyncGenerator<Event> => {
    reads.push(agent);
    return reader.events(agent, from);
  };
  const sent = (agent: string) => ({ log: `log of ${agent}`, seq: agent === "1" ? LOGS[1].length : 3 });
  const tracks = createTracks({ reader: { ...reader, events }, content: "left out", sent });
  const ends = await tracks.readOn(new Set(["1"]), fail);
  expect([[...ends.keys()], reads]).toEqual([[], ["0", "1"]]);
  const spans: Span[] = [];
  for (const [agent, end] of await tracks.readOn(new Set(["1", "2"]), fail))
    for await (const told of tracks.tell(agent, end)) spans.push(...told.spans);
  expect(spans).toEqual(tell(LOGS)[2].spans);
});
