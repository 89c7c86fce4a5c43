import { describe, expect, it } from "vitest";
import { z } from "zod";
import { core } from "../../../modules/core.ts";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import type { ModelRequest } from "../../../src/domain/model.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { createHandClock } from "../../hand-clock.ts";
import { byHand, createWorldInMemory as createWorld, type World } from "../../world.ts";
import { leftover, NOOP } from "../../spending.ts";

const ponder = defineAction({
  description: "Ask the model something",
  parameters: { what: z.string() },
  effects: "reads",
  touches: [],
  execute: async ({ what }, host) => ok(await host.complete(what, { maxOutput: 100 })),
});
const modules = [core, defineModule({ name: "study", actions: { ponder } })];
const EIGHT = Array.from({ length: 8 }, (_, index) => `q${index}`);
const PONDER_ALL = {
  calls: EIGHT.map((what) => ({ action: "ponder", parameters: { what } })),
};

/** Of an action, what it asked. */
function questionIn({ system, turns }: ModelRequest): string | undefined {
  const [first] = turns;
  return system === "" && first?.role === "user" ? first.text : undefined;
}

/** Agent 1 has asked all eight at once, and gets each answer when the test says so. */
async function pondering(limits = {}) {
  const doors = new Map(EIGHT.map((what) => [what, byHand<ScriptedAnswer>()]));
  const asked: string[] = [];
  let decisions = 0;
  const script = (request: ModelRequest): ScriptedAnswer | Promise<ScriptedAnswer> => {
    const question = questionIn(request);
    if (question === undefined)
      return { ...(decisions++ === 0 ? PONDER_ALL : NOOP), usage: { input: 50, output: 5 } };
    asked.push(question);
    return doors.get(question)!.promise;
  };
  const world = await createWorld({ 1: { script, modules, limits, profile: { maxOutput: 300 } } });
  const answer = (what: string, tokens: number): void =>
    doors.get(what)!.resolve({ text: `about ${what}`, usage: { input: tokens, output: tokens } });
  return { world, asked, answer };
}

async function usages(world: World) {
  return (await world.kinds("1", "result")).map(({ usage }) => usage && [usage.input, usage.output]);
}

describe("what actions spend side by side", () => {
  it("is charged to the call that asked, whoever is answered first", async () => {
    const { world, asked, answer } = await pondering();
    await world.say("1", "Go.");
    await expect.poll(() => asked.length).toBe(8);
    for (const [index, what] of EIGHT.entries()) if (index > 0) answer(what, index + 1);
    expect(await world.kinds("1", "result")).toEqual([]);
    answer("q0", 1);
    await world.idle();
    expect(await usages(world)).toEqual([...EIGHT.map((_, index) => [index + 1, index + 1]), undefined]);
    const calls = (await world.kinds("1", "decision"))[0]!.calls.map(({ id }) => id);
    const named = (await world.kinds("1", "prompted")).map(({ call }) => call);
    expect(named).toEqual([undefined, ...calls, undefined]);
    expect(world.legion.budget.spent()).toMatchObject({ steps: 10, tokens: 2 * 55 + 2 * 36 });
    expect(await leftover(world)).toBe(true);
  });

  it("is reserved for all of them together: what does not fit is not asked (G1)", async () => {
    const limits = { tokens: 1_200 };
    const { world, asked, answer } = await pondering(limits);
    await world.say("1", "Go.");
    await expect.poll(() => asked.length).toBeGreaterThan(1);
    const reserved = (await world.kinds("1", "prompted")).slice(1).map((event) => event.reserved.input + 100);
    for (const what of EIGHT) answer(what, 1);
    await world.idle();
    const results = (await world.kinds("1", "result")).slice(0, 8);
    const refused = results.filter(({ outcome }) => outcome === "error");
    expect(refused.length).toBe(8 - asked.length);
    expect(refused.length).toBeGreaterThan(1);
    expect(55 + reserved.reduce((sum, tokens) => sum + tokens)).toBeLessThanOrEqual(limits.tokens);
    expect(await leftover(world)).toBe(true);
  });

  it("is charged as reserved where an action did not wait for it, also when it is asked after that has ended", async () => {
    const clock = createHandClock();
    const [slow, refused, again] = [byHand<ScriptedAnswer>(), byHand(), byHand()];
    const hasty = defineAction({
      description: "Ask twice, and wait for one answer",
      parameters: {},
      effects: "reads",
      touches: [],
      async execute(_, host) {
        const answer = await host.complete("first");
        host.complete("second").catch(() => undefined);
        await refused.promise;
        return ok(answer);
      },
    });
    const begin = { calls: [{ action: "ponder", parameters: { what: "slow" } }, { action: "hasty" }] };
    const asked: string[] = [];
    const script = (request: ModelRequest): ScriptedAnswer | Promise<ScriptedAnswer> => {
      const question = questionIn(request);
      asked.push(question ?? "");
      if (question === undefined) return asked.length === 1 ? begin : NOOP;
      if (question === "slow") return slow.promise;
      if (question === "first") return { text: "1", usage: { input: 7, output: 3 } };
      const isAgain = asked.indexOf(question) < asked.length - 1;
      (isAgain ? again : refused).resolve();
      return isAgain
        ? new Promise(() => undefined)
        : { error: { code: "MODEL_BUSY", refused: { status: 429 } } };
    };
    const study = defineModule({ name: "study", actions: { ponder, hasty } });
    const world = await createWorld({ 1: { script, modules: [core, study] } }, { clock });
    await world.say("1", "Go.");
    await world.until(
      (seen) => seen.kind === "live:call" && seen.action === "hasty" && seen.phase === "ended",
    );
    await clock.asleep(1);
    clock.advance(60_000);
    await again.promise;
    slow.resolve({ text: "at last", usage: { input: 1, output: 1 } });
    await world.idle();
    const second = (await world.kinds("1", "prompted")).at(-2)!;
    const [, result] = await world.kinds("1", "result");
    expect(result!.usage).toMatchObject({ input: 7 + second.reserved.input, output: 3 });
  });

  it("of a process that died is charged as it was reserved, once, and the uncommitted ask again", async () => {
    const { world, asked, answer } = await pondering();
    await world.say("1", "Go.");
    await expect.poll(() => asked.length).toBe(8);
    answer("q0", 7);
    answer("q1", 7);
    answer("q5", 7);
    await world.until(
      (seen) => seen.kind === "event" && seen.event.kind === "result" && seen.event.content.includes("q1"),
    );
    world.legion.interrupt();
    await world.stop();
    const { reserved } = (await world.kinds("1", "prompted"))[1]!;
    const again = (request: ModelRequest): ScriptedAnswer => {
      const question = questionIn(request);
      const usage = { input: 3, output: 3 };
      return question === undefined ? { ...NOOP, usage } : { text: `again ${question}`, usage };
    };
    const next = await world.restart({ 1: { script: again, modules } });
    await next.idle();
    const contents = (await next.kinds("1", "result")).map(({ content }) => content);
    expect(contents.slice(0, 8)).toEqual(
      EIGHT.map((what, index) => `${index < 2 ? "about" : "again"} ${what}`),
    );
    const twice = [reserved.input + 3, 3];
    expect(await usages(next)).toEqual([
      [7, 7],
      [7, 7],
      ...Array.from({ length: 6 }, () => twice),
      undefined,
    ]);
    expect(await leftover(next)).toBe(true);
  });
});
