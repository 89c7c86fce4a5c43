import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layOut, type LayoutOrder } from "../../page/conversation/layout.ts";
import { pictureOf, placeNames } from "../../page/conversation/picture.ts";
import { drawingOf, type Pair } from "../../page/conversation/traffic.ts";
import { drawTree, listed, type ChainLetter } from "../../page/conversation/tree.ts";

const pair = (from: string, to: string, sent: number): Pair => ({ from, to, sent, taken: sent, newest: "" });
const ring = (many: number): readonly Pair[] =>
  Array.from({ length: many }, (_, n) => pair(String(n + 1), String(((n + 1) % many) + 1), 1 + (n % 9)));

function orderOf(pairs: readonly Pair[]): LayoutOrder {
  const { parties, lines } = drawingOf(pairs);
  return { nodes: parties, links: lines, aspect: 2 };
}

describe("who talks to whom, drawn", () => {
  it("has everybody who said or heard something, and of very many lines the strongest: at least one of each", () => {
    const crowd = Array.from({ length: 500 }, (_, n) => pair("1", String(n + 2), 1));
    const loud = Array.from({ length: 900 }, (_, n) =>
      pair(`${1 + (n % 30)}`, `${40 + Math.floor(n / 30)}`, 50),
    );
    const { parties, lines, left } = drawingOf([...crowd, ...loud, pair("7", "7", 99)]);
    expect(parties).toHaveLength(501);
    expect([lines.length, left]).toEqual([600, 800]);
    const reached = new Set(lines.flatMap(({ from, to }) => [from, to]));
    expect(parties.filter(({ id }) => !reached.has(id))).toEqual([]);
    expect(Math.max(...lines.map(({ strength }) => strength))).toBe(1);
  });

  it("is the same each time, and moves little where somebody is new", () => {
    const order = orderOf(ring(12));
    const first = layOut(order);
    expect(layOut(order)).toEqual(first);
    const more = orderOf([...ring(12), pair("1", "13", 3)]);
    const nodes = more.nodes.map((node) => ({ ...node, spot: first.get(node.id) }));
    const second = layOut({ ...more, nodes });
    expect([...second.keys()]).toContain("13");
    const across = Math.max(...[...first.values()].map(({ x }) => Math.abs(x)));
    for (const [id, { x, y }] of first) {
      const now = second.get(id)!;
      expect(Math.hypot(now.x - x, now.y - y)).toBeLessThan(across);
    }
  });

  it("fits into its box, whatever is said, and no name stands on another one", () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 }), fc.nat(300)), {
          minLength: 1,
          maxLength: 60,
        }),
        (talk) => {
          const pairs = talk.map(([from, to, sent]) => pair(String(from), String(to), sent + 1));
          const box = { width: 800, height: 400 };
          const drawing = drawingOf(pairs);
          const picture = pictureOf(drawing, layOut(orderOf(pairs)), box);
          const { parties } = picture;
          const names = placeNames(picture, parties, box, (id) => `Agent ${id}`);
          for (const { x, y, radius } of parties) {
            expect(x - radius).toBeGreaterThanOrEqual(0);
            expect(x + radius).toBeLessThanOrEqual(box.width);
            expect(y - radius).toBeGreaterThanOrEqual(0);
            expect(y + radius).toBeLessThanOrEqual(box.height);
          }
          for (const one of names)
            for (const other of names)
              if (one !== other)
                expect(Math.abs(one.y - other.y) >= 15 || Math.abs(one.x - other.x) > 20).toBe(true);
        },
      ),
      { numRuns: 50 },
    ));
});

const said = (id: string, parent: string | null): ChainLetter => ({
  ...{
    id,
    from: "1",
    to: "2",
    at: "",
    root: "a",
    lane: "normal",
    spontaneous: false,
    state: "taken",
    why: null,
    opening: id,
  },
  ...{ chars: 1, event: { agent: "1", seq: 1 }, takenAt: null, parent },
});

describe("a chain, drawn", () => {
  const chain = [
    said("a", null),
    said("b", "a"),
    said("c", "a"),
    said("d", "b"),
    said("x", "y"),
    said("y", "x"),
  ];

  it("is listed from each message to those that came of it; what leads to itself is left out", () => {
    expect(listed(chain).map(({ letter, depth }) => `${depth} ${letter.id}`)).toEqual([
      "0 a",
      "1 b",
      "2 d",
      "1 c",
    ]);
  });

  it("has a box for each, from left to right, and a way from each to what came of it", () => {
    const { boxes, ways, width, height } = drawTree(chain.slice(0, 4));
    const left = new Map(boxes.map((box) => [box.letter.id, box.left]));
    expect(left.get("a")).toBeLessThan(left.get("b")!);
    expect(left.get("b")).toBe(left.get("c"));
    expect(left.get("b")).toBeLessThan(left.get("d")!);
    expect(ways.map(({ key }) => key)).toEqual(["b", "c", "d"]);
    for (const box of boxes) expect([box.left < width, box.top < height]).toEqual([true, true]);
  });
});
