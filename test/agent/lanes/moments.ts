// An agent at every point of its work at which a person may say something.

import { z } from "zod";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { createHandClock } from "../../hand-clock.ts";
import { NOOP, work, workshop } from "../../workshop.ts";
import { byHand, createWorldInMemory, type World, type WorldAgent, type WorldOptions } from "../../world.ts";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import { isUrgent } from "../../../src/domain/message/message.ts";
import { answer, DEPLOY_AND_LOOK, shop } from "../act/asking.ts";

/** Lets the agent go on, until it has nothing to do. */
export interface Moment {
  readonly world: World;
  readonly goOn: () => Promise<void>;
}

export const TWO_CALLS = work("a", "b");
export const REST: readonly ScriptedAnswer[] = Array.from({ length: 8 }, () => NOOP);
export const doing = workshop((step) => ok(step));

async function told(agent: WorldAgent, options: WorldOptions = {}): Promise<World> {
  const world = await createWorldInMemory({ 1: agent }, options);
  await world.say("1", "Go.");
  return world;
}

async function inCall(step: string): Promise<Moment> {
  const [started, hold] = [byHand(), byHand()];
  const modules = workshop(async (at) => {
    if (at !== step) return ok(at);
    started.resolve();
    await hold.promise;
    return ok(at);
  });
  const world = await told({ script: [TWO_CALLS, ...REST], modules });
  await started.promise;
  return { world, goOn: () => (hold.resolve(), world.idle()) };
}

/** Two calls that only read and a third that waits for them; all have begun that do. */
async function inGroup(): Promise<Moment> {
  const [both, hold] = [byHand(), byHand()];
  let begun = 0;
  const look = defineAction({
    description: "Look",
    parameters: { at: z.string() },
    effects: "reads",
    execute: async ({ at }) => {
      if (++begun === 2) both.resolve();
      await hold.promise;
      return ok(at);
    },
  });
  const calls = ["a", "b"].map((at) => ({ action: "look", parameters: { at } }));
  const script = [{ calls: [...calls, { action: "work", parameters: { step: "c" } }] }, ...REST];
  const modules = [...doing, defineModule({ name: "window", actions: { look } })];
  const world = await told({ script, modules });
  await both.promise;
  return { world, goOn: () => (hold.resolve(), world.idle()) };
}

export const MOMENTS = {
  async before() {
    const clock = createHandClock();
    const world = await told({ script: [TWO_CALLS, ...REST], modules: doing, tickMs: 1_000 }, { clock });
    const goOn = async (): Promise<void> => {
      const idle = world.idle().then(() => "idle");
      while ((await Promise.race([idle, clock.asleep(1)])) !== "idle") clock.advance(1_000);
    };
    return { world, goOn };
  },
  async "in the model call"() {
    const [thinking, answered] = [byHand(), byHand<ScriptedAnswer>()];
    const model = createScriptedModel((_, index) => {
      if (index > 0) return NOOP;
      thinking.resolve();
      return answered.promise;
    });
    const world = await told({ model, modules: doing });
    await thinking.promise;
    return { world, goOn: () => (answered.resolve(TWO_CALLS), world.idle()) };
  },
  "in the first call": () => inCall("a"),
  "in the last call": () => inCall("b"),
  "in a parallel group": inGroup,
  async "at a question"() {
    const world = await told({ script: [DEPLOY_AND_LOOK, ...REST], modules: shop().modules, policy: [] });
    await world.until((seen) => seen.kind === "live:state" && seen.state === "asking");
    const { inbox, standing } = world.agent("1");
    const goOn = async (): Promise<void> => {
      if (!inbox.ahead().some(({ message }) => isUrgent(message)))
        await answer(world, standing.reason, "approved");
      await world.idle();
    };
    return { world, goOn };
  },
  async idle() {
    const world = await createWorldInMemory({ 1: { script: REST } });
    return { world, goOn: world.idle };
  },
  async parked() {
    const again = Array.from({ length: 5 }, () => work("same"));
    const world = await told({ script: [...again, ...REST], modules: doing });
    await world.idle();
    return { world, goOn: world.idle };
  },
} satisfies Readonly<Record<string, () => Promise<Moment>>>;
