import { describe, expect, it } from "vitest";
import type { Event } from "../../../src/domain/event/event.ts";
import { falseAlarms, tiedIn } from "./check-knots.ts";

const at = (second: number) => new Date(Date.UTC(2026, 2, 14, 2, 0, second)).toISOString();

const eventOf = (fields: Readonly<Record<string, unknown>>) => ({ epoch: 1, ...fields }) as Event;

/** What an agent asked and was shown, one a second. */
function logOf(...ids: readonly string[]): readonly Event[] {
  return ids.map((id, index) => {
    const isMail = id.startsWith("0>");
    const message = { id, source: { type: "agent", id: id.split(">")[0] }, needsAnswer: !isMail };
    const what = isMail ? { kind: "message", message } : { kind: "result", sends: [message] };
    return eventOf({ seq: index + 1, at: at(index + 1), ...what });
  });
}
const told = (...knot: readonly string[]): readonly Event[] => [
  eventOf({ kind: "notice", seq: 1, at: at(59), details: { knot, at: at(30) } }),
];

const TWO = { "1": logOf("1>2#1"), "2": logOf("2>1#1") };

describe("what judges knots by logs alone", () => {
  it.each([
    ["two", TWO, ["1", "2"]],
    ["two, beside one that waits for them", { ...TWO, "3": logOf("3>1#1") }, ["1", "2"]],
    ["none where a person has spoken to one", { ...TWO, "1": logOf("1>2#1", "0>1#1") }, []],
    [
      "none where one had asked another one before a person spoke to it",
      { ...TWO, "1": logOf("1>3#1", "0>1#1", "1>2#1"), "3": [] },
      [],
    ],
  ] as const)("finds %s", (_, logs, tied) => {
    expect(tiedIn(new Map(Object.entries(logs)))).toEqual(tied);
  });

  it.each([
    ["is nothing where it is one", TWO, []],
    [
      "is what was open besides",
      { ...TWO, "1": logOf("1>3#1", "0>1#1", "1>2#1") },
      [/1>3#1 was open as well/],
    ],
    ["is that a person had spoken", { ...TWO, "1": logOf("1>2#1", "0>1#1") }, [/spoken to agent 1/]],
    ["is what was not open", { "1": [], "2": TWO["2"] }, [/1>2#1 was not open/]],
  ] as const)("what it has against one %s", (_, logs, alarms) => {
    expect(
      falseAlarms(new Map<string, readonly Event[]>(Object.entries(logs)), told("1>2#1", "2>1#1")),
    ).toEqual(alarms.map((alarm) => expect.stringMatching(alarm) as string));
  });
});
