import { z } from "zod";
import { describe, expect, it } from "vitest";
import { core } from "../modules/core.ts";
import { costOf, createBudget } from "../src/gate.ts";
import { account, createLedger, type Ledger } from "../src/ledger.ts";
import { LegionError } from "../src/errors.ts";
import { createScriptedModel, type ScriptedAnswer } from "../src/model/scripted.ts";
import { defineAction, defineModule, ok } from "../src/module.ts";
import { createHandClock } from "./hand-clock.ts";
import { byHand, createWorld, type World } from "./world.ts";

const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };
const PRICE = { input: 3, output: 15 };

/** Never done: each of its decisions asks for another, and no two are the same. */
function busy(_: unknown, index: number): ScriptedAnswer {
  return { calls: [{ action: "writeNote", parameters: { title: `n${index}`, content: "x" } }] };
}

const asking = defineModule({
  name: "asking",
  actions: {
    ask: defineAction({
      description: "Ask the model something",
      parameters: { times: z.number() },
      effects: "none",
      async execute({ times }, host) {
        const answers = [];
        for (let n = 0; n < times; n++)
          answers.push(await host.complete(`question ${n}`, { maxOutput: 100 }).catch(String));
        return ok(answers.join(", "));
      },
    }),
  },
});

function ask(times: number): ScriptedAnswer {
  return { calls: [{ action: "ask", parameters: { times } }] };
}

function spending(world: World, id = "1") {
  return world.agent(id).memory.ledger.spent;
}

/** Nothing is reserved any more: the whole limit is there for one more call. */
function leftover(world: World, id = "1"): boolean {
  const { memory, shared } = world.agent(id);
  const { steps, tokens } = shared.budget.spent();
  const { usage } = memory.ledger.spent;
  expect(memory.ledger.open).toEqual([]);
  expect(tokens).toBe(usage.input + usage.output);
  return shared.budget.fits(
    memory.ledger,
    { tokens: tokens + 10, steps: steps + 1 },
    { input: 5, output: 5, price: undefined },
  );
}

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
    const world = await createWorld({ 1: { model, limits: { steps: 3 }, modules: [core, asking] } });
    await world.say("1", "Go.");
    await world.idle();
    expect(model.requests).toHaveLength(3);
    const [result] = await world.kinds("1", "result");
    expect(result).toMatchObject({
      outcome: "ok",
      content: "yes, yes, LegionError: this agent may make 3 model calls",
    });
    expect(result?.usage?.output).toBe(2);
    expect(leftover(world)).toBe(true);
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
      return { ...NOOP, usage: { input: 10, output: 10 } } as ScriptedAnswer;
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
      1: { script: [{ ...NOOP, usage } as ScriptedAnswer], profile: { price: PRICE } },
    });
    await world.say("1", "Go.");
    await world.idle();
    expect(spending(world).usage).toEqual({ ...usage, cost: 0.006 });
    expect(leftover(world)).toBe(true);
  });

  it("reserves the prompt and the whole output before the call (G1)", () => {
    const budget = createBudget({});
    const ledger = createLedger();
    const estimate = { input: 0, output: 1_000_000, price: PRICE };
    expect(() => budget.admit(ledger, { cost: 14.99 }, estimate)).toThrow("this agent may spend 14.99 USD");
    const admission = budget.admit(ledger, { cost: 20 }, estimate);
    expect(admission.last).toBe(true);
    expect(budget.fits(ledger, { cost: 20 }, estimate)).toBe(false);
    admission.settle();
    expect(budget.fits(ledger, { cost: 20 }, estimate)).toBe(true);
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
    expect(leftover(world)).toBe(true);
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
    expect(leftover(world)).toBe(true);
  });
});

