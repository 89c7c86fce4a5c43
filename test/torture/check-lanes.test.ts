import { expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import { checkLanes } from "./check-lanes.ts";
import type { Told } from "./evidence.ts";
import { NOTHING_REMEMBERED } from "./remembered.ts";
import { write } from "./parcel.ts";

const at = (ms: number): string => new Date(ms).toISOString();

/** Two commands; a steer is known from `knownMs` on, and taken in at the end. */
function faultsWhere(knownMs: number, between: readonly object[] = []): readonly string[] {
  const steer = { name: "p1", route: ["1"], stop: 0, number: 1, from: "n1s0" };
  const call = (id: string) => ({ id, action: "run", parameters: {} });
  const source = { type: "agent", id: "0" };
  const message = { id: "0>1#1", source, delivery: "steer", content: write(steer) };
  const kinds: readonly object[] = [
    { kind: "decision", calls: [call("a"), call("b")], at: at(1_000) },
    { kind: "result", call: "a", outcome: "ok", at: at(1_010) },
    ...between,
    { kind: "result", call: "b", outcome: "ok", at: at(1_100) },
    { kind: "message", message, mail: 1, from: "log of 0", at: at(1_110) },
  ];
  const records = kinds.map((event, index) => ({ seq: index + 1, epoch: 1, ...event }) as Event);
  const found: string[] = [];
  const agents = new Map<string, object>([["1", { log: { records } }]]) as Told["agents"];
  const fed = [{ name: steer.name, route: [], lane: "steer", said: true, at: knownMs }] as const;
  checkLanes(
    {
      agents,
      fed,
      effects: [],
      answers: [],
      revoked: new Set(),
      observed: [],
      remembered: NOTHING_REMEMBERED,
    },
    (fault, text) => found.push(`${fault}: ${text}`),
  );
  return found;
}

it("finds a call that began while a steer was unread", () => {
  expect(faultsWhere(1_005)).toEqual(["not stopped: 1: 0>1#1 was there 5 ms before the call of result 3"]);
});

it("finds nothing where the steer came while the call ran, also where something was noted after it", () => {
  expect(faultsWhere(1_020)).toEqual([]);
  expect(faultsWhere(1_020, [{ kind: "sent", upTo: 1, at: at(1_099) }])).toEqual([]);
});
