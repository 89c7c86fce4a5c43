import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createClock, type Clock } from "../../src/base/clock.ts";

const never = new AbortController().signal;
let clock: Clock;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setImmediate", "performance", "Date"] });
  clock = createClock();
});
afterEach(() => void vi.useRealTimers());

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
/** While a timer rings, the next turn of the event loop is a millisecond away here. */
const turns = (count: number): Promise<unknown> => pass(count);

/** Notes the names of those that are through, in order. */
function order(): { readonly done: string[]; readonly note: (name: string, wait: Promise<void>) => void } {
  const done: string[] = [];
  return { done, note: (name, wait) => void wait.then(() => done.push(name)) };
}

describe("the clock", () => {
  it("lets the first one through at once: nobody has decided yet", async () => {
    await pass(130);
    const { done, note } = order();
    note("first", clock.beat(1_000, never));
    await pass(0);
    expect(done).toEqual(["first"]);
  });

  it("wakes all that wait for one tick on the same beat, with one timer", async () => {
    await pass(130);
    await Promise.all([clock.beat(1_000, never), pass(0)]);
    await pass(130);
    const { done, note } = order();
    for (const name of ["a", "b", "c"]) {
      note(name, clock.beat(1_000, never));
      await pass(200);
    }
    expect(vi.getTimerCount()).toBe(1);
    expect(done).toEqual([]);
    await pass(269);
    expect(done).toEqual([]);
    await pass(1);
    await turns(2);
    expect(done).toEqual(["a", "b", "c"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("wakes those of one beat one after the other: what each does first is done before the next one begins", async () => {
    await Promise.all([clock.beat(1_000, never), pass(0)]);
    const done: string[] = [];
    const act = async (name: string): Promise<void> => {
      await clock.beat(1_000, never);
      done.push(`${name} begins`);
      for (let step = 0; step < 20; step++) await Promise.resolve();
      done.push(`${name} ends`);
    };
    const acting = ["a", "b", "c"].map(act);
    await pass(1_000);
    await turns(2);
    await Promise.all(acting);
    expect(done).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it("lets one leave whose turn is still to come, and wakes the others", async () => {
    await Promise.all([clock.beat(100, never), pass(0)]);
    const { done, note } = order();
    const leaving = new AbortController();
    note("first", clock.beat(100, never));
    note("leaves", clock.beat(100, leaving.signal));
    note("last", clock.beat(100, never));
    note("sleeps", clock.sleep(150, never));
    await pass(100);
    expect(done).toEqual(["first"]);
    leaving.abort();
    await turns(2);
    expect(done).toEqual(["first", "leaves", "last"]);
    await pass(48);
    expect(done).toEqual(["first", "leaves", "last", "sleeps"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("gives the next beat, not this one, to whoever asks on it", async () => {
    await Promise.all([clock.beat(100, never), pass(0)]);
    const { done, note } = order();
    note(
      "first",
      clock.beat(100, never).then(() => note("second", clock.beat(100, never))),
    );
    await pass(100);
    expect(done).toEqual(["first"]);
    await pass(99);
    expect(done).toEqual(["first"]);
    await pass(1);
    expect(done).toEqual(["first", "second"]);
  });

  it("lets an eager one through at the next turn, without a timer of its own", async () => {
    const { done, note } = order();
    note("eager", clock.beat(0, never));
    await Promise.resolve();
    expect(done).toEqual([]);
    await pass(0);
    expect(done).toEqual(["eager"]);
  });

  it("wakes sleepers in the order of their times, whoever slept first", async () => {
    const { done, note } = order();
    for (const ms of [300, 100, 200]) note(String(ms), clock.sleep(ms, never));
    expect(vi.getTimerCount()).toBe(1);
    await pass(1_000);
    expect(done).toEqual(["100", "200", "300"]);
  });

  it("has no timer left once nobody waits", async () => {
    await Promise.all([clock.beat(1_000, never), pass(0)]);
    const leaving = new AbortController();
    const { done, note } = order();
    for (const ms of [100, 50_000]) note(String(ms), clock.sleep(ms, leaving.signal));
    note("beat", clock.beat(1_000, leaving.signal));
    leaving.abort();
    expect(vi.getTimerCount()).toBe(0);
    await pass(0);
    expect(done).toEqual(["100", "50000", "beat"]);
    await clock.sleep(1_000, leaving.signal);
  });

  it("still wakes the others when the one whose turn is next leaves", async () => {
    const leaving = new AbortController();
    const { done, note } = order();
    note("leaves", clock.sleep(100, leaving.signal));
    note("stays", clock.sleep(400, never));
    leaving.abort();
    await pass(399);
    expect(done).toEqual(["leaves"]);
    await pass(1);
    expect(done).toEqual(["leaves", "stays"]);
  });

  it("sleeps longer than a timer can, without ringing on the way", async () => {
    const { done, note } = order();
    const monthMs = 31 * 24 * 3_600_000;
    note("month", clock.sleep(monthMs, never));
    const set = vi.spyOn(globalThis, "setTimeout");
    await pass(monthMs - 1);
    expect(done).toEqual([]);
    expect(set.mock.calls.length).toBeLessThan(5);
    await pass(1);
    expect(done).toEqual(["month"]);
  });
});