describe("after a restart", () => {
  it("what was spent is still spent, for the agent and for the legion (G2)", async () => {
    const world = await createWorld({ 1: { script: busy }, 2: { script: busy } }, { limits: { steps: 4 } });
    await world.say("1", "Go.");
    await world.idle();
    const before = world.legion.budget.spent();
    const model = createScriptedModel(busy);
    const again = await world.restart({ 2: { model } });
    await again.say("2", "Go.");
    await again.idle();
    expect(model.requests).toHaveLength(0);
    expect(again.legion.budget.spent()).toEqual({ ...before, timeMs: expect.any(Number) });
  });

  it("the log adds up to what the running ledger said (G2)", async () => {
    const world = await createWorld({
      1: {
        script: [ask(2), "yes", "no", { error: { code: "MODEL_REFUSED" } }],
        modules: [core, asking],
        profile: { price: PRICE },
      },
    });
    await world.say("1", "Go.");
    await world.idle();
    const running = world.agent("1").memory.ledger;
    const read = createLedger();
    for (const event of await world.events("1")) account(read, event);
    expect(read.spent).toEqual(running.spent);
    expect(read.open).toEqual(running.open);
  });

  it("a higher limit wakes an agent that was parked for the lower one; the same limit does not", async () => {
    const limits = { steps: 2 };
    const world = await createWorld({ 1: { script: busy, limits } });
    await world.say("1", "Go.");
    await world.idle();
    const same = createScriptedModel([NOOP]);
    const again = await world.restart({ 1: { model: same, limits } });
    await again.idle();
    expect(same.requests).toHaveLength(0);
    const model = createScriptedModel([NOOP]);
    const raised = await again.restart({ 1: { model, limits: { steps: 3 } } });
    await raised.idle();
    expect(model.requests).toHaveLength(1);
    expect((await raised.kinds("1", "notice")).map(({ reason }) => reason)).toEqual([
      "parked-limit",
      "resumed",
    ]);
  });

  it("new mail does not wake an agent that reached its limit, and `resume` lets it try again", async () => {
    const model = createScriptedModel(busy);
    const world = await createWorld({ 1: { model, limits: { steps: 1 } } });
    await world.say("1", "Go.");
    await world.idle();
    await world.say("1", "Go on.");
    await world.idle();
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    expect(model.requests).toHaveLength(1);
    expect((await world.kinds("1", "notice")).map(({ reason }) => reason)).toEqual([
      "parked-limit",
      "resumed",
      "parked-limit",
    ]);
  });
});

describe("a limit of working time", () => {
  it("counts what the model and the actions take, not what an agent waits or lies still", async () => {
    const clock = createHandClock();
    const slow = defineModule({
      name: "slow",
      actions: {
        toil: defineAction({
          description: "Toil",
          effects: "none",
          execute() {
            clock.advance(5_000);
            return ok("done");
          },
        }),
      },
    });
    const script = (_: unknown, index: number): ScriptedAnswer => {
      clock.advance(1_000);
      return index % 2 ? NOOP : { calls: [{ action: "toil" }, { action: "toil" }] };
    };
    const agent = { script, modules: [core, slow], limits: { timeMs: 15_000 } };
    const world = await createWorld({ 1: agent }, { clock });
    await world.say("1", "Go.");
    await world.idle();
    expect(spending(world).workingMs).toBe(12_000);
    clock.advance(86_400_000);
    const again = await world.restart();
    await again.idle();
    expect(spending(again).workingMs).toBe(12_000);
    await again.say("1", "Go on.");
    await again.idle();
    expect(spending(again).workingMs).toBe(23_000);
    expect(again.agent("1").standing).toMatchObject({
      state: "parked",
      reason: "this agent may work for 15s.",
    });
  });

  it("does not count the night between a crash and the next start", () => {
    const ledger = createLedger();
    const write = (event: object, epoch: number, at: string): void =>
      account(ledger, { ...event, seq: ledger.last + 1, epoch, at } as Parameters<typeof account>[1]);
    const call = { id: "a", action: "x", parameters: {} };
    const decision = {
      kind: "decision",
      text: "",
      calls: [call],
      protocol: "tools",
      model: "m",
      usage: { input: 0, output: 0 },
      stop: "calls",
    };
    write(
      { kind: "prompted", model: "m", prompt: "", introduction: "", reserved: { input: 1, output: 1 } },
      1,
      "2026-01-01T00:00:00.000Z",
    );
    write(decision, 1, "2026-01-01T00:00:02.000Z");
    write({ kind: "result", call: "a", outcome: "interrupted", content: "" }, 2, "2026-01-02T00:00:00.000Z");
    expect(ledger.spent.workingMs).toBe(2_000);
  });
});

it("a refusal of the budget is an error with the code LIMIT", () => {
  const ledger: Ledger = createLedger();
  const admit = () => createBudget({ steps: 0 }).admit(ledger, {}, { input: 1, output: 1, price: undefined });
  expect(admit).toThrow(LegionError);
  expect(admit).toThrow("the legion may make 0 model calls");
});
