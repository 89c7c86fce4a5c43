import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { LegionError } from "../../../src/base/errors.ts";
import type { ModelRequest } from "../../../src/domain/model.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import { createHandClock } from "../../hand-clock.ts";
import { byHand, createWorldInMemory as createWorld } from "../../world.ts";

const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };

describe("an action's own model call", () => {
  it("is stopped with the action, and what it reserved is free again", async () => {
    const asked = byHand();
    const shop = defineModule({
      name: "shop",
      actions: {
        ask: defineAction({
          description: "Ask",
          async execute(_, host) {
            return ok(await host.complete("What?"));
          },
        }),
      },
    });
    const script = ({ system }: { readonly system: string }): ScriptedAnswer | Promise<ScriptedAnswer> => {
      if (system !== "") return { calls: [{ action: "ask" }] };
      asked.resolve();
      return new Promise(() => undefined);
    };
    const world = await createWorld({ 1: { script, modules: [core, shop] } });
    await world.say("1", "Go.");
    await asked.promise;
    await world.legion.control.say(["1"], "Stop.", "abort");
    await world.idle();
    const [result] = await world.kinds("1", "result");
    const [, prompted] = await world.kinds("1", "prompted");
    expect(result).toMatchObject({ outcome: "idle", usage: { input: prompted!.reserved.input, output: 0 } });
    const { memory } = world.agent("1");
    const { budget } = world.legion;
    const { tokens } = budget.spent();
    const spender = { agent: "1", epoch: 1, ledger: memory.ledger, limits: { tokens: tokens + 2 } };
    expect(await budget.fits(spender, { input: 1, output: 1, price: undefined })).toBe(true);
  });

  it("leaves nothing reserved where its answer cannot be committed", async () => {
    const shop = defineModule({
      name: "shop",
      actions: {
        ask: defineAction({
          description: "Ask",
          async execute(_, host) {
            await host.complete("What?");
            throw new LegionError("STORAGE", "the disk is gone");
          },
        }),
      },
    });
    const script = ({ system }: ModelRequest): ScriptedAnswer =>
      system === "" ? "This." : { calls: [{ action: "ask" }] };
    const world = await createWorld({ 1: { script, modules: [core, shop] } }, { clock: createHandClock() });
    await world.say("1", "Go.");
    await world.until((seen) => seen.kind === "live:state" && seen.state === "halted");
    const { ledger } = world.agent("1").memory;
    expect(ledger.open).toHaveLength(1);
    const { tokens } = world.legion.budget.spent();
    const spender = { agent: "1", epoch: 1, ledger, limits: { tokens: tokens + 2 } };
    expect(await world.legion.budget.fits(spender, { input: 1, output: 1, price: undefined })).toBe(true);
  });

  it("is charged once, however many are made side by side", async () => {
    const shop = defineModule({
      name: "shop",
      actions: {
        ask: defineAction({
          description: "Ask",
          async execute(_, host) {
            const answers = await Promise.all(["a", "b", "c", "d"].map((each) => host.complete(each)));
            return ok(answers.join());
          },
        }),
      },
    });
    const usage = { input: 7, output: 3 };
    const script = ({ system, turns }: ModelRequest): ScriptedAnswer => {
      if (system === "") return { text: "x", usage };
      return { ...(turns.length > 2 ? NOOP : { calls: [{ action: "ask" }] }), usage };
    };
    const world = await createWorld({ 1: { script, modules: [core, shop] } });
    await world.say("1", "Go.");
    await world.idle();
    const [result] = await world.kinds("1", "result");
    expect(result).toMatchObject({ outcome: "ok", content: "x,x,x,x", usage: { input: 28, output: 12 } });
    expect(world.legion.budget.spent()).toMatchObject({ steps: 6, tokens: 60 });
  });

  it("is refused where the model only follows rules", async () => {
    const shop = defineModule({
      name: "shop",
      actions: {
        ask: defineAction({
          description: "Ask",
          execute: async (_, host) => ok(await host.complete("What?")),
        }),
      },
    });
    const script = [{ calls: [{ action: "ask" }] }, NOOP];
    const profile = { summarises: false, name: "rules" };
    const world = await createWorld({ 1: { script, profile, modules: [core, shop] } });
    await world.say("1", "Go.");
    await world.idle();
    expect((await world.kinds("1", "result"))[0]).toMatchObject({
      outcome: "error",
      content: "The model rules follows rules and writes no texts.",
    });
  });
});
