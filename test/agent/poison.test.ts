import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { core } from "../../modules/core.ts";
import { LegionError } from "../../src/base/errors.ts";
import { createDisk } from "../../src/base/files/disk.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { defineAction, defineModule, ok, type Effects } from "../../src/domain/authoring/module.ts";
import { aborted } from "../../src/base/process/signals.ts";
import { createHandClock } from "../hand-clock.ts";
import { watchDisk } from "../storage/files/watched-disk.ts";
import {
  byHand,
  createWorldInMemory as createWorld,
  openWorld,
  temporaryFolder,
  type World,
  type WorldAgent,
} from "../world.ts";

const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };
const POISON = "3 starts in a row ended while this agent was acting, the last one while nobody else was";

/** An action that hangs until the node is gone, and what says that it runs; another one that works. */
function hanging(effects: Effects) {
  const state = { isHanging: true, begun: byHand() };
  let worked = 0;
  const work = defineAction({ description: "Do something.", execute: () => ok(`worked ${++worked}`) });
  const act = defineAction({
    description: "Do something that never ends.",
    effects,
    async execute(_, { signal }) {
      state.begun.resolve();
      if (state.isHanging) await aborted(signal).then(() => signal.throwIfAborted());
      return ok("done");
    },
  });
  return { state, modules: [core, defineModule({ name: "hanging", actions: { act, work } })] };
}

/** Ends the node in the middle of what it does, as a crash would; nothing more is logged. */
async function crash(world: World): Promise<void> {
  world.legion.interrupt();
  await world.stop();
}

