import { describe, expect, it } from "vitest";
import type { Limits } from "../../src/domain/limits.ts";
import { byHand } from "../world.ts";
import { createHandClock } from "../hand-clock.ts";
import { json, startLoopback, type Reply } from "../model/loopback.ts";
import { STREAMS } from "./provider-wires.ts";
import { createPatientClock, statesOf, useProvider, type ProviderWorld } from "./provider-world.ts";

const broken = json(500, { error: { message: "it broke" } });
const limited = json(429, { error: { message: "slow down" } }, { "retry-after": "300" });
const many = (times: number): Reply[] => Array.from({ length: times }, () => broken);

/** Tries of the limiter before it gives up, and the pauses between them. */
const TRIES = 3;
const BACKOFF_MS = [500, 1_000];
const RESTART_MS = 1_000;

describe.each(STREAMS)("an outage of $title", (wire) => {
  const { open, reply } = useProvider(wire);
  const done = wire.answer({ text: "Done." });
  const standing = (world: ProviderWorld, agent = "1") => world.agent(agent).standing;
  const heard = async (world: ProviderWorld): Promise<string[]> =>
    (await world.kinds("0", "message")).map(({ message }) => message.content);

  it("is waited for longer and longer, for as long as it lasts, and Control is told once", async () => {
    reply(...many(12), done);
    const clock = createPatientClock();
    const world = await open({ clock });
    const begun = clock.now();
    await world.say("1", "Go.");
    await world.idle();
    // Five quick tries; then one after 30 s, 60 s, 120 s, 240 s, and every 300 s.
    const quick = [...BACKOFF_MS, RESTART_MS, BACKOFF_MS[0]!].reduce((sum, ms) => sum + ms, 0);
    const slow = [30, 60, 120, 240, 300, 300, 300, 300].reduce((sum, s) => sum + 1_000 * s, 0);
    expect(clock.now() - begun).toBe(quick + slow);
    const said = `${world.host} answered 500: it broke`;
    const shown = statesOf(world).filter(({ state }) => state === "retrying");
    for (const { reason } of shown) expect(reason).toContain(`${said} (again in `);
    expect(shown.map(({ reason }) => reason)).toContain(`${said} (again in 300 s)`);
    await world.stop();
    expect((await heard(world)).toSorted()).toEqual(
      [
        `${wire.format.name} does not answer: ${said}. Its agents wait, and try again from time to time.`,
        `${wire.format.name} answers again.`,
        "Done.",
      ].toSorted(),
    );
    expect(world.agent("1").memory.ledger.spent.steps).toBe(13);
  });

  it("is tried by one agent for all of them", async () => {
    const agents = ["1", "2", "3", "4", "5"];
    const asked = byHand();
    const late: Reply = (response) => {
      if (world.asked() === agents.length) asked.resolve();
      void asked.promise.then(() => broken(response));
    };
    reply(...agents.map(() => late), ...agents.map(() => done));
    const clock = createHandClock();
    const world = await open({ agents, clock });
    await world.say("all", "Go.");
    expect(await clock.asleep(30_000)).toBe(30_000);
    expect(world.asked()).toBe(5);
    clock.advance(30_000);
    await world.idle();
    expect(world.asked()).toBe(10);
    await world.stop();
    expect((await heard(world)).filter((content) => content.includes("does not answer"))).toHaveLength(1);
    expect((await heard(world)).filter((content) => content === "Done.")).toHaveLength(5);
  });

  it("counts anew after every decision", async () => {
    const step = wire.answer({ calls: [{ id: "call_a", action: "addGoal", parameters: { goal: "wait" } }] });
    reply(...many(TRIES), step, ...many(TRIES), done);
    const clock = createPatientClock();
    const world = await open({ clock });
    await world.say("1", "Go.");
    await world.idle();
    expect(await heard(world)).toEqual(["Done."]);
    expect(clock.waits).toEqual([...BACKOFF_MS, RESTART_MS, ...BACKOFF_MS, RESTART_MS]);
  });

  it("is waited for, too, where nobody listens", async () => {
    const gone = await startLoopback();
    await gone.close();
    const clock = createHandClock();
    const world = await open({ clock, model: { baseUrl: wire.format.baseUrl(gone.url) } });
    await world.say("1", "Go.");
    for (const ms of BACKOFF_MS) clock.advance(await clock.asleep(ms));
    await clock.asleep(RESTART_MS);
    const { host } = new URL(gone.url);
    expect(standing(world)).toMatchObject({
      state: "retrying",
      reason: `${host} cannot be reached, or hung up (ECONNREFUSED). (again in 1 s)`,
    });
  });

  it("spends no more than the limits: a try that does not fit is not made", async () => {
    const price = { input: 10, output: 10 };
    const cases: [Limits, string][] = [
      [{ steps: 2 }, "this agent may make 2 model calls."],
      [{ cost: 0.05 }, "this agent may spend 0.05 USD."],
    ];
    for (const [limits, reason] of cases) {
      reply(...many(30));
      const world = await open({ agent: { limits }, profile: { price } });
      await world.say("1", "Go.");
      await world.idle();
      expect(standing(world)).toMatchObject({ state: "parked", reason });
      const { steps, cost } = world.legion.budget.spent();
      expect(steps).toBeGreaterThan(0);
      expect(steps).toBeLessThanOrEqual(limits.steps ?? 30);
      expect(cost).toBeLessThanOrEqual(limits.cost ?? 1);
      await world.stop();
    }
  });
});

