// A chain of messages as a tree: in the order in which one leads to the next, and as it is drawn. Pure.

import { Graph, layout } from "@dagrejs/dagre";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import type { Box } from "./picture.ts";

export type ChainLetter = ReadingAnswer<"chain">["messages"][number];

export interface ListedLetter {
  readonly letter: ChainLetter;
  /** 0 for one that nothing known led to. */
  readonly depth: number;
}

/** Each before those that came of it, oldest first. What leads to itself is left out. */
export function listed(letters: readonly ChainLetter[]): readonly ListedLetter[] {
  const below = new Map<string | null, ChainLetter[]>();
  for (const letter of letters) {
    const siblings = below.get(letter.parent) ?? [];
    siblings.push(letter);
    below.set(letter.parent, siblings);
  }
  const open = (parent: string | null, depth: number): ListedLetter[] =>
    (below.get(parent) ?? []).map((letter) => ({ letter, depth })).reverse();
  const stack = open(null, 0);
  const found: ListedLetter[] = [];
  for (let next = stack.pop(); next; next = stack.pop()) {
    found.push(next);
    stack.push(...open(next.letter.id, next.depth + 1));
  }
  return found;
}

export interface DrawnBox {
  readonly letter: ChainLetter;
  readonly left: number;
  readonly top: number;
}

export interface DrawnTree extends Box {
  readonly boxes: readonly DrawnBox[];
  /** Of an SVG. */
  readonly ways: readonly { readonly key: string; readonly path: string }[];
}

export const BOX: Box = { width: 190, height: 44 };

/** From left to right. */
export function drawTree(letters: readonly ChainLetter[]): DrawnTree {
  const graph = new Graph().setGraph({
    rankdir: "LR",
    ranker: "tight-tree",
    nodesep: 10,
    ranksep: 40,
    marginx: 4,
    marginy: 4,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  const known = new Set(letters.map(({ id }) => id));
  for (const { id } of letters) graph.setNode(id, { ...BOX });
  for (const { id, parent } of letters) if (parent !== null && known.has(parent)) graph.setEdge(parent, id);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as Partial<Box>;
  return {
    width,
    height,
    boxes: letters.map((letter) => {
      const { x, y } = graph.node(letter.id) as { readonly x: number; readonly y: number };
      return { letter, left: x - BOX.width / 2, top: y - BOX.height / 2 };
    }),
    ways: letters.flatMap(({ id, parent }) => {
      if (parent === null || !known.has(parent)) return [];
      const [from, to] = [graph.node(parent), graph.node(id)] as readonly {
        readonly x: number;
        readonly y: number;
      }[];
      return [{ key: id, path: wayBetween(from!, to!) }];
    }),
  };
}

function wayBetween(
  from: { readonly x: number; readonly y: number },
  to: { readonly x: number; readonly y: number },
): string {
  const [left, right] = [from.x + BOX.width / 2, to.x - BOX.width / 2];
  const middle = (left + right) / 2;
  return `M${left} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${right} ${to.y}`;
}
