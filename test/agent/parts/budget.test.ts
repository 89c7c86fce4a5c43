import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { createBudget } from "../../../src/agent/parts/budget.ts";
import { costOf } from "../../../src/past/limits/spending.ts";
import { createLedger, type Ledger } from "../../../src/past/ledger.ts";
import { LegionError } from "../../../src/base/errors.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { createHandClock } from "../../hand-clock.ts";
import { NOOP, PRICE, ask, asking, busy, leftover, spending } from "../../spending.ts";
import { byHand, createWorldInMemory as createWorld } from "../../world.ts";

const SPENDER = { agent: "1", epoch: 1 };

describe("a limit of steps", () => {
  it("is kept exactly, and the last call is asked to wrap up (G1)", async () => {
    const model = createScriptedModel(busy);
    const world = await createWorld({ 1: { model, limits: { steps: 3 } } });
    await world.say("1", "Go.");
    await world.idle();
    await world.stop();
    expect(model.requests).toHaveLength(3);
    expect(model.requests.map(({ pinned }) => pinned.includes("last call that your limits allow"))).toEqual([
      false,
      false,
      true,
    ]);
    const [notice] = await world.kinds("1", "notice");
    expect(notice).toMatchObject({ reason: "parked-limit", content: "this agent may make 3 model calls." });
    const letters = await world.kinds("0", "message");
    expect(letters.map(({ message }) => message.content)).toEqual([
      "I was stopped: this agent may make 3 model calls.",
    ]);
  });

  it("notes the request to wrap up exactly as it was shown", async () => {
    const model = createScriptedModel(busy);
    const world = await createWorld({ 1: { model, limits: { steps: 1 } } });
    await world.say("1", "Go.");
    await world.idle();
    const [prompted] = await world.kinds("1", "prompted");
    expect(prompted?.pinned).toBe(model.requests[0]!.pinned);
  });

  it("counts failed and retried calls (G1)", async () => {
    const clock = createHandClock();
    const error = { code: "MODEL_BUSY", message: "busy", retryAfterMs: 1_000 } as const;
    const model = createScriptedModel([{ error }, { error }, NOOP]);
    const world = await createWorld({ 1: { model, limits: { steps: 2 } } }, { clock });
    await world.say("1", "Go.");
    clock.advance(await clock.asleep(1));
    clock.advance(await clock.asleep(1));
    await world.idle();
    expect(model.requests).toHaveLength(2);
    expect(spending(world).steps).toBe(2);
    expect(world.agent("1").standing.state).toBe("parked");
  });

  it("counts the calls of actions, and refuses those that do not fit in words that the agent reads (G1)", async () => {
    const model = createScriptedModel((request) =>
      request.pinned === "" && request.system === "" ? "yes" : ask(3),
    );
    const world = await createWorld({ 1: { model, limits: { steps: 4 }, modules: [core, asking] } });
    await world.say("1", "Go.");
    await world.idle();
    // The last of them is the decision that the call was kept for.
    expect(model.requests).toHaveLength(4);
    const [result] = await world.kinds("1", "result");
    expect(result).toMatchObject({
      outcome: "ok",
      content: "yes, yes, LegionError: the last call is kept for a decision",
    });
    expect(result?.usage?.output).toBe(2);
    expect(await leftover(world)).toBe(true);
  });

  it("holds for the legion as for the agent; whoever comes first may call (G1)", async () => {
    const one = createScriptedModel(busy);
    const two = createScriptedModel(busy);
    const world = await createWorld(
      { 1: { model: one }, 2: { model: two, limits: { steps: 2 } } },
      { limits: { steps: 7 } },
    );
    await world.say("all", "Go.");
    await world.idle();
    expect(one.requests.length + two.requests.length).toBe(7);
    expect(two.requests.length).toBeLessThanOrEqual(2);
    expect(world.agent("1").standing).toMatchObject({
      state: "parked",
      reason: "the legion may make 7 model calls.",
    });
  });
});

