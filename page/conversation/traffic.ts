// What of all the talk is drawn, and how large. Pure.

import type { ReadingAnswer } from "../../src/control/api/readings.ts";

export type Pair = ReadingAnswer<"conversation">["pairs"][number];

export interface Party {
  readonly id: string;
  /** What it sent and what it was sent. */
  readonly messages: number;
  readonly radius: number;
}

export interface Line {
  /** `<from>><to>`. */
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly messages: number;
  /** From 0 to 1. */
  readonly strength: number;
}

export interface Drawing {
  /** Those that say most first. */
  readonly parties: readonly Party[];
  readonly lines: readonly Line[];
  /** How many pairs are not drawn. */
  readonly left: number;
}

const MOST_LINES = 600;
const SMALLEST_PX = 4;

/** How many messages there were; a log that is gone does not say what was sent. */
export function trafficOf({ sent, taken }: Pick<Pair, "sent" | "taken">): number {
  return Math.max(sent, taken);
}

/** Of each party the strongest line, and of all others the strongest. */
export function drawingOf(pairs: readonly Pair[]): Drawing {
  const parties = partiesIn(pairs);
  const others = pairs.filter(({ from, to }) => from !== to);
  const inOrder = others.toSorted((a, b) => trafficOf(b) - trafficOf(a));
  const met = new Set<string>();
  const isFirst = inOrder.map(({ from, to }) => {
    const before = met.size;
    met.add(from).add(to);
    return met.size > before;
  });
  const kept = [
    ...inOrder.filter((_, index) => isFirst[index]),
    ...inOrder.filter((_, index) => !isFirst[index]),
  ].slice(0, MOST_LINES);
  const most = Math.max(1, ...kept.map(trafficOf));
  const lines = kept.map((pair): Line => {
    const { from, to } = pair;
    const messages = trafficOf(pair);
    return { key: `${from}>${to}`, from, to, messages, strength: Math.sqrt(messages / most) };
  });
  return { parties, lines, left: others.length - kept.length };
}

function partiesIn(pairs: readonly Pair[]): readonly Party[] {
  const counts = new Map<string, number>();
  for (const pair of pairs)
    for (const id of new Set([pair.from, pair.to])) counts.set(id, (counts.get(id) ?? 0) + trafficOf(pair));
  const most = Math.max(1, ...counts.values());
  const largest = Math.max(8, 28 - 1.6 * Math.sqrt(counts.size));
  return [...counts]
    .map(([id, messages]) => {
      const radius = SMALLEST_PX + (largest - SMALLEST_PX) * Math.sqrt(messages / most);
      return { id, messages, radius };
    })
    .sort((a, b) => b.messages - a.messages);
}
