import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { along, forkIn, forkPoint, isOn, pathTo, type Fork } from "../../src/past/branch.ts";
import type { Event, NewEvent } from "../../src/domain/event/event.ts";
import { decision, message, result, unparsed } from "../domain/event/event-lines.ts";

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

const sent: NewEvent = { kind: "sent", upTo: 0 };
const branchTo = (to: number): NewEvent => ({ kind: "branch", to });

async function* log(events: readonly NewEvent[], lost: readonly number[] = []): AsyncGenerator<Event> {
  for (const [index, event] of events.entries())
    if (!lost.includes(index + 1)) yield { seq: index + 1, epoch: 1, at: "", ...event };
}

const points = (events: readonly NewEvent[]): Promise<readonly number[]> =>
  Promise.all(events.map((_, index) => forkPoint(log(events), index + 1, "Agent 1")));

describe("the event that a person means", () => {
  it("is itself, outside of a decision", async () => {
    expect(await points([message("a"), sent, decision("no call"), message("b")])).toEqual([1, 2, 3, 4]);
  });

  it("is the last result of its decision", async () => {
    const log = [message("a"), decision("d", "x", "y"), sent, result("x", "ok"), result("y", "error"), sent];
    expect(await points(log)).toEqual([1, 5, 5, 5, 5, 6]);
    expect(await points([unparsed("?"), result(null, "error")])).toEqual([2, 2]);
  });

  it("is the one before a decision that was not finished, however that is left", async () => {
    const open = [message("a"), decision("d", "x", "y"), result("x", "ok"), sent];
    expect(await points(open)).toEqual([1, 1, 1, 1]);
    expect(await points([...open, decision("next")])).toEqual([1, 1, 1, 1, 5]);
    expect(await points([...open, branchTo(1), result("y", "ok")])).toEqual([1, 1, 1, 1, 1, 6]);
  });

  it("is what a fork goes on from, at the fork and before a decision behind it", async () => {
    expect(await points([message("a"), message("b"), branchTo(1), decision("d", "x")])).toEqual([1, 2, 1, 1]);
  });

  it("has to be there", async () => {
    const events = [message("a"), message("b"), message("c")];
    await expect(forkPoint(log(events), 4, "Agent 1")).rejects.toThrow(
      "there is no event 4: the log of Agent 1 ends at 3",
    );
    await expect(forkPoint(log([]), 1, "Agent 1")).rejects.toThrow(
      "there is no event 1: the log of Agent 1 ends at 0",
    );
    await expect(forkPoint(log(events, [2]), 2, "Agent 1")).rejects.toThrow("event 2 of Agent 1 is lost");
  });

  it("never leaves a call without a result (property)", async () => {
    const ids = ["x", "y"];
    const done = fc.nat(2).map((n) => {
      const calls = ids.slice(0, n);
      return [decision("d", ...calls), sent, ...calls.map((call) => result(call, "ok"))];
    });
    const steps = fc.array(fc.oneof(fc.constant([message("m")]), done), { minLength: 1, maxLength: 10 });
    const cut = fc.tuple(steps, fc.nat()).map(([all, length]) => {
      const events = all.flat();
      return events.slice(0, 1 + (length % events.length));
    });
    await fc.assert(
      fc.asyncProperty(cut, fc.nat(), async (events, pick) => {
        const at = 1 + (pick % events.length);
        const to = await forkPoint(log(events), at, "Agent 1");
        let open = new Set<string | null>();
        for (const event of events.slice(0, to)) {
          if (event.kind === "decision") open = new Set(event.calls.map(({ id }) => id));
          if (event.kind === "result") open.delete(event.call);
        }
        expect([...open]).toEqual([]);
      }),
    );
  });
});
