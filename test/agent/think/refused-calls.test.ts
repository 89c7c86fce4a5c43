// Model calls of which nothing was served: they are no steps and cost nothing, wherever that is counted.

import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { eventLine } from "../../../src/cli/look/log/event-line.ts";
import { account, createLedger } from "../../../src/past/ledger.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { archiveOf, received } from "../../storage/archive/archived.ts";
import { createHandClock, type HandClock } from "../../hand-clock.ts";
import { replay, replayLegion } from "../../legion/replay/replays.ts";
import { PRICE, ask, asking, busy, leftover, spending } from "../../spending.ts";
import { createWorld, openWorld, readEvents, type World, type WorldAgent } from "../../world.ts";

const HOUR = 3_600_000;
const limited = {
  error: { code: "MODEL_BUSY", message: "slow down", retryAfterMs: 300_000, refused: { status: 429 } },
} satisfies ScriptedAnswer;
const unreachable = {
  error: { code: "MODEL_BUSY", message: "nobody there", refused: {} },
} satisfies ScriptedAnswer;
const cut = {
  error: { code: "MODEL_BUSY", message: "cut off", retryAfterMs: 1_000 },
} satisfies ScriptedAnswer;
const NOTHING = { steps: 0, usage: { input: 0, output: 0 }, workingMs: 0 };

/** Lets the time pass in which an agent waits and tries again. */
async function passTime(clock: HandClock, ms: number): Promise<void> {
  const end = clock.now() + ms;
  while (clock.now() < end) clock.advance(Math.min(await clock.asleep(1), end - clock.now()));
}

function priced(agent: WorldAgent): WorldAgent {
  return { ...agent, profile: { price: PRICE } };
}

describe("a night of 429", () => {
  const night = async (): Promise<{ world: World; tries: () => number }> => {
    let tries = 0;
    const script = (): ScriptedAnswer => {
      tries++;
      return limited;
    };
    const clock = createHandClock();
    const agent = priced({ script, limits: { steps: 5, timeMs: HOUR }, tickMs: 1_000 });
    const world = await createWorld({ 1: agent }, { clock, limits: { cost: 0.1 } });
    await world.say("1", "Go.");
    await passTime(clock, 8 * HOUR);
    return { world, tries: () => tries };
  };

  it("is no step and no cent, and parks nobody", async () => {
    const { world, tries } = await night();
    expect(tries()).toBeGreaterThan(90);
    expect(world.agent("1").standing.state).toBe("retrying");
    expect(spending(world)).toEqual(NOTHING);
    expect(world.legion.budget.spent()).toEqual({ steps: 0, tokens: 0, cost: 0, timeMs: 0 });
    await world.stop();
    expect(await world.kinds("1", "refused")).toHaveLength(tries());
    expect(await world.kinds("1", "decision")).toEqual([]);
  });

  it("is none after a restart either, and all of the limit is left for the day", async () => {
    const { world } = await night();
    const again = await world.restart({ 1: priced({ script: busy, limits: { steps: 5 } }) });
    expect(spending(again)).toEqual(NOTHING);
    await again.idle();
    expect(spending(again).steps).toBe(5);
    expect(again.agent("1").standing.reason).toBe("this agent may make 5 model calls.");
    expect(await again.kinds("1", "decision")).toHaveLength(5);
  });
});

