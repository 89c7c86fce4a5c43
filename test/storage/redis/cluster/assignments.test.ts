import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { weigh } from "../../../../src/storage/redis/cluster/assignments.ts";
import type { NodeRecord } from "../../../../src/storage/contract/nodes.ts";

function node(id: string, able: readonly string[], agents = 0): NodeRecord {
  return { id, name: id, workspace: "w", agents, able, inBackground: [] };
}

const someAgents = fc.uniqueArray(fc.integer({ min: 1, max: 40 }).map(String), { maxLength: 40 });
const someNodes = fc
  .array(fc.tuple(someAgents, fc.nat(40)), { minLength: 1, maxLength: 6 })
  .map((list) => list.map(([able, agents], i) => node(`n${i}`, able, agents)));

const capsOf = (nodes: readonly NodeRecord[]): readonly number[] =>
  nodes.map(({ id }) => weigh(nodes, id).cap);

describe("the balance of a legion", () => {
  it("gives nodes that are able to run the same agents the same, rounded up", () => {
    const able = Array.from({ length: 10 }, (_, i) => `${i}`);
    expect(capsOf([node("a", able)])).toEqual([10]);
    expect(capsOf([node("a", able), node("b", able)])).toEqual([5, 5]);
    expect(capsOf([node("a", able), node("b", able), node("c", able)])).toEqual([4, 4, 4]);
    expect(capsOf([node("a", able.slice(1)), node("b", able.slice(1)), node("c", able.slice(1))])).toEqual([
      3, 3, 3,
    ]);
  });

  it("counts an agent that only one node is able to run for that one alone", () => {
    const able = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
    expect(capsOf([node("a", able), node("b", able.slice(3))])).toEqual([6, 3]);
    expect(capsOf([node("a", able.slice(0, 3)), node("b", able.slice(3))])).toEqual([3, 6]);
  });

  it("has room for every agent that anybody is able to run, and gives no node more than it is able to run", () => {
    fc.assert(
      fc.property(someNodes, (nodes) => {
        const all = new Set(nodes.flatMap(({ able }) => able));
        const caps = capsOf(nodes);
        expect(caps.reduce((sum, cap) => sum + cap, 0)).toBeGreaterThanOrEqual(all.size);
        for (const [i, cap] of caps.entries()) expect(cap).toBeLessThanOrEqual(nodes[i]!.able.length);
      }),
    );
  });

  it("finds room only at other nodes that are able and below their cap", () => {
    const able = ["1", "2", "3", "4"];
    const room = (others: readonly NodeRecord[], agent: string): boolean =>
      weigh([node("self", able, 4), ...others], "self").hasRoomElsewhere(agent);
    expect(room([], "1")).toBe(false);
    expect(room([node("b", able, 1)], "1")).toBe(true);
    expect(room([node("b", able, 2)], "1")).toBe(false);
    expect(room([node("b", ["2"], 0)], "1")).toBe(false);
    expect(room([node("b", able, 2), node("c", able, 1)], "1")).toBe(true);
  });

  it("leaves nothing to a node that does not say it is one", () => {
    expect(weigh([node("b", ["1"])], "self").cap).toBe(0);
    expect(weigh([], "self").hasRoomElsewhere("1")).toBe(false);
  });
});
