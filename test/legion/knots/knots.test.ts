import { describe, expect, it } from "vitest";
import type { Knot } from "../../../src/domain/message/knot.ts";
import { knotsAmong, type KnotStanding } from "../../../src/legion/knots/knots.ts";

const atRest = (id: string, ...awaited: readonly string[]): KnotStanding => ({
  id,
  isHeldUp: true,
  waits: new Map(awaited.map((to, n) => [`${id}>${to}#${n + 1}`, to])),
});
const atWork = (id: string, ...awaited: readonly string[]) => ({
  ...atRest(id, ...awaited),
  isHeldUp: false,
});

const agentsOf = (knots: readonly Knot[]) => knots.map(({ agents }) => agents);

describe("agents that wait for each other", () => {
  it.each([
    ["two", [atRest("1", "2"), atRest("2", "1")], [["1", "2"]]],
    ["a ring", [atRest("1", "2"), atRest("2", "3"), atRest("3", "1")], [["1", "2", "3"]]],
    [
      "a ring, beside who waits for it",
      [atRest("0x", "1"), atRest("1", "2"), atRest("2", "1")],
      [["1", "2"]],
    ],
    [
      "a ring, beside another one that waits for it",
      [atRest("1", "2"), atRest("2", "1", "3"), atRest("3", "4"), atRest("4", "3")],
      [["3", "4"]],
    ],
    [
      "two rings",
      [atRest("1", "2"), atRest("2", "1"), atRest("3", "4"), atRest("4", "3")],
      [
        ["1", "2"],
        ["3", "4"],
      ],
    ],
  ])("are tied where %s rests (W7)", (_, standings, knots) => {
    expect(agentsOf(knotsAmong(standings))).toEqual(knots);
  });

  it.each([
    ["one of them is at work", [atRest("1", "2"), atWork("2", "1")]],
    ["one of them waits for one at work as well", [atRest("1", "2"), atRest("2", "1", "3"), atWork("3")]],
    ["one of them waits for a person as well", [atRest("1", "2"), atRest("2", "1", "0")]],
    ["they wait in a row", [atRest("1", "2"), atRest("2", "3"), atRest("3")]],
    ["who is to answer is gone", [atRest("1", "gone")]],
    ["one is named as waiting for itself", [atRest("1", "1")]],
    ["nobody waits", [atRest("1"), atRest("2")]],
  ])("are not where %s (W7)", (_, standings) => {
    expect(knotsAmong(standings)).toEqual([]);
  });

  it("are found in as long as there are of them, one behind the other", () => {
    const row = Array.from({ length: 10_000 }, (_, n) => atRest(String(n + 1), String(n + 2)));
    expect(knotsAmong(row)).toEqual([]);
    const [ring] = knotsAmong([...row, atRest("10001", "1")]);
    expect(ring!.agents.length).toBe(10_001);
  });

  it("are the smallest such sets, as found by trying every set (W7)", () => {
    for (let seed = 1; seed <= 400; seed++) {
      const standings = someStandings(seed);
      const found = agentsOf(knotsAmong(standings)).map((agents) => agents.toSorted().join());
      expect([seed, found.toSorted()]).toEqual([seed, smallestTied(standings).toSorted()]);
    }
  });
});

/** By the definition: of all sets those of which it holds, and of no part. */
function smallestTied(standings: readonly KnotStanding[]): readonly string[] {
  const closed: number[] = [];
  const membersOf = (bits: number) => standings.filter((_, index) => bits & (1 << index));
  for (let bits = 1; bits < 1 << standings.length; bits++) {
    const set = membersOf(bits);
    const ids = set.map(({ id }) => id);
    const isTied = set.every(
      ({ isHeldUp, waits }) =>
        isHeldUp && waits.size > 0 && [...waits.values()].every((to) => ids.includes(to)),
    );
    // A part of a set is a smaller number.
    if (isTied && !closed.some((part) => (part & bits) === part)) closed.push(bits);
  }
  return closed.map((bits) =>
    membersOf(bits)
      .map(({ id }) => id)
      .toSorted()
      .join(),
  );
}

function someStandings(seed: number): readonly KnotStanding[] {
  let state = seed;
  const below = (n: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * n);
  };
  const size = 2 + below(7);
  return Array.from({ length: size }, (_, index) => {
    const awaited = Array.from({ length: below(3) }, () => String(below(size + 1)));
    const others = awaited.filter((to) => to !== String(index + 1));
    const made = atRest(String(index + 1), ...others);
    return below(6) === 0 ? { ...made, isAtRest: false } : made;
  });
}
