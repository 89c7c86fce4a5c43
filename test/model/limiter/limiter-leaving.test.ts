import { describe, expect, it } from "vitest";
import { LegionError } from "../../../src/base/errors.ts";
import { busy, held, settled, setUp } from "../limited.ts";

describe("leaving the limiter", () => {
  it("frees the place of whoever leaves while waiting, while running, or for a limit (N4)", async () => {
    const { limiter, call, time } = setUp({ concurrency: () => 1 });
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
    const { limiter, call, time } = setUp({ concurrency: () => 1 });
    const { calls, attempt } = held();
    const caller = new AbortController();
    const run = limiter.run(call({ signal: caller.signal }), attempt);
    await settled();
    calls[0]!.reject(busy(10_000));
    await settled();
    caller.abort("stop");
    await expect(run).rejects.toBe("stop");
    expect(time.sleeping()).toEqual([]);
    const next = limiter.run(call(), attempt);
    await time.pass(10_000);
    calls[1]!.resolve("ok");
    expect(await next).toBe("ok");
  });

  it("begins nothing and waits for nothing once patience is at an end, but finishes what runs (N4)", async () => {
    const { limiter, call, time } = setUp({ concurrency: () => 2 });
    const { calls, attempt } = held();
    const caller = new AbortController();
    const impatient = call({ patience: caller.signal });
    const [answered, waiting, queued] = [1, 2, 3].map(() => limiter.run(impatient, attempt));
    await settled();
    calls[1]!.reject(busy(60_000));
    await settled();
    const given = Promise.allSettled([waiting, queued]);
    caller.abort("time to go");
    expect(await given).toMatchObject([{ reason: "time to go" }, { reason: "time to go" }]);
    expect(time.sleeping()).toEqual([]);
    calls[0]!.resolve("finished");
    expect(await answered).toBe("finished");
    await expect(limiter.run(impatient, attempt)).rejects.toBe("time to go");
    expect(calls).toHaveLength(2);
  });

  it("does not try again what fails after patience is at an end (N4)", async () => {
    const { limiter, call } = setUp();
    const { calls, attempt } = held();
    const caller = new AbortController();
    const run = limiter.run(call({ patience: caller.signal }), attempt);
    await settled();
    caller.abort("time to go");
    calls[0]!.reject(busy(60_000));
    await expect(run).rejects.toBe("time to go");
    expect(calls).toHaveLength(1);
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

  it("lets nobody wait for a clock that was set back (N2)", async () => {
    const { limiter, call, time } = setUp();
    let attempts = 0;
    const attempt = (): Promise<string> =>
      attempts++ === 0 ? Promise.reject(busy(5_000)) : Promise.resolve("ok");
    const run = limiter.run(call(), attempt);
    await settled();
    expect(time.sleeping()).toEqual([5_000]);
    await time.pass(-86_400_000);
    expect(await limiter.run(call(), async () => "at once")).toBe("at once");
    await time.pass(86_405_000);
    expect(await run).toBe("ok");
  });

  it("makes no attempt for a signal that is aborted already", async () => {
    const { limiter, call } = setUp();
    const attempt = (): Promise<never> => Promise.reject(new Error("it was made"));
    await expect(limiter.run(call({ signal: AbortSignal.abort("no") }), attempt)).rejects.toBe("no");
  });
});
