import { describe, expect, it } from "vitest";
import { inTurns, inTurnsEach, readAhead } from "../../src/base/turns.ts";
import { byHand } from "../world.ts";

describe("turns", () => {
  it("come one after the other, whatever becomes of each", async () => {
    const inTurn = inTurns();
    const seen: string[] = [];
    const first = byHand();
    const failing = inTurn(() => first.promise.then(() => Promise.reject(new Error("failed"))));
    const next = inTurn(() => Promise.resolve(void seen.push("next")));
    seen.push("before");
    first.resolve();
    await expect(failing).rejects.toThrow("failed");
    await next;
    expect(seen).toEqual(["before", "next"]);
  });

  it("of different keys run side by side, those of one key one after the other, whatever becomes of each", async () => {
    const inTurn = inTurnsEach();
    const seen: string[] = [];
    const first = byHand();
    const failing = inTurn("a", () => first.promise.then(() => Promise.reject(new Error("failed"))));
    const second = inTurn("a", () => Promise.resolve(void seen.push("a")));
    await inTurn("b", () => Promise.resolve(void seen.push("b")));
    first.resolve();
    await expect(failing).rejects.toThrow("failed");
    await second;
    await inTurn("a", () => Promise.resolve(void seen.push("a again")));
    expect(seen).toEqual(["b", "a", "a again"]);
  });
});

describe("what is read ahead", () => {
  it("comes in its order, with no more of it under way than asked for", async () => {
    const begun: number[] = [];
    const ends = new Map<number, () => void>();
    const all = readAhead([1, 2, 3, 4], 2, (n) => {
      begun.push(n);
      return new Promise<number>((resolve) => void ends.set(n, () => resolve(n)));
    });
    const first = all.next();
    expect(begun).toEqual([1, 2, 3]);
    ends.get(3)!();
    ends.get(1)!();
    expect(await first).toEqual({ done: false, value: 1 });
    const second = all.next();
    expect(begun).toEqual([1, 2, 3, 4]);
    for (const end of ends.values()) end();
    expect([(await second).value, (await all.next()).value, (await all.next()).value]).toEqual([2, 3, 4]);
    expect((await all.next()).done).toBe(true);
  });

  it("is nothing of nothing", async () => {
    expect(await readAhead([], 2, () => Promise.resolve(1)).next()).toEqual({ done: true, value: undefined });
  });
});
