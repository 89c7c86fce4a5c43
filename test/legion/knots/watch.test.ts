import { describe, expect, it } from "vitest";
import type { Inspect } from "../../../src/domain/inspection.ts";
import type { Knot } from "../../../src/domain/message/knot.ts";
import { keyOf } from "../../../src/legion/knots/knots.ts";
import type { AgentReading, KnotSource } from "../../../src/legion/knots/reading.ts";
import { watchKnots } from "../../../src/legion/knots/watch.ts";
import { createHandClock } from "../../hand-clock.ts";

const standing = (id: string, to: string | undefined): AgentReading => ({
  isAtRest: true,
  waiting: { asked: new Map(to === undefined ? [] : [[`${id}>${to}#1`, { to, since: "" }]]) },
  ledger: { last: 10, seen: new Map(), taken: 1 },
  undelivered: [],
});

/** Agents that wait for who is named; `source` says of all of them that they stand so, or not at all where it is `hidden`. */
function watched(waits: Readonly<Record<string, string | undefined>>, hidden?: { is: boolean }) {
  const clock = createHandClock();
  const reads: string[] = [];
  const sleeps: number[] = [];
  const told: Knot[] = [];
  let inspect: Inspect = () => undefined;
  const glance: KnotSource["read"] = (id) => {
    reads.push(id);
    return Promise.resolve(id === "0" ? undefined : standing(id, waits[id]));
  };
  const whole = { count: 0 };
  const source: KnotSource = {
    known: () => (whole.count++, Promise.resolve(hidden?.is ? [] : Object.keys(waits))),
    read: (id) => Promise.resolve(id === "0" ? undefined : standing(id, waits[id])),
    hasMail: () => Promise.resolve(false),
  };
  const isTold = (knot: Knot) => told.some((one) => keyOf(one) === keyOf(knot));
  const watch = watchKnots({
    inspector: { watch: (given) => ((inspect = given), () => undefined) },
    clock: {
      ...clock,
      sleep: (ms, signal) => (sleeps.push(ms), clock.sleep(ms, signal)),
    },
    isWaiting: (id) => waits[id] !== undefined,
    ...{ glance: { read: glance }, source, isTold },
    tell: (knot) => Promise.resolve(void (isTold(knot) || told.push(knot))),
  });
  const rest = async (...agents: readonly string[]): Promise<void> => {
    for (const agent of agents) {
      inspect({ kind: "live:state", agent, state: "idle" } as Parameters<Inspect>[0]);
      await watch.settled();
    }
  };
  return { rest, reads, sleeps, told, whole, clock, watch };
}

describe("looking for knots", () => {
  it("costs nothing at the rest of an agent that waits for no answer (W10)", async () => {
    const { rest, reads, whole } = watched({ "1": undefined, "2": "1" });
    await rest("1", "1", "1");
    expect([reads, whole.count]).toEqual([[], 0]);
  });

  it("reads the legion once of a knot that Control was told of, however often who waits for one of it rests (W10)", async () => {
    const { rest, told, whole } = watched({ "1": "2", "2": "1", "3": "1" });
    await rest("1", "3", "2", "3", "1");
    expect(told.map(({ agents }) => agents)).toEqual([["1", "2"]]);
    expect(whole.count).toBe(1);
  });

  it("waits for one time, however many rests leave something, which doubles until nothing is left (W11)", async () => {
    const hidden = { is: true };
    const { rest, sleeps, told, clock, watch } = watched({ "1": "2", "2": "1" }, hidden);
    await rest("1", "2", "1", "2", "1");
    expect(sleeps).toEqual([1_000]);
    for (const ms of [1_000, 2_000]) {
      await clock.asleep(1);
      clock.advance(ms);
      await rest("1");
    }
    expect(sleeps).toEqual([1_000, 2_000, 4_000]);
    hidden.is = false;
    await rest("1");
    expect(told).toHaveLength(1);
    await clock.asleep(1);
    clock.advance(4_000);
    await watch.settled();
    expect(sleeps).toEqual([1_000, 2_000, 4_000]);
    await watch.close();
  });
});
