import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Event, NewEvent } from "../../src/domain/event.ts";
import { forkPoint } from "../../src/past/fork-point.ts";
import { decision, message, result, unparsed } from "../domain/event-lines.ts";

const sent: NewEvent = { kind: "sent", upTo: 0 };
const branch = (to: number): NewEvent => ({ kind: "branch", to });

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
    expect(await points([...open, branch(1), result("y", "ok")])).toEqual([1, 1, 1, 1, 1, 6]);
  });

  it("is what a fork goes on from, at the fork and before a decision behind it", async () => {
    expect(await points([message("a"), message("b"), branch(1), decision("d", "x")])).toEqual([1, 2, 1, 1]);
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
