import { expect, it } from "vitest";
import { pathOf, stemsOf } from "../../page/agent/stems.ts";
import { pathTo } from "../../src/past/branch.ts";

const FORKS = [
  { seq: 8, to: 5 },
  { seq: 12, to: 10 },
  { seq: 15, to: 3 },
];

it("a log's branches are a tree, and what leads to the end of each is what the log says", () => {
  const stems = stemsOf(FORKS, 20);
  expect(stems.map(({ first, last, from, depth }) => [first, last, from, depth])).toEqual([
    [1, 7, null, 0],
    [8, 11, 5, 1],
    [12, 14, 10, 2],
    [15, 20, 3, 1],
  ]);
  for (const stem of stems) {
    const numbers = (path: readonly (readonly [number, number])[]): readonly number[] =>
      path.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index));
    // What says that it goes on from elsewhere is shown, too.
    const isFork = (seq: number): boolean => FORKS.some((fork) => fork.seq === seq);
    expect(numbers(pathOf(stems, stem)).filter((seq) => !isFork(seq))).toEqual(
      numbers(pathTo(FORKS, stem.last)).filter((seq) => !isFork(seq)),
    );
  }
});