describe.each(STREAMS)("while $title has to be waited for", (wire) => {
  const { open, reply } = useProvider(wire);
  const done = wire.answer({ text: "Done." });
  const heard = async (world: ProviderWorld): Promise<string[]> =>
    (await world.kinds("0", "message")).map(({ message }) => message.content);

  /** A world whose agent was told to wait five minutes. */
  const waiting = async () => {
    reply(limited);
    const clock = createHandClock();
    const world = await open({ clock });
    await world.say("1", "Go.");
    expect(await clock.asleep(300_000)).toBe(300_000);
    return { world, clock };
  };

  it("the agent is seen to, and goes on when the time has come", async () => {
    const { world, clock } = await waiting();
    expect(world.agent("1").standing).toMatchObject({
      state: "retrying",
      reason: `${world.host} answered 429: slow down (again in 300 s)`,
    });
    reply(done);
    clock.advance(300_000);
    await world.idle();
    expect(await heard(world)).toEqual(["Done."]);
  });

  it("a pause holds at once, and nothing is lost by it", async () => {
    const { world, clock } = await waiting();
    await world.legion.agents.get("1")!.pause("lunch");
    await world.idle();
    expect(world.agent("1").standing).toMatchObject({ state: "paused", reason: "lunch" });
    clock.advance(300_000);
    reply(done);
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    expect(await heard(world)).toEqual(["Done."]);
    expect(world.asked()).toBe(2);
    expect(await world.kinds("1", "decision")).toHaveLength(1);
  });

  it("an abort ends it, and nothing is charged", async () => {
    const { world } = await waiting();
    await world.legion.control.say(["1"], "", "abort");
    await world.idle();
    expect(await world.kinds("1", "decision")).toMatchObject([{ stop: "aborted", calls: [] }]);
    expect(world.agent("1").standing.state).toBe("idle");
    expect(world.asked()).toBe(1);
    expect(world.legion.budget.spent()).toEqual({ steps: 0, tokens: 0, cost: 0, timeMs: 0 });
  });

  it("the end of the run does not wait, and the next one asks again", async () => {
    const { world } = await waiting();
    reply(done);
    const again = await world.restart();
    await again.idle();
    expect(await heard(world)).toEqual(["Done."]);
    expect(again.legion.budget.spent().steps).toBe(1);
  });

  it("a restart of the agent is tried at once when a person says so", async () => {
    reply(...many(TRIES));
    const clock = createHandClock();
    const world = await open({ clock });
    await world.say("1", "Go.");
    for (const ms of BACKOFF_MS) clock.advance(await clock.asleep(ms));
    await clock.asleep(RESTART_MS);
    reply(done);
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    expect(await heard(world)).toEqual(["Done."]);
  });

  it("the other agents on it wait as long, and say why", async () => {
    reply(limited, done, done);
    const clock = createHandClock();
    const world = await open({ clock, agents: ["1", "2"] });
    await world.say("1", "Go.");
    await clock.asleep(300_000);
    clock.advance(100_000);
    await world.say("2", "Go.");
    await world.until(
      (seen) => seen.kind === "live:state" && seen.agent === "2" && seen.state === "retrying",
    );
    expect(world.agent("2").standing.reason).toBe(`${world.host} answered 429: slow down (again in 200 s)`);
    expect(world.asked()).toBe(1);
    clock.advance(200_000);
    await world.idle();
    expect(await heard(world)).toEqual(["Done.", "Done."]);
  });

  it("no more agents ask it at once than the configuration allows", async () => {
    const agents = ["1", "2", "3", "4", "5"];
    const [two, release] = [byHand(), byHand()];
    const late: Reply = (response) => {
      if (world.asked() === 2) two.resolve();
      void release.promise.then(() => done(response));
    };
    reply(...agents.map(() => late));
    const world = await open({ agents, concurrency: (provider) => ({ [wire.format.name]: 2 })[provider] });
    await world.say("all", "Go.");
    for (const agent of agents) {
      await world.until(
        (seen) => seen.kind === "live:state" && seen.agent === agent && seen.state === "thinking",
      );
    }
    await two.promise;
    release.resolve();
    await world.idle();
    let asking = 0;
    const together = world.seen.map((seen) => {
      if (seen.kind === "event" && seen.event.kind === "prompted") asking++;
      if (seen.kind === "event" && seen.event.kind === "decision") asking--;
      return asking;
    });
    expect(Math.max(...together)).toBe(2);
    expect(await heard(world)).toHaveLength(5);
  });
});
