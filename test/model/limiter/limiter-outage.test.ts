import { describe, expect, it } from "vitest";
import { LegionError } from "../../../src/base/errors.ts";
import { busy, held, setUp, settled } from "../limited.ts";

/** A limiter whose provider has just broken five calls, of five agents that give up at the first. */
async function down() {
  const outages: (string | undefined)[] = [];
  const limited = setUp({
    tries: 1,
    onOutage: (provider, reason) => outages.push(reason && `${provider}: ${reason}`),
  });
  const { limiter, call } = limited;
  const broken = Array.from({ length: 5 }, () => limiter.run(call(), () => Promise.reject(busy())));
  await Promise.allSettled(broken);
  return { ...limited, outages };
}

describe("a provider that is down", () => {
  it("is asked by nobody for half a minute after five calls broke within a minute (N5)", async () => {
    const { limiter, call, time, outages } = await down();
    const { calls, attempt } = held();
    const waits: number[] = [];
    const onWait = ({ waitMs }: { readonly waitMs: number }): void => void waits.push(waitMs);
    void limiter.run(call({ onWait }), attempt);
    await settled();
    await time.pass(29_999);
    expect(calls).toHaveLength(0);
    expect(waits).toEqual([30_000]);
    await time.pass(1);
    expect(calls).toHaveLength(1);
    expect(outages).toEqual(["p: the provider is busy"]);
  });

  it("is tried by one agent for all, and by all once that was answered (N5)", async () => {
    const { limiter, call, time, outages } = await down();
    const { calls, attempt } = held();
    const runs = [1, 2, 3].map(() => limiter.run(call(), attempt));
    await time.pass(30_000);
    expect(calls).toHaveLength(1);
    calls[0]!.resolve("back");
    await settled();
    expect(calls).toHaveLength(3);
    for (const { resolve } of calls) resolve("back");
    expect(await Promise.all(runs)).toEqual(["back", "back", "back"]);
    expect(outages).toEqual(["p: the provider is busy", undefined]);
  });

  it("is left alone for twice as long after each try that broke, up to five minutes (N5)", async () => {
    const { limiter, call, time, outages } = await down();
    for (const waitMs of [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]) {
      const { calls, attempt } = held();
      const run = limiter.run(call(), attempt);
      await time.pass(waitMs - 1);
      expect(calls).toHaveLength(0);
      await time.pass(1);
      calls[0]!.reject(busy());
      await expect(run).rejects.toThrow("busy");
    }
    expect(outages).toEqual(["p: the provider is busy"]);
  });

  it("is not left alone longer for calls that were under way when it was found out (N5)", async () => {
    const { limiter, call, time } = setUp({ tries: 1 });
    const { calls, attempt } = held();
    const runs = Array.from({ length: 8 }, () => limiter.run(call(), attempt).catch(() => undefined));
    await settled();
    for (const { reject } of calls) reject(busy());
    await Promise.all(runs);
    const next = held();
    void limiter.run(call(), next.attempt);
    await time.pass(30_000);
    expect(next.calls).toHaveLength(1);
  });

  it("is tried by nobody else because a call ends that was under way when it was found out (N5)", async () => {
    const { limiter, call, time } = setUp({ tries: 1 });
    const old = held();
    const runs = Array.from({ length: 7 }, () => limiter.run(call(), old.attempt).catch(() => undefined));
    await settled();
    for (const { reject } of old.calls.slice(0, 5)) reject(busy());
    await settled();
    const { calls, attempt } = held();
    for (const _ of [1, 2]) void limiter.run(call(), attempt);
    await time.pass(30_000);
    expect(calls).toHaveLength(1);
    for (const { reject } of old.calls) reject(busy());
    await Promise.all(runs);
    await settled();
    expect(calls).toHaveLength(1);
  });

  it("is tried by the next agent when the one that tries goes away (N4, N5)", async () => {
    const { limiter, call, time } = await down();
    const { calls, attempt } = held();
    const leaving = new AbortController();
    const left = limiter.run(call({ signal: leaving.signal }), () => {
      void attempt();
      return new Promise((_, reject) => leaving.signal.addEventListener("abort", () => reject(busy())));
    });
    void limiter.run(call(), attempt);
    await time.pass(30_000);
    expect(calls).toHaveLength(1);
    leaving.abort(new Error("told to stop"));
    await expect(left).rejects.toThrow("told to stop");
    await settled();
    expect(calls).toHaveLength(2);
  });

  it("is no longer down when it says anything at all (N5)", async () => {
    for (const answer of [new LegionError("MODEL_REFUSED", "401"), busy(1_000)]) {
      const { limiter, call, time, outages } = await down();
      const { calls, attempt } = held();
      limiter.run(call(), attempt).catch(() => undefined);
      await time.pass(30_000);
      calls[0]!.reject(answer);
      await settled();
      expect(outages).toEqual(["p: the provider is busy", undefined]);
    }
  });

  it("is not down after five failures that lie further apart, or with answers between them (N5)", async () => {
    const { limiter, call, time } = setUp({ tries: 1 });
    const fail = (): Promise<unknown> => limiter.run(call(), () => Promise.reject(busy())).catch(() => 0);
    for (let n = 0; n < 8; n++) {
      await fail();
      await time.pass(16_000);
    }
    await time.pass(60_000);
    for (let n = 0; n < 4; n++) await fail();
    await limiter.run(call(), () => Promise.resolve("ok"));
    for (let n = 0; n < 4; n++) await fail();
    const { calls, attempt } = held();
    void limiter.run(call(), attempt);
    await settled();
    expect(calls).toHaveLength(1);
  });
});
