import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDisk } from "../../../../../src/base/files/disk.ts";
import type { PurseLimits } from "../../../../../src/domain/limits.ts";
import { takeLock } from "../../../../../src/storage/folder/lock.ts";
import type { LegionCeiling } from "../../../../../src/past/limits/spending.ts";
import { byHand } from "../../../../world.ts";
import { createHandClock } from "../../../../hand-clock.ts";
import { createTempProject } from "../../../../temp-project.ts";
import { openPaying, written, type PaidCall, type Paying, type PayingOrder } from "./purses.ts";

const A_DAY: PurseLimits = { day: { cost: 8 } };

async function twoHomes(limits: PayingOrder["limits"] = A_DAY) {
  const config = await createTempProject();
  const clock = createHandClock();
  // The first of January in every time zone.
  clock.advance(43_200_000);
  const open = (home: string, more: Partial<PayingOrder> = {}): Promise<Paying> =>
    openPaying({ config, home, limits, clock, ...more });
  return { config, clock, open, a: await open("/a"), b: await open("/b") };
}

/** Holds the book, as another process may that writes in it. */
async function holdBook(config: string): Promise<() => Promise<void>> {
  const folder = join(config, "ai-legion");
  const lock = await takeLock(join(folder, "purse.lock"), createDisk(join(folder, "tmp")), {
    role: "command",
    waitMs: 1_000,
  });
  onTestFinished(() => lock.release());
  return () => lock.release();
}