describe("an agent that takes its node down", () => {
  it("is not parked for starts that ended while it waited for its model", async () => {
    let thinking = byHand();
    const model = createScriptedModel(() => {
      thinking.resolve();
      return new Promise(() => undefined);
    });
    const agents = { 1: { model }, 2: { script: () => NOOP } };
    let world = await createWorld(agents);
    await world.say("1", "Go.");
    for (let start = 0; start < 5; start++) {
      await thinking.promise;
      thinking = byHand();
      await crash(world);
      world = await world.restart();
    }
    await thinking.promise;
    expect(model.requests).toHaveLength(6);
    expect(await world.kinds("1", "notice")).toEqual([]);
  });

  it("is parked also where it does what it was told to check, again and again; Control is told, others go on", async () => {
    const { state, modules } = hanging("once");
    const model = createScriptedModel(() => ({ calls: [{ action: "act" }] }));
    let world = await createWorld({ 1: { model, modules }, 2: { script: () => NOOP } });
    await world.say("1", "Go.");
    for (let start = 0; start < 3; start++) {
      await state.begun.promise;
      state.begun = byHand();
      await crash(world);
      world = await world.restart();
    }
    await world.say("2", "Go.");
    await world.idle();
    expect(world.agent("1").standing).toMatchObject({ state: "parked", reason: POISON });
    expect(await world.kinds("2", "decision")).toHaveLength(1);
    await world.stop();
    expect((await world.kinds("0", "message")).at(-1)?.message.content).toBe(`I was stopped: ${POISON}`);
  });

  it.each(["reads", "none", "idempotent"] as const)(
    "is parked after three starts that ended in an action with effects `%s`, which is not run again",
    async (effects) => {
      const { state, modules } = hanging(effects);
      const model = createScriptedModel([{ calls: [{ action: "act" }] }, NOOP]);
      const agents: Record<string, WorldAgent> = { 1: { model, modules } };
      let world = await createWorld(agents);
      await world.say("1", "Go.");
      for (let start = 0; start < 3; start++) {
        await state.begun.promise;
        state.begun = byHand();
        await crash(world);
        world = await world.restart();
      }
      await world.idle();
      expect(world.agent("1").standing).toMatchObject({ state: "parked", reason: POISON });
      expect(await world.kinds("1", "result")).toEqual([]);
      // A person who mended it may let it go on: what was open is closed then.
      state.isHanging = false;
      await world.legion.agents.get("1")!.resume();
      await world.idle();
      expect(await world.kinds("1", "result")).toMatchObject([{ content: "done" }, { outcome: "idle" }]);
    },
  );

  it("is not parked where its node was ended in good order while a provider was out of reach", async () => {
    const clock = createHandClock();
    const state = { isDown: true };
    const busy: ScriptedAnswer = { error: { code: "MODEL_BUSY", message: "out of reach" } };
    const agents: Record<string, WorldAgent> = { 1: { script: () => (state.isDown ? busy : NOOP) } };
    let world = await createWorld(agents, { clock });
    await world.say("1", "Go.");
    for (let start = 0; start < 4; start++) {
      await world.until((seen) => seen.kind === "live:state" && seen.state === "retrying");
      world = await world.restart();
    }
    state.isDown = false;
    await world.idle();
    expect(await world.kinds("1", "decision")).toHaveLength(1);
  });

  it("is not parked while its starts bring results, or when it was at rest", async () => {
    const { state, modules } = hanging("once");
    const model = createScriptedModel(() => ({ calls: [{ action: "work" }, { action: "act" }] }));
    let world = await createWorld({ 1: { model, modules } });
    await world.say("1", "Go.");
    for (let start = 0; start < 5; start++) {
      await state.begun.promise;
      state.begun = byHand();
      await crash(world);
      world = await world.restart();
    }
    await state.begun.promise;
    expect(world.agent("1").memory.ledger.fruitless).toBe(0);
    expect(await world.kinds("1", "notice")).toEqual([]);
  });

  it("is not parked for starts that were told to end, however its action was cut off then", async () => {
    const { state, modules } = hanging("none");
    const model = createScriptedModel([{ calls: [{ action: "act" }] }, NOOP]);
    let world = await createWorld({ 1: { model, modules } });
    await world.say("1", "Go.");
    for (let start = 0; start < 5; start++) {
      await state.begun.promise;
      state.begun = byHand();
      const stopping = world.stop();
      world.legion.interrupt();
      await stopping;
      world = await world.restart();
    }
    await state.begun.promise;
    expect(world.agent("1").memory.ledger.fruitless).toBe(0);
    expect(world.agent("1").standing.state).toBe("acting");
  });

  it("is not parked for starts that were told to end while it thought, and cut off in what it did then", async () => {
    const { state, modules } = hanging("none");
    const thinking = byHand();
    const answer = byHand();
    const model = createScriptedModel(async () => {
      thinking.resolve();
      await answer.promise;
      return { calls: [{ action: "act" }] };
    });
    let world = await createWorld({ 1: { model, modules } });
    await world.say("1", "Go.");
    await thinking.promise;
    const stopping = world.stop();
    answer.resolve();
    await state.begun.promise;
    state.begun = byHand();
    world.legion.interrupt();
    await stopping;
    world = await world.restart();
    await state.begun.promise;
    expect(world.agent("1").memory.ledger.fruitless).toBe(0);
  });

  it("ends when it is told to, also where its log cannot take in that it was", async () => {
    const project = await temporaryFolder();
    const [acting, over] = [byHand(), byHand()];
    const act = defineAction({
      description: "Do something that takes a while.",
      async execute() {
        acting.resolve();
        await over.promise;
        return ok("done");
      },
    });
    const modules = [core, defineModule({ name: "slow", actions: { act } })];
    let isFull = false;
    const disk = watchDisk(createDisk(join(project, ".ai-legion", "tmp")), ({ op, path }) => {
      if (isFull && op === "write" && path.includes(join("agents", "1", "log")))
        throw new LegionError("STORAGE", `${path}: no space left on device`);
    });
    const world = await openWorld(
      project,
      { 1: { script: [{ calls: [{ action: "act" }] }], modules } },
      { disk },
    );
    await world.say("1", "Go.");
    await acting.promise;
    isFull = true;
    const stopping = world.stop();
    over.resolve();
    await stopping;
    expect(world.legion.agents.get("1")!.standing.state).toBe("stopped");
  });
});
