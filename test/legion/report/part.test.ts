import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Event } from "../../../src/domain/event/event.ts";
import { partOf, partSince, wholePart } from "../../../src/legion/report/part.ts";
import { MOST_LINES } from "../../../src/legion/report/report.ts";
import { createDigest } from "../../../src/past/digest/digest.ts";
import { anyLog } from "../../past/digest/any-log.ts";

async function digestOf(log: readonly Event[]) {
  const fold = createDigest();
  for (const event of log) fold.see(event);
  await fold.settle(async function* () {
    yield* log;
  });
  return fold.digest;
}

/** As it comes from a file. */
function kept<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Also those that cut the log, and its minutes, in two. */
function timesAround(log: readonly Event[]): readonly number[] {
  const atMs = log.map(({ at }) => Date.parse(at));
  const minutes = atMs.map((ms) => Math.floor(ms / 60_000) * 60_000);
  return [-Infinity, ...[...atMs, ...minutes].flatMap((ms) => [ms - 1, ms, ms + 1]), Date.now()];
}

describe("what an agent adds to a report of a time", () => {
  it("is what was kept of all that is recorded, wherever that tells (property)", async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, async (log) => {
        const digest = await digestOf(log);
        const whole = kept(wholePart.of("1", digest));
        expect(wholePart.schema.parse(whole)).toEqual(whole);
        for (const sinceMs of timesAround(log)) {
          const told = partSince(whole, sinceMs, MOST_LINES);
          if (told) expect(told).toEqual(kept(partOf("1", digest, sinceMs, MOST_LINES)));
        }
      }),
    );
  });

  it("tells of all that is recorded, and of a time behind it, without the digest (property)", async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, async (log) => {
        const whole = kept(wholePart.of("1", await digestOf(log)));
        expect(partSince(whole, -Infinity, MOST_LINES)).toBe(whole.part);
        expect(partSince(whole, Date.now(), MOST_LINES)?.inTime.deeds.causes).toEqual([]);
      }),
    );
  });

  it("is read from the digest where every line is to be told", async () => {
    const log = fc.sample(anyLog, 1)[0]!;
    const whole = wholePart.of("1", await digestOf(log));
    expect(partSince(whole, -Infinity, Infinity)).toBeUndefined();
  });
});
