import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { along, forkIn, isOn, pathTo, type Fork } from "../../src/past/branch.ts";
import type { Event } from "../../src/domain/event.ts";

const branch = (seq: number, to: number): Event => ({ seq, epoch: 1, at: "", kind: "branch", to });

describe("what leads to an event", () => {
  it("is everything before it, as long as the log has no forks", () => {
    expect(pathTo([])).toEqual([[1, Infinity]]);
    expect(pathTo([], 7)).toEqual([[1, 7]]);
    expect(pathTo([], 0)).toEqual([]);
  });

  it("goes on from where a fork says", () => {
    expect(pathTo([{ seq: 10, to: 4 }], 12)).toEqual([
      [1, 4],
      [11, 12],
    ]);
    expect(pathTo([{ seq: 10, to: 4 }], 9)).toEqual([[1, 9]]);
    expect(pathTo([{ seq: 10, to: 4 }], 10)).toEqual([[1, 4]]);
  });

  it("follows forks of forks, and forks to before an earlier one or back to what one of them left", () => {
    const forks: readonly Fork[] = [
      { seq: 10, to: 4 },
      { seq: 15, to: 12 },
      { seq: 20, to: 2 },
      { seq: 25, to: 8 },
      { seq: 30, to: 17 },
    ];
    expect(pathTo(forks, 19)).toEqual([
      [1, 4],
      [11, 12],
      [16, 19],
    ]);
    expect(pathTo(forks, 24)).toEqual([
      [1, 2],
      [21, 24],
    ]);
    expect(pathTo(forks, 29)).toEqual([
      [1, 8],
      [26, 29],
    ]);
    expect(pathTo(forks)).toEqual([
      [1, 4],
      [11, 12],
      [16, 17],
      [31, Infinity],
    ]);
  });

  it("is found by going from each event to the one before it (property)", () => {
    const steps = fc.array(fc.option(fc.nat(), { nil: undefined }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(steps, fc.nat(), (picks, pick) => {
        const forks: Fork[] = [];
        const parents: number[] = [0];
        let end = 0;
        for (const [index, to] of picks.entries()) {
          const seq = index + 1;
          parents[seq] = end;
          end = seq;
          if (to === undefined) continue;
          forks.push({ seq, to: to % seq });
          end = to % seq;
        }
        const isFork = (seq: number): Fork | undefined => forks.find((fork) => fork.seq === seq);
        const seq = 1 + (pick % picks.length);
        const expected = new Set<number>();
        for (let at = seq; at > 0;) {
          const fork = isFork(at);
          if (!fork) expected.add(at);
          at = fork ? fork.to : parents[at]!;
        }
        const path = pathTo(forks, seq);
        for (let at = 1; at <= picks.length; at++) expect(isOn(path, at)).toBe(expected.has(at));
        expect(path.flat()).toEqual(path.flat().toSorted((a, b) => a - b));
      }),
    );
  });
});

describe("a fork", () => {
  it("that names no earlier event is none", () => {
    expect(forkIn(branch(5, 3))).toEqual({ seq: 5, to: 3 });
    expect(forkIn(branch(5, 0))).toEqual({ seq: 5, to: 0 });
    for (const to of [5, 6, -1, 1.5, NaN]) expect(forkIn(branch(5, to))).toBeUndefined();
    expect(forkIn({ seq: 5, epoch: 1, at: "", kind: "sent", upTo: 3 })).toBeUndefined();
  });
});

it("a branch is read without what lies beside it, and no further than its end", async () => {
  let read = 0;
  async function* log(): AsyncGenerator<Event> {
    for (let seq = 1; seq <= 20; seq++) {
      read = seq;
      yield { seq, epoch: 1, at: "", kind: "sent", upTo: 0 };
    }
  }
  const seqs: number[] = [];
  for await (const { seq } of along(log(), pathTo([{ seq: 5, to: 2 }], 7))) seqs.push(seq);
  expect(seqs).toEqual([1, 2, 6, 7]);
  expect(read).toBe(8);
});