describe("refused calls", () => {
  it("say in the log which one it was, and what it was refused with", async () => {
    const world = await createWorld({ 1: { script: [unreachable, limited, "Done."] } }, { clock: patient() });
    await world.say("1", "Go.");
    await world.idle();
    const prompted = await world.kinds("1", "prompted");
    const refused = await world.kinds("1", "refused");
    expect(refused).toMatchObject([
      { prompted: prompted[0]!.seq },
      { prompted: prompted[1]!.seq, status: 429 },
    ]);
    expect(refused[0]).not.toHaveProperty("status");
    expect(refused.map((event) => eventLine(event, 80).slice(15))).toEqual([
      "refused   no connection: no step, no cost",
      "refused   answered 429: no step, no cost",
    ]);
    expect(spending(world)).toMatchObject({ steps: 1 });
    expect(await leftover(world)).toBe(true);
    const [opened] = await world.kinds("1", "opened");
    expect(opened).toMatchObject({ format: 2 });
  });

  it("leave what was cut off charged, and an abort while one is waited for charges no more than that", async () => {
    const clock = createHandClock();
    const world = await createWorld({ 1: { script: [cut, limited] } }, { clock });
    await world.say("1", "Go.");
    clock.advance(await clock.asleep(1_000));
    await clock.asleep(300_000);
    await world.legion.control.say(["1"], "", "abort");
    await world.idle();
    const [first] = await world.kinds("1", "prompted");
    expect(await world.kinds("1", "decision")).toMatchObject([{ stop: "aborted" }]);
    const usage = { input: first!.reserved.input, output: 0 };
    expect(spending(world)).toMatchObject({ steps: 1, usage, workingMs: 0 });
  });

  it("take no room from others while they are waited for", async () => {
    const clock = createHandClock();
    const limits = { cost: 0.1 };
    const agents = {
      1: priced({ script: [limited, "Done."] }),
      2: priced({ script: ["Done.", "Done."] }),
    };
    const world = await createWorld(agents, { clock, limits });
    await world.say("1", "Go.");
    await clock.asleep(300_000);
    expect(world.legion.budget.spent()).toMatchObject({ cost: 0 });
    const { memory } = world.agent("2");
    const { budget } = world.legion;
    // Room for this one call, as long as nothing is reserved for the other.
    const most = { input: 10, output: 6_600, price: PRICE };
    const spender = { agent: "2", epoch: 1, ledger: memory.ledger, limits: {} };
    expect(await budget.fits(spender, most)).toBe(true);
    expect(await budget.fits(spender, { ...most, output: 6_700 })).toBe(false);
  });

  it("ask to wrap up as long as no other call fits, and park only who has made the last one", async () => {
    const script = [limited, limited, busy(0, 1)];
    const world = await createWorld({ 1: { script, limits: { steps: 1 } } }, { clock: patient() });
    await world.say("1", "Go.");
    await world.idle();
    expect(await world.kinds("1", "prompted")).toHaveLength(3);
    expect(spending(world).steps).toBe(1);
    expect(world.agent("1").standing).toMatchObject({ state: "parked" });
  });

  it("of an action cost it nothing, nor does the time that it waits", async () => {
    const clock = createHandClock();
    const agent = priced({ script: [ask(1), limited, limited, "yes", "Done."], modules: [core, asking] });
    const world = await createWorld({ 1: { ...agent, limits: { timeMs: 60_000 } } }, { clock });
    await world.say("1", "Go.");
    for (const _ of [1, 2]) clock.advance(await clock.asleep(300_000));
    await world.idle();
    const [result] = await world.kinds("1", "result");
    expect(result).toMatchObject({ outcome: "ok", content: "yes" });
    expect(result!.usage).toMatchObject({ output: 1 });
    expect(spending(world)).toMatchObject({ steps: 3, workingMs: 0 });
    expect(world.agent("1").standing.state).toBe("idle");
    expect(await leftover(world)).toBe(true);
  });

  it("of a summary cost nothing where a digest takes its place", async () => {
    const no = { error: { code: "MODEL_REFUSED", message: "no", refused: { status: 400 } } } as const;
    const agent: WorldAgent = {
      script: (request, index) => (request.pinned.startsWith("Write a summary") ? no : fill(index)),
      threshold: 3_000,
    };
    const world = await createWorld({ 1: { ...agent, limits: { steps: 12 } } });
    await world.say("1", "Go.");
    await world.idle();
    const refused = await world.kinds("1", "refused");
    const summaries = await world.kinds("1", "summary");
    expect(refused.length).toBeGreaterThan(0);
    expect(summaries.filter(({ usage }) => usage.input > 0)).toEqual([]);
    expect(spending(world).steps).toBe(12);
    expect(await world.kinds("1", "decision")).toHaveLength(12);
  });

  it("stay refused in forks, in place and as a new agent", async () => {
    const world = await createWorld({ 1: { script: [limited, unreachable, "Done."] } }, { clock: patient() });
    await world.say("1", "Go.");
    await world.idle();
    const [, at] = await world.kinds("1", "refused");
    await (
      await world.legion.fork({ agent: "1", at: at!.seq, as: "1b" })
    ).done;
    expect((await world.events("1b")).slice(0, at!.seq)).toEqual((await world.events("1")).slice(0, at!.seq));
    const copied = createLedger();
    for (const event of await world.events("1b")) account(copied, event);
    expect([copied.spent, copied.open, copied.prompts]).toEqual([NOTHING, [], 2]);
    // Where it goes on from there itself, it decides once more, and that alone costs.
    await (
      await world.legion.fork({ agent: "1", at: at!.seq })
    ).done;
    await world.idle();
    expect(spending(world).steps).toBe(2);
    expect(await leftover(world)).toBe(true);
  });

  it("stay refused in archives", async () => {
    const world = await createWorld(
      { 1: priced({ script: [limited, unreachable, "Done."] }) },
      { clock: patient() },
    );
    await world.say("1", "Go.");
    await world.idle();
    await world.stop();
    const events = await world.events("1");
    const read = createLedger();
    for (const event of events) account(read, event);
    expect([read.spent.steps, read.open]).toEqual([1, []]);
    const project = await received(await archiveOf(world.project, ["1"]));
    expect(await readEvents(project, "1")).toEqual(events);
    const there = await openWorld(project, { 1: {} });
    expect(spending(there)).toEqual(spending(world));
  });

  it("are not found by recall: they are the runtime's own book-keeping", async () => {
    const world = await createWorld({ 1: { script: [limited, "Done."] } }, { clock: patient() });
    await world.say("1", "Go.");
    await world.idle();
    const { history } = world.agent("1").modules.host("core");
    const [refused] = await world.kinds("1", "refused");
    expect(await history.open(refused!.seq)).toBe(undefined);
    expect(await history.search("429", 10)).toEqual([]);
  });

  it("are passed in a replay, which costs as little", async () => {
    const agent: WorldAgent = {
      script: [limited, ask(1), unreachable, "yes", limited, limited, "Done."],
      modules: [core, asking],
    };
    const world = await createWorld({ 1: agent }, { clock: patient() });
    await world.say("1", "Go.");
    await world.idle();
    await world.stop();
    expect(spending(world).steps).toBe(3);
    expect(await replay(world.project, "1", agent)).toEqual({ decisions: 2 });
    const together = await replayLegion(world.project, { 1: agent });
    expect(together.difference).toBe(undefined);
    const ledger = createLedger();
    for (const event of await readEvents(together.project, "1")) account(ledger, event);
    expect([ledger.spent.steps, ledger.open]).toEqual([3, []]);
  });
});

function fill(index: number): ScriptedAnswer {
  return { calls: [{ action: "writeNote", parameters: { title: `n${index}`, content: "x ".repeat(400) } }] };
}

function patient() {
  const clock = createHandClock();
  return {
    ...clock,
    sleep(ms: number) {
      clock.advance(ms);
      return new Promise<void>((resolve) => setImmediate(resolve));
    },
  };
}
