import { describe, expect, it } from "vitest";
import { LegionError } from "../../../src/base/errors.ts";
import type { ProviderWait } from "../../../src/model/limiter/limiter.ts";
import { busy, held, settled, setUp } from "../limited.ts";

describe("limiter", () => {
  it("lets no more calls than allowed run at once, first come first served (N1)", async () => {
    const { limiter, call } = setUp({ concurrency: () => 2 });
    const { calls, attempt } = held();
    const started: number[] = [];
    const runs = Promise.allSettled(
      [0, 1, 2, 3, 4].map((n) =>
        limiter.run(call(), () => {
          started.push(n);
          return attempt();
        }),
      ),
    );
    await settled();
    expect(started).toEqual([0, 1]);
    calls[1]!.resolve("one");
    await settled();
    expect(started).toEqual([0, 1, 2]);
    calls[0]!.reject(new Error("zero"));
    calls[2]!.resolve("two");
    await settled();
    expect(started).toEqual([0, 1, 2, 3, 4]);
    calls[3]!.resolve("three");
    calls[4]!.resolve("four");
    expect(await runs).toMatchObject([
      { status: "rejected" },
      { value: "one" },
      { value: "two" },
      { value: "three" },
      { value: "four" },
    ]);
  });

  it("gives each provider its own number of places, eight where none is said (N1)", async () => {
    const places: Readonly<Record<string, number>> = { narrow: 1, wide: 3 };
    const { limiter, call } = setUp({ concurrency: (provider) => places[provider] });
    const { calls, attempt } = held();
    const providers = ["narrow", "wide", "other"];
    const runs = providers.flatMap((provider) =>
      Array.from({ length: 10 }, () =>
        limiter.run(call({ provider }), async () => (await attempt(), provider)),
      ),
    );
    await settled();
    expect(calls).toHaveLength(1 + 3 + 8);
    for (let n = 0; n < runs.length; n++) {
      calls[n]!.resolve("ok");
      await settled();
    }
    expect(await Promise.all(runs)).toHaveLength(30);
  });

  it("keeps providers apart (N1, N2)", async () => {
    const { limiter, call, time } = setUp({ concurrency: () => 1 });
    const { calls, attempt } = held();
    const first = limiter.run(call({ provider: "a" }), attempt);
    await settled();
    calls[0]!.reject(busy(60_000));
    await settled();
    expect(await limiter.run(call({ provider: "b" }), async () => "free")).toBe("free");
    await time.pass(60_000);
    calls[1]!.resolve("at last");
    expect(await first).toBe("at last");
  });

  it("leaves a provider that asks for patience alone until the wait is over (N2)", async () => {
    const { limiter, call, time } = setUp();
    const { calls, attempt } = held();
    const first = limiter.run(call(), attempt);
    await settled();
    calls[0]!.reject(busy(5_000));
    await settled();
    const others = [1, 2].map(() => limiter.run(call(), attempt));
    await time.pass(4_999);
    expect(calls).toHaveLength(1);
    await time.pass(1);
    expect(calls).toHaveLength(4);
    for (const { resolve } of calls) resolve("ok");
    expect(await Promise.all([first, ...others])).toEqual(["ok", "ok", "ok"]);
  });

  it("waits for the longest of several wishes (N2)", async () => {
    const { limiter, call, time } = setUp();
    const { calls, attempt } = held();
    const runs = [0, 1].map(() => limiter.run(call(), attempt));
    await settled();
    calls[0]!.reject(busy(9_000));
    calls[1]!.reject(busy(2_000));
    await settled();
    await time.pass(8_999);
    expect(calls).toHaveLength(2);
    await time.pass(1);
    expect(calls).toHaveLength(4);
    for (const { resolve } of calls) resolve("ok");
    await Promise.all(runs);
  });

  it("tries as often as the provider asks for it, and heeds no wish beyond five minutes (N3)", async () => {
    const { limiter, call, time } = setUp({ tries: 1 });
    const { calls, attempt } = held();
    const waits: ProviderWait[] = [];
    const run = limiter.run(call({ onWait: (wait) => waits.push(wait) }), attempt);
    for (let n = 0; n < 10; n++) {
      await settled();
      calls[n]!.reject(busy(86_400_000));
      await settled();
      await time.pass(300_000);
    }
    calls[10]!.resolve("ok");
    expect(await run).toBe("ok");
    expect(calls).toHaveLength(11);
    expect(waits[9]).toEqual({ reason: "the provider is busy", waitMs: 300_000 });
  });

  it("backs off exponentially with full jitter where no wait was named (N3)", async () => {
    for (const share of [1, 0.5]) {
      const { limiter, call, time } = setUp({ random: () => share });
      const waits: number[] = [];
      const { calls, attempt } = held();
      const run = limiter.run(call({ onWait: ({ waitMs }) => waits.push(waitMs) }), attempt);
      for (let n = 0; n < 9; n++) {
        await settled();
        calls[n]!.reject(busy(0));
        await settled();
        await time.pass(waits.at(-1)!);
      }
      calls[9]!.resolve("ok");
      await run;
      expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000 * share));
    }
  });

  it("gives up on a call that broke after three tries (N3)", async () => {
    const { limiter, call, time } = setUp();
    const { calls, attempt } = held();
    const waits: ProviderWait[] = [];
    const run = limiter.run(call({ onWait: (wait) => waits.push(wait) }), attempt);
    for (const error of [busy(), busy(3_000), busy()]) {
      await settled();
      calls.at(-1)!.reject(error);
      await settled();
      await time.pass(waits.at(-1)!.waitMs);
    }
    const last = busy();
    calls.at(-1)!.reject(last);
    await expect(run).rejects.toBe(last);
    expect(waits.map(({ waitMs }) => waitMs)).toEqual([1_000, 3_000, 4_000]);
    expect(calls).toHaveLength(4);
  });

  it.each([
    new LegionError("MODEL_REFUSED", "no"),
    new LegionError("CONTEXT_OVERFLOW", "too long"),
    new LegionError("LIMIT", "too dear"),
    new Error("a bug"),
  ])("does not try again after $message (N3)", async (error) => {
    const { limiter, call } = setUp();
    let attempts = 0;
    const attempt = (): Promise<never> => {
      attempts++;
      return Promise.reject(error);
    };
    await expect(limiter.run(call(), attempt)).rejects.toBe(error);
    expect(attempts).toBe(1);
  });

  it("tells everybody who waits, once for each wait (N2)", async () => {
    const { limiter, call, time } = setUp({ concurrency: () => 2 });
    const { calls, attempt } = held();
    const told: string[] = [];
    const runs = ["a", "b", "c"].map((name) =>
      limiter.run(
        call({ onWait: ({ reason, waitMs }) => told.push(`${name}: ${reason} ${waitMs}`) }),
        attempt,
      ),
    );
    await settled();
    calls[0]!.reject(busy(9_000));
    await settled();
    expect(told).toEqual(["a: the provider is busy 9000"]);
    calls[1]!.resolve("ok");
    await time.pass(4_000);
    expect(told.slice(1)).toEqual(["c: the provider is busy 5000"]);
    await time.pass(5_000);
    expect(told).toHaveLength(2);
    for (const { resolve } of calls) resolve("ok");
    expect(await Promise.all(runs)).toEqual(["ok", "ok", "ok"]);
  });

  it("is asked no more than once a second in the end, however short a wait the provider names (N2)", async () => {
    const { limiter, call, time } = setUp();
    const { calls, attempt } = held();
    void limiter.run(call(), attempt).catch(() => undefined);
    await settled();
    for (let tries = 1; tries <= 12; tries++) {
      calls.at(-1)!.reject(busy(1));
      await settled();
      expect(time.sleeping()).toEqual([tries > 8 ? 1_000 : 1]);
      await time.pass(time.sleeping()[0]!);
      expect(calls).toHaveLength(tries + 1);
    }
  });
});
