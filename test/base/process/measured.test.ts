import { expect, it, onTestFinished } from "vitest";
import { COMMITS, timed } from "../../../src/base/process/measured.ts";

it("tells how long it took, whatever came of it, and does it all the same where nobody listens", async () => {
  expect(await timed(COMMITS, () => Promise.resolve("unheard"))).toBe("unheard");
  const told: unknown[] = [];
  const hear = (ms: unknown): void => void told.push(ms);
  COMMITS.subscribe(hear);
  onTestFinished(() => {
    COMMITS.unsubscribe(hear);
  });
  expect(await timed(COMMITS, () => Promise.resolve("heard"))).toBe("heard");
  await expect(timed(COMMITS, () => Promise.reject(new Error("Full.")))).rejects.toThrow("Full.");
  expect(told).toEqual([expect.any(Number), expect.any(Number)]);
});