/** Resolves when what is written is so. */
async function untilWritten(
  config: string,
  holds: (now: ReturnType<typeof written>) => boolean,
): Promise<void> {
  while (!holds(written(config))) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("a purse over two homes", () => {
  it("is never overrun, whatever 20 agents of each ask for at once, and is used up (G1, G10)", async () => {
    const { config, a, b } = await twoHomes();
    const check = (): void => {
      const { spent, allotted } = written(config);
      expect(spent + allotted).toBeLessThanOrEqual(8);
      expect(a.atStake()).toBeLessThanOrEqual(written(config, "/a").allotted + 1e-9);
      expect(b.atStake()).toBeLessThanOrEqual(written(config, "/b").allotted + 1e-9);
    };
    const work = async (paying: Paying, index: number): Promise<number> => {
      const agent = paying.spender(String(index));
      for (let calls = 0; ; calls++) {
        const most = 1 + ((index * 7 + calls * 3) % 20);
        const call = await agent.begin(most).catch((error: { code: string }) => error);
        if ("code" in call) return calls;
        check();
        await new Promise((resolve) => setImmediate(resolve));
        call.end(most - (calls % 2 ? 0 : Math.floor(most / 2)));
        check();
      }
    };
    const all = Array.from({ length: 40 }, (_, index) => work(index % 2 ? a : b, index));
    const calls = (await Promise.all(all)).reduce((sum, made) => sum + made, 0);
    expect(calls).toBeGreaterThan(60);
    await a.purse.close();
    await b.purse.close();
    expect(written(config)).toMatchObject({
      spent: expect.closeTo(a.atStake() + b.atStake(), 9),
      allotted: 0,
    });
    // What is not spent is less than the largest call of each home and what was set aside for it.
    expect(written(config).spent).toBeGreaterThan(6.5);
  });

  it("has what one gives back for the other", async () => {
    const { a, b } = await twoHomes({ day: { cost: 1 } });
    const [mine, others] = [a.spender("1"), b.spender("1")];
    const call = await mine.begin(50);
    await expect(others.begin(60)).rejects.toMatchObject({ code: "LIMIT", limit: "cost" });
    call.end(10);
    await a.purse.close();
    await expect(others.begin(60)).resolves.toMatchObject({ last: true });
  });

  it("asks the last call that fits to wrap up", async () => {
    const { a } = await twoHomes({ day: { cost: 1 } });
    const agent = a.spender("1");
    const lasts = [];
    for (const cents of [30, 30, 30]) {
      const call = await agent.begin(cents);
      lasts.push(call.last);
      call.end(cents);
    }
    expect(lasts).toEqual([false, false, true]);
  });

  it("is not overrun by what others take while more is written down for a call (G10)", async () => {
    const [writing, going] = [byHand(), byHand()];
    let isSlow = false;
    const beforeWriting = async (): Promise<void> => {
      if (!isSlow) return;
      writing.resolve();
      await going.promise;
    };
    const { config, open } = await twoHomes({ day: { cost: 1 } });
    const paying = await open("/c", { beforeWriting });
    (await paying.spender("1").begin(5)).end(5);
    await untilWritten(config, ({ allotted }) => allotted > 0.15);
    isSlow = true;
    const large = paying.spender("2").begin(95);
    await writing.promise;
    const small = await paying.spender("3").begin(5);
    going.resolve();
    await expect(large).rejects.toMatchObject({ code: "LIMIT" });
    small.end(5);
    expect(paying.atStake()).toBeCloseTo(0.1, 9);
  });

  it("is not overrun by calls of one agent that come to it in another order than they began (G1)", async () => {
    const waits = byHand();
    let asked = 0;
    const nearer: LegionCeiling = {
      async reserve() {
        if (++asked === 1) await waits.promise;
        return { kind: "reserved", last: false };
      },
      settle: () => undefined,
      limit: () => Promise.resolve(),
    };
    const { open } = await twoHomes({ day: { cost: 1 } });
    const agent = (await open("/c", { nearer })).spender("1");
    const first = agent.begin(40);
    await agent.begin(40);
    waits.resolve();
    await first;
    await expect(agent.begin(40)).rejects.toMatchObject({ code: "LIMIT" });
  });

  it("limits steps and tokens as well, and nothing else", async () => {
    const { a, b } = await twoHomes({ day: { steps: 2 }, month: { tokens: 100_000 } });
    (await a.spender("1").begin(1)).end(1);
    (await a.spender("2").begin(1)).end(1);
    await expect(a.spender("3").begin(1)).rejects.toMatchObject({ limit: "steps" });
    await expect(b.spender("1").begin(11)).rejects.toMatchObject({ limit: "tokens" });
  });

  it("heeds a limit that the person raises, and one that they lower, while agents run", async () => {
    let limits: PurseLimits = { day: { cost: 1 } };
    const { a } = await twoHomes(() => Promise.resolve(limits));
    const agent = a.spender("1");
    await expect(agent.begin(150)).rejects.toMatchObject({ code: "LIMIT" });
    limits = { day: { cost: 2 } };
    (await agent.begin(150)).end(150);
    limits = { day: { cost: 1 } };
    await expect(agent.begin(60)).rejects.toThrow("may spend 1 USD a day");
  });
});

describe("a call that has room", () => {
  it("waits for no other process, and more is fetched before there is no room (G11)", async () => {
    const { config, a } = await twoHomes();
    const agent = a.spender("1");
    (await agent.begin(10)).end(10);
    const release = await holdBook(config);
    // An eighth of what is there is set aside: 100 cents.
    for (let calls = 1; calls <= 8; calls++) (await agent.begin(10)).end(10);
    expect(written(config)).toMatchObject({ allotted: 1 });
    await release();
    await untilWritten(config, ({ allotted }) => allotted > 1.5);
    await holdBook(config);
    for (let calls = 1; calls <= 6; calls++) (await agent.begin(10)).end(10);
  });

  it("that is free touches no book, where only money is limited", async () => {
    const { config, a } = await twoHomes();
    (await a.spender("1").begin(0)).end(0);
    await a.purse.close();
    expect(() => written(config)).toThrow("ENOENT");
  });
});

describe("what is set aside and not spent", () => {
  it("goes back at an orderly end (G12)", async () => {
    const { config, a } = await twoHomes();
    (await a.spender("1").begin(10)).end(4);
    expect(written(config)).toMatchObject({ allotted: 1, spent: 0 });
    await a.purse.close();
    expect(written(config)).toMatchObject({ allotted: 0, spent: 0.04 });
  });

  it("goes back after a minute without a call, not while one is under way (G12)", async () => {
    const { config, clock, a } = await twoHomes();
    const agent = a.spender("1");
    const slow = await agent.begin(10);
    clock.advance(await clock.asleep(60_000));
    await clock.asleep(60_000);
    expect(written(config)).toMatchObject({ allotted: 1 });
    slow.end(4);
    clock.advance(await clock.asleep(60_000));
    await untilWritten(config, ({ allotted }) => allotted === 0.04);
    (await agent.begin(10)).end(10);
    await a.purse.close();
    expect(written(config)).toMatchObject({ allotted: 0, spent: 0.14 });
  });

  it("by a process that was killed goes back when its home opens again, but for what its log says (G12)", async () => {
    const { config, a, b, open } = await twoHomes({ day: { cost: 1 } });
    const [killed, killedBeside] = [a.spender("1"), a.spender("2")];
    (await killed.begin(20)).end(15);
    await killedBeside.begin(20);
    const stranded = written(config, "/a").allotted;
    expect(stranded).toBeGreaterThanOrEqual(0.4);
    // Another home is none of its business.
    const other = await b.spender("1").begin(10);
    other.end(10);
    await expect(b.spender("2").begin(60)).rejects.toMatchObject({ code: "LIMIT" });
    const again = await open("/a", { logs: [killed.events, killedBeside.events] });
    (await again.spender("1").begin(5)).end(5);
    await again.purse.close();
    expect(written(config, "/a")).toMatchObject({ allotted: 0, spent: 0.2 });
    await expect(b.spender("3").begin(60)).resolves.toMatchObject({ last: true });
  });

  it.each([
    ["cannot be read", null],
    ["say nothing that makes sense", [{ kind: "prompted", purse: "*", reserved: {} }]],
  ])("stays so where the logs %s (G12)", async (_, log) => {
    const { config, a, open } = await twoHomes();
    const { purse } = await a.spender("1").begin(20);
    const logs = JSON.parse(JSON.stringify([log]).replace("*", purse!)) as never;
    const again = await open("/a", { logs });
    (await again.spender("1").begin(5)).end(5);
    await again.purse.close();
    expect(written(config, "/a")).toMatchObject({ allotted: 1, spent: 0.05 });
  });
});

describe("when the day turns", () => {
  const toMidnight = (nowMs: number): number => {
    const date = new Date(nowMs);
    return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime() - nowMs;
  };

  it("all of the day's limit is there again, and what is under way belongs to the day before (G13)", async () => {
    const { config, clock, a } = await twoHomes({ day: { cost: 1 }, month: { cost: 1.7 } });
    const [agent, beside] = [a.spender("1"), a.spender("2")];
    const late = await agent.begin(90);
    await expect(beside.begin(20)).rejects.toMatchObject({
      until: new Date(clock.now() + toMidnight(clock.now())).toISOString(),
    });
    clock.advance(toMidnight(clock.now()));
    const today = await beside.begin(70);
    expect(today.purse).not.toBe(late.purse);
    late.end(80);
    today.end(60);
    // Of the month 30 cents are left.
    await expect(agent.begin(31)).rejects.toThrow(
      "a month, as your own config.yaml says, which leaves 0.3 USD",
    );
    (await agent.begin(30)).end(30);
    await a.purse.close();
    const { spent, days } = written(config);
    expect([spent, new Set(days).size]).toEqual([1.7, 2]);
  });

  it("what an agent is at when it turns is not taken for more than it was (G13)", async () => {
    const { clock, a } = await twoHomes({ day: { cost: 1 } });
    const agent = a.spender("1");
    const late = await agent.begin(90);
    clock.advance(toMidnight(clock.now()));
    // Its next call is paid with the one that is under way, and there is no room for it.
    await expect(agent.begin(20)).rejects.toMatchObject({ code: "LIMIT" });
    late.end(1);
    const calls: PaidCall[] = [await agent.begin(50)];
    await expect(agent.begin(60)).rejects.toMatchObject({ code: "LIMIT" });
    expect(calls[0]!.purse).not.toBe(late.purse);
  });

  it("what is over is forgotten after two days into the next month, and an account that nobody closed with it", async () => {
    const { config, clock, a, b } = await twoHomes();
    await a.spender("1").begin(10);
    clock.advance(86_400_000 * 31);
    (await b.spender("1").begin(10)).end(10);
    expect(written(config, "/a")).toMatchObject({ allotted: 1 });
    clock.advance(86_400_000 * 2);
    (await b.spender("1").begin(10)).end(10);
    expect(written(config, "/a")).toMatchObject({ allotted: 0, spent: 0 });
  });
});
