import { describe, expect, it } from "vitest";
import { inTurns, inTurnsEach } from "../../src/base/turns.ts";
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