describe("a limit of tokens or cost", () => {
  it("cannot be overrun by agents that call at the same time (G1)", async () => {
    const release = byHand();
    const called: number[] = [];
    const script = async (): Promise<ScriptedAnswer> => {
      called.push(1);
      await release.promise;
      return { ...NOOP, usage: { input: 10, output: 10 } };
    };
    const agents = Object.fromEntries(
      Array.from({ length: 6 }, (_, n) => [
        `${n + 1}`,
        { script, profile: { maxOutput: 1_000 }, modules: [core] },
      ]),
    );
    // Room for two and a half prompts with their 1,000 tokens of output.
    const world = await createWorld(agents, { limits: { tokens: 4_500 } });
    await world.say("all", "Go.");
    await world.until((seen) => seen.kind === "live:state" && seen.state === "parked");
    expect(called.length).toBeLessThanOrEqual(3);
    release.resolve();
    await world.idle();
    expect(world.legion.budget.spent().tokens).toBeLessThanOrEqual(4_500);
  });

  it("holds at every moment while 20 agents spend it as fast as they can, and is used up (G1)", async () => {
    const limit = 1;
    let reserved = 0;
    const most: number[] = [];
    // Each call takes a different time, and comes to what it reserved or to half of it.
    const script = async (_: unknown, index: number): Promise<ScriptedAnswer> => {
      reserved += 0.015;
      most.push(world.legion.budget.spent().cost + reserved);
      for (let turns = index % 7; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
      reserved -= 0.015;
      const note = { title: `n${index}`, content: "x" };
      return {
        calls: [{ action: "writeNote", parameters: note }],
        usage: { input: 0, output: index % 2 ? 1_000 : 500 },
      };
    };
    const profile = { price: PRICE, maxOutput: 1_000 };
    const ids = Array.from({ length: 20 }, (_, n) => `${n + 1}`);
    const world = await createWorld(Object.fromEntries(ids.map((id) => [id, { script, profile }])), {
      limits: { cost: limit },
    });
    await world.say("all", "Go.");
    await world.idle();
    // Of those under way the ledgers have the prompt, and here is what they may answer.
    expect(Math.max(...most)).toBeLessThanOrEqual(limit);
    expect(most.length).toBeGreaterThan(60);
    expect(world.legion.budget.spent().cost).toBeLessThanOrEqual(limit);
    expect(world.legion.budget.spent().cost).toBeGreaterThan(limit - 0.05);
    expect(ids.every((id) => world.agent(id).standing.state === "parked")).toBe(true);
  });

  it("is charged with what a call really came to, cache and all (G1)", async () => {
    expect(costOf({ input: 1_000_000, output: 0 }, PRICE)).toBe(3);
    expect(
      costOf(
        { input: 1_000_000, output: 100_000, cacheRead: 500_000, cacheWrite: 100_000 },
        { ...PRICE, cacheRead: 0.3, cacheWrite: 3.75 },
      ),
    ).toBeCloseTo(400_000 * 3e-6 + 0.15 + 0.375 + 1.5);
    const usage = { input: 1_000, output: 200 };
    const world = await createWorld({
      1: { script: [{ ...NOOP, usage }], profile: { price: PRICE } },
    });
    await world.say("1", "Go.");
    await world.idle();
    expect(spending(world).usage).toEqual({ ...usage, cost: 0.006 });
    expect(await leftover(world)).toBe(true);
  });

  it("reserves the prompt and the whole output before the call (G1)", async () => {
    const budget = createBudget({});
    const ledger = createLedger();
    const estimate = { input: 0, output: 1_000_000, price: PRICE };
    const admit = (cost: number) => budget.admit({ ...SPENDER, ledger, limits: { cost } }, estimate);
    await expect(admit(14.99)).rejects.toThrow("this agent may spend 14.99 USD");
    const admission = await admit(20);
    const fits = () => budget.fits({ ...SPENDER, ledger, limits: { cost: 20 } }, estimate);
    expect(admission.last).toBe(true);
    expect(await fits()).toBe(false);
    admission.settle();
    expect(await fits()).toBe(true);
  });

  it("frees the reservation after an error, an abort and a refusal", async () => {
    const thinking = byHand();
    const script = (_: unknown, index: number): ScriptedAnswer | Promise<ScriptedAnswer> => {
      if (index === 0) return { error: { code: "MODEL_REFUSED", message: "no" } };
      if (index > 1) return NOOP;
      thinking.resolve();
      return new Promise(() => undefined);
    };
    const world = await createWorld({ 1: { script, limits: { tokens: 1_000_000 } } });
    await world.say("1", "Go.");
    await world.idle();
    await world.legion.agents.get("1")!.resume();
    await thinking.promise;
    await world.legion.control.say(["1"], "Stop.", "abort");
    await world.idle();
    await world.say("1", "Again.");
    await world.idle();
    expect(await leftover(world)).toBe(true);
    const prompted = await world.kinds("1", "prompted");
    const decisions = await world.kinds("1", "decision");
    // The two calls without an answer are charged what their prompts had reserved.
    const charged = prompted.slice(0, 2).reduce((sum, { reserved }) => sum + reserved.input, 0);
    expect(spending(world).usage.input).toBe(charged + decisions.at(-1)!.usage.input);
  });

  it("charges an action for its calls that failed, too", async () => {
    const model = createScriptedModel((request, index) => {
      if (index === 0) return ask(3);
      if (request.system !== "") return NOOP;
      return index === 2
        ? { error: { code: "MODEL_REFUSED", message: "no" } }
        : { text: "yes", usage: { input: 7, output: 2 } };
    });
    const world = await createWorld({ 1: { model, modules: [core, asking] } });
    await world.say("1", "Go.");
    await world.idle();
    const [, , refused] = await world.kinds("1", "prompted");
    const [result] = await world.kinds("1", "result");
    expect(result?.usage).toMatchObject({ input: 7 + 7 + refused!.reserved.input, output: 4 });
    expect(await leftover(world)).toBe(true);
  });
});

describe("a limit that is reached is told by its kind", () => {
  const dear = { input: 1_000_000, output: 0, price: PRICE };

  it.each([
    { limit: "steps", limits: { steps: 0 } },
    { limit: "tokens", limits: { tokens: 5 } },
    { limit: "cost", limits: { cost: 1 } },
    { limit: "time", limits: { timeMs: 0 } },
  ])("$limit, whoever's it is", async ({ limit, limits }) => {
    const of = (own: object) => ({ ...SPENDER, ledger: createLedger(), limits: own });
    const reached = { code: "LIMIT", limit };
    await expect(createBudget({}).admit(of(limits), dear)).rejects.toMatchObject(reached);
    await expect(createBudget(limits).admit(of({}), dear)).rejects.toMatchObject(reached);
  });

  it("in the log of the agent that it stopped, and to whoever reads on", async () => {
    const world = await createWorld({ 1: { script: busy, limits: { tokens: 10 } } });
    await world.say("1", "Go.");
    await world.idle();
    const [notice] = await world.kinds("1", "notice");
    expect(notice).toMatchObject({ reason: "parked-limit", details: { limit: "tokens" } });
    expect(world.agent("1").memory.conversation.halt).toMatchObject({ limit: "tokens" });
    expect(world.agent("1").memory.conversation.halt).not.toHaveProperty("shared");
  });

  it("and so is whether others are below the same limit", async () => {
    const world = await createWorld({ 1: { script: busy } }, { limits: { tokens: 10 } });
    await world.say("1", "Go.");
    await world.idle();
    expect(await world.kinds("1", "notice")).toMatchObject([{ details: { limit: "tokens", shared: true } }]);
    expect(world.agent("1").memory.conversation.halt).toMatchObject({ limit: "tokens", shared: true });
  });
});

it("a refusal of the budget is an error with the code LIMIT", async () => {
  const ledger: Ledger = createLedger();
  const estimate = { input: 1, output: 1, price: undefined };
  const admission = createBudget({ steps: 0 }).admit({ ...SPENDER, ledger, limits: {} }, estimate);
  const refusal = new LegionError("LIMIT", "the legion may make 0 model calls", {
    limit: "steps",
    shared: true,
  });
  await expect(admission).rejects.toThrow(refusal);
});

describe("a price for the provider's cache", () => {
  it("is reserved: a call that would be over the limit if all its input were cached is not made (G1)", async () => {
    const budget = createBudget({ cost: 1 });
    const ledger = createLedger();
    budget.join(ledger);
    const price = { input: 3, output: 15, cacheWrite: 3.75 };
    const estimate = { input: 300_000, output: 0, price };
    await expect(budget.admit({ ...SPENDER, ledger, limits: {} }, estimate)).rejects.toThrow(
      "the legion may spend 1 USD",
    );
    expect(await budget.fits({ ...SPENDER, ledger, limits: {} }, { ...estimate, input: 260_000 })).toBe(true);
  });
});
