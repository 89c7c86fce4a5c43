import { describe, expect, it } from "vitest";
import { LegionError } from "../../src/errors.ts";
import { createLimiter, type LimitedCall, type LimiterOptions, type Retry } from "../../src/model/limiter.ts";

/** Time that passes when the test says so. */
function createTime() {
  let now = 1_000;
  const sleepers = new Set<{ due: number; wake: () => void }>();
  return {
    now: () => now,
    sleep: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const sleeper = { due: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal.addEventListener("abort", () => void (sleepers.delete(sleeper) && resolve()), { once: true });
      }),
    sleepers,
    async pass(ms: number) {
      now += ms;
      for (const sleeper of sleepers) if (sleeper.due <= now && sleepers.delete(sleeper)) sleeper.wake();
      await settled();
    },
  };
}

/** Everything that can happen without time passing has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function busy(retryAfterMs?: number): LegionError {
  return new LegionError("MODEL_BUSY", "the provider is busy", { retryAfterMs });
}

/** An attempt that ends when the test says so. */
function held() {
  const calls: { resolve: (value: string) => void; reject: (error: unknown) => void; attempt: number }[] = [];
  return {
    calls,
    attempt: (attempt: number) =>
      new Promise<string>((resolve, reject) => void calls.push({ resolve, reject, attempt })),
  };
}

function setUp(options: Partial<LimiterOptions> = {}) {
  const time = createTime();
  const limiter = createLimiter({ clock: time, random: () => 1, ...options });
  const call = (more: Partial<LimitedCall> = {}): LimitedCall => ({
    provider: "p",
    signal: new AbortController().signal,
    ...more,
  });
  return { time, limiter, call };
}

describe("limiter", () => {
  it("lets no more calls than allowed run at once, first come first served (N1)", async () => {
    const { limiter, call } = setUp({ concurrency: 2 });
    const { calls, attempt } = held();
    const started: number[] = [];
    const runs = Promise.allSettled(
      [0, 1, 2, 3, 4].map((n) =>
        limiter.run(call(), (number) => {
          started.push(n);
          return attempt(number);
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

  it("keeps providers apart (N1, N2)", async () => {
    const { limiter, call, time } = setUp({ concurrency: 1 });
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
    const retries: Retry[] = [];
    const run = limiter.run(call({ onRetry: (retry) => retries.push(retry) }), attempt);
    for (let n = 0; n < 10; n++) {
      await settled();
      calls[n]!.reject(busy(86_400_000));
      await settled();
      await time.pass(300_000);
    }
    calls[10]!.resolve("ok");
    expect(await run).toBe("ok");
    expect(calls.map((made) => made.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(retries[9]).toEqual({ reason: "the provider is busy", waitMs: 300_000, attempt: 10 });
  });

  it("backs off exponentially with full jitter where no wait was named (N3)", async () => {
    for (const share of [1, 0.5]) {
      const { limiter, call, time } = setUp({ random: () => share });
      const waits: number[] = [];
      const { calls, attempt } = held();
      const run = limiter.run(call({ onRetry: ({ waitMs }) => waits.push(waitMs) }), attempt);
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
    const retries: Retry[] = [];
    const run = limiter.run(call({ onRetry: (retry) => retries.push(retry) }), attempt);
    for (const error of [busy(), busy(3_000), busy()]) {
      await settled();
      calls.at(-1)!.reject(error);
      await settled();
      await time.pass(retries.at(-1)!.waitMs);
    }
    const last = busy();
    calls.at(-1)!.reject(last);
    await expect(run).rejects.toBe(last);
    expect(retries.map(({ waitMs }) => waitMs)).toEqual([1_000, 3_000, 4_000]);
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

  it("asks before each attempt, and ends with what that throws", async () => {
    const { limiter, call, time } = setUp();
    const { calls, attempt } = held();
    const limit = new LegionError("LIMIT", "nothing left");
    const asked: number[] = [];
    const before = async (number: number): Promise<void> => {
      asked.push(number);
      if (number === 2) throw limit;
    };
    const run = limiter.run(call({ before }), attempt);
    await settled();
    calls[0]!.reject(busy());
    await settled();
    expect(asked).toEqual([1]);
    await Promise.all([expect(run).rejects.toBe(limit), time.pass(1_000)]);
    expect(calls).toHaveLength(1);
    expect(asked).toEqual([1, 2]);
  });

  it("frees the place of whoever leaves while waiting, while running, or for a limit (N4)", async () => {
    const { limiter, call, time } = setUp({ concurrency: 1 });
    const { calls, attempt } = held();
    const first = limiter.run(call(), attempt);
    const queued = new AbortController();
    const leaver = limiter.run(call({ signal: queued.signal }), attempt);
    const third = limiter.run(call(), attempt);
    await settled();
    queued.abort("changed my mind");
    await expect(leaver).rejects.toBe("changed my mind");
    calls[0]!.reject(new LegionError("MODEL_REFUSED", "no"));
    await expect(first).rejects.toThrow("no");
    await settled();
    calls[1]!.reject(busy(50_000));
    await settled();
    const waiting = new AbortController();
    const last = limiter.run(call({ signal: waiting.signal }), attempt);
    await time.pass(50_000);
    calls[2]!.resolve("ok");
    expect(await third).toBe("ok");
    await settled();
    calls[3]!.resolve("ok");
    expect(await last).toBe("ok");
  });

  it("rejects with the reason of an abort during a wait, without another attempt (N4)", async () => {
    const { limiter, call, time } = setUp({ concurrency: 1 });
    const { calls, attempt } = held();
    const caller = new AbortController();
    const run = limiter.run(call({ signal: caller.signal }), attempt);
    await settled();
    calls[0]!.reject(busy(10_000));
    await settled();
    caller.abort("stop");
    await expect(run).rejects.toBe("stop");
    expect(time.sleepers.size).toBe(0);
    const next = limiter.run(call(), attempt);
    await time.pass(10_000);
    calls[1]!.resolve("ok");
    expect(await next).toBe("ok");
  });

  it("lets nobody wait for a call that was given up (N2)", async () => {
    const { limiter, call } = setUp();
    const { calls, attempt } = held();
    const caller = new AbortController();
    const run = limiter.run(call({ signal: caller.signal }), attempt);
    await settled();
    caller.abort("stop");
    calls[0]!.reject(busy(60_000));
    await expect(run).rejects.toBe("stop");
    expect(await limiter.run(call(), async () => "at once")).toBe("at once");
  });

  it("makes no attempt for a signal that is aborted already", async () => {
    const { limiter, call } = setUp();
    const attempt = (): Promise<never> => Promise.reject(new Error("it was made"));
    await expect(limiter.run(call({ signal: AbortSignal.abort("no") }), attempt)).rejects.toBe("no");
  });
});
