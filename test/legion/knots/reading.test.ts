import { describe, expect, it } from "vitest";
import { LegionError } from "../../../src/base/errors.ts";
import type { OpenRequest } from "../../../src/past/waiting/waiting.ts";
import { recordedStandings } from "../../../src/legion/knots/sources.ts";
import {
  glimpseKnots,
  readKnots,
  type AgentReading,
  type KnotSource,
} from "../../../src/legion/knots/reading.ts";

const waiting = (id: string, to: string, more: Partial<AgentReading> = {}): AgentReading => ({
  isAtRest: true,
  waiting: { asked: new Map([[`${id}>${to}#1`, { to, since: "2026-03-14T02:14:00.000Z" }]]) },
  ledger: { last: 10, seen: new Map([["log of 3", 4]]), taken: 1 },
  undelivered: [],
  ...more,
});
const busy = (...undelivered: AgentReading["undelivered"]): AgentReading => ({
  ...waiting("3", "1", { undelivered }),
  isAtRest: false,
});

/** Two agents that wait for each other, beside what happens: `read` is asked for an agent for the nth time, from 1. */
function legionOf(
  over: Partial<KnotSource> & { third?: AgentReading; moves?: (id: string, nth: number) => number },
) {
  const { third, moves = () => 10, ...rest } = over;
  const times = new Map<string, number>();
  const source: KnotSource = {
    known: () => Promise.resolve(["1", "2", "3"]),
    read(id) {
      const nth = (times.get(id) ?? 0) + 1;
      times.set(id, nth);
      if (id === "3") return Promise.resolve(third);
      if (id === "0") return Promise.resolve({ ...busy(), undelivered: [] });
      const reading = waiting(id, id === "1" ? "2" : "1");
      return Promise.resolve({ ...reading, ledger: { ...reading.ledger, last: moves(id, nth) } });
    },
    hasMail: () => Promise.resolve(false),
    ...rest,
  };
  return source;
}

const agentsOf = async (source: KnotSource) => (await readKnots(source)).map(({ agents }) => agents);

describe("agents that are read one after the other (W8)", () => {
  it("are tied where they stand at the same place twice, with nothing on its way", async () => {
    expect(await agentsOf(legionOf({}))).toEqual([["1", "2"]]);
    // It is in the log of its recipient already.
    const third = busy({ from: "log of 3", to: "1", n: 4 });
    expect(await agentsOf(legionOf({ third }))).toEqual([["1", "2"]]);
  });

  it("are tied though what arrived was noted in between", async () => {
    expect(await agentsOf(legionOf({ moves: (_, nth) => (nth === 1 ? 10 : 11) }))).toEqual([["1", "2"]]);
  });

  it.each([
    ["one of them went on each time", { moves: (id: string, nth: number) => (id === "2" ? nth : 10) }],
    ["one of them has mail", { hasMail: (id: string) => Promise.resolve(id === "2") }],
    ["somebody else's mail is on its way to one", { third: busy({ from: "log of 3", to: "2", n: 5 }) }],
  ])("are not where %s", async (_, over) => {
    expect(await agentsOf(legionOf(over))).toEqual([]);
  });

  it("are not where one of them may still hear from another one, whom it had asked before a person spoke to it", async () => {
    const read: KnotSource["read"] = (id) => {
      if (id === "3") return Promise.resolve({ ...busy(), waiting: { asked: new Map() } });
      const reading = waiting(id, id === "1" ? "2" : "1");
      const { asked } = reading.waiting as { asked: Map<string, OpenRequest> };
      if (id === "1") asked.set("1>3#1", { to: "3", since: "2026-03-14T02:13:00.000Z", isUntied: true });
      return Promise.resolve(reading);
    };
    expect(await agentsOf(legionOf({ read }))).toEqual([]);
    expect(await glimpseKnots(["1"], { read })).toEqual([]);
  });

  it("are not where one of them takes in its mail while they are looked at", async () => {
    let last = 10;
    // What was in there is in its log from then on.
    const hasMail = (id: string) => Promise.resolve(id === "2" && last++ < 0);
    const over = { hasMail, moves: (id: string) => (id === "2" ? last : 10) };
    expect(await agentsOf(legionOf(over))).toEqual([]);
  });

  it("are not told of where somebody cannot be read whose mail may be on its way", async () => {
    const away = () => Promise.reject(new LegionError("STORAGE", "Redis does not answer"));
    const reader = { known: () => Promise.resolve(["1", "2"]), standing: away, unread: away };
    await expect(readKnots(recordedStandings(reader))).rejects.toMatchObject({ code: "STORAGE" });
  });
});
