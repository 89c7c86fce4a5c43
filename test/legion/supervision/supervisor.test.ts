import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { HEARTBEAT } from "../../../src/legion/announcements.ts";
import { LegionError } from "../../../src/base/errors.ts";
import { createDisk } from "../../../src/base/files/disk.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { defineModule } from "../../../src/domain/authoring/module.ts";
import { createHandClock, type HandClock } from "../../hand-clock.ts";
import { watchDisk } from "../../storage/files/watched-disk.ts";
import { byHand, createWorldInMemory as createWorld, openWorld, temporaryFolder } from "../../world.ts";

const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };
const BUSY: ScriptedAnswer = { error: { code: "MODEL_BUSY", message: "overloaded" } };

/** Lets everybody who sleeps wake, until `done`. */
async function sleepThrough(clock: HandClock, done: () => boolean): Promise<void> {
  while (!done()) {
    const pause = clock.sleeping().find((left) => left > 0);
    if (pause !== undefined) clock.advance(pause);
    await new Promise(setImmediate);
  }
}

describe("a model that is out of reach", () => {
  it("is asked again after a pause, which grows from restart to restart", async () => {
    const clock = createHandClock();
    const model = createScriptedModel((_, index) => (index < 12 ? BUSY : NOOP));
    const world = await createWorld({ 1: { model } }, { clock });
    await world.say("1", "Go.");
    await sleepThrough(clock, () => model.requests.length > 12);
    await world.idle();
    const retrying = world.seen.flatMap((seen) =>
      seen.kind === "live:state" && seen.state === "retrying"
        ? [Number(/again in (\d+) s/.exec(seen.reason!)![1])]
        : [],
    );
    expect(Math.max(...retrying)).toBeGreaterThanOrEqual(6);
    expect(world.agent("1").standing.state).toBe("idle");
    expect(world.seen).toContainEqual(
      expect.objectContaining({ state: "retrying", reason: expect.stringMatching(/^overloaded \(again in/) }),
    );
  });

  it("is waited for as long as it takes: no number of restarts halts the agent", async () => {
    const clock = createHandClock();
    const model = createScriptedModel((_, index) => (index < 60 ? BUSY : NOOP));
    const world = await createWorld({ 1: { model } }, { clock });
    await world.say("1", "Go.");
    await sleepThrough(clock, () => model.requests.length > 60);
    await world.idle();
    const reasons = (await world.kinds("1", "notice")).map(({ reason }) => reason);
    expect(new Set(reasons)).toEqual(new Set(["restarted"]));
    // One for three calls.
    expect(reasons).toHaveLength(20);
  });

  it("does not keep a stop or a pause waiting", async () => {
    const clock = createHandClock();
    const patient: ScriptedAnswer = {
      error: { code: "MODEL_BUSY", message: "rate limit", retryAfterMs: 200_000 },
    };
    const model = createScriptedModel((_, index) => (index === 0 ? patient : BUSY));
    const world = await createWorld({ 1: { model } }, { clock });
    await world.say("1", "Go.");
    await clock.asleep(100_000);
    await world.legion.agents.get("1")!.pause("lunch");
    expect(world.agent("1").memory.conversation.halt?.reason).toBe("paused");
    expect(clock.sleeping()).toEqual([]);
    await world.legion.agents.get("1")!.resume();
    await clock.asleep(1);
    await world.stop();
    expect(clock.sleeping()).toEqual([]);
    expect(await world.kinds("1", "decision")).toEqual([]);
  });
});

describe("what restarting would only repeat", () => {
  it("parks the agent with the provider's words: the model says no", async () => {
    const model = createScriptedModel([
      { error: { code: "MODEL_REFUSED", message: "401 invalid x-api-key" } },
      NOOP,
    ]);
    const world = await createWorld({ 1: { model } });
    await world.say("1", "Go.");
    await world.idle();
    expect(world.agent("1").standing).toMatchObject({ state: "parked", reason: "401 invalid x-api-key" });
    await world.say("1", "More.");
    await world.idle();
    expect(model.requests).toHaveLength(1);
    const again = await world.restart();
    await again.idle();
    expect(again.agent("1").standing.state).toBe("parked");
    await again.legion.agents.get("1")!.resume();
    await again.idle();
    // What it was asked before, and what came since.
    expect(model.requests).toHaveLength(3);
  });

  it("tells Control", async () => {
    const world = await createWorld({
      1: { script: [{ error: { code: "MODEL_REFUSED", message: "no such model" } }] },
    });
    await world.say("1", "Go.");
    await world.idle();
    await world.stop();
    const [letter] = await world.kinds("0", "message");
    expect(letter?.message).toMatchObject({
      type: "spontaneous",
      content: "I was stopped: no such model",
      re: "0>1#1",
    });
  });
});

describe("a person's word", () => {
  it("`pause` and `resume` hold across restarts", async () => {
    const model = createScriptedModel([NOOP, NOOP]);
    const world = await createWorld({ 1: { model } });
    await world.legion.agents.get("1")!.pause("lunch");
    await world.say("1", "Go.");
    await world.idle();
    const again = await world.restart();
    await again.idle();
    expect(again.agent("1").standing).toMatchObject({ state: "paused", reason: "lunch" });
    expect(model.requests).toHaveLength(0);
    await again.legion.agents.get("1")!.resume();
    await again.idle();
    const third = await again.restart();
    await third.idle();
    expect(model.requests).toHaveLength(1);
    expect(third.agent("1").standing.state).toBe("idle");
  });

  it("is heard in order, also when several come at once", async () => {
    const world = await createWorld({ 1: { script: [NOOP] } });
    const supervised = world.legion.agents.get("1")!;
    await Promise.all([
      supervised.pause("a"),
      supervised.resume(),
      supervised.pause("b"),
      supervised.resume(),
    ]);
    expect((await world.kinds("1", "notice")).map(({ reason }) => reason)).toEqual([
      "paused",
      "resumed",
      "paused",
      "resumed",
    ]);
    await world.say("1", "Go.");
    await world.idle();
    expect(await world.kinds("1", "decision")).toHaveLength(1);
  });

  it("is heard when the agent is being stopped, and refused afterwards", async () => {
    const world = await createWorld({ 1: {} });
    const supervised = world.legion.agents.get("1")!;
    const paused = supervised.pause("last");
    const stopped = supervised.stop();
    await paused;
    await stopped;
    expect(world.agent("1").standing.state).toBe("stopped");
    await expect(supervised.resume()).rejects.toThrow("Agent 1 is stopped.");
    expect((await world.legion.peers()).map(({ running }) => running)).toEqual([false]);
  });

  it("does not stop what runs: the decision under way is finished first", async () => {
    const answer = byHand<ScriptedAnswer>();
    const thinking = byHand();
    const world = await createWorld({
      1: {
        script: () => {
          thinking.resolve();
          return answer.promise;
        },
      },
    });
    await world.say("1", "Go.");
    await thinking.promise;
    const stopped = world.stop();
    answer.resolve("Done.");
    await stopped;
    expect(await world.kinds("1", "decision")).toMatchObject([{ text: "Done." }]);
  });
});

describe("a module with a fault", () => {
  it("in its pinned message costs the agent that part, not its work", async () => {
    const faulty = defineModule({
      name: "faulty",
      pinnedMessage: () => {
        throw new Error("undefined is not a function");
      },
      actions: {},
    });
    const model = createScriptedModel(["Done."]);
    const world = await createWorld({ 1: { modules: [core, faulty], model } });
    await world.say("1", "Go.");
    await world.idle();
    expect(model.requests[0]?.pinned).toContain("could not be made: undefined is not a function");
    expect(world.agent("1").standing.state).toBe("idle");
  });

  it("in closing does not keep the rest from being closed", async () => {
    const faulty = defineModule({
      name: "faulty",
      instructions: (host) => {
        host.onClose(() => {
          throw new Error("cannot close");
        });
        return "Be faulty.";
      },
      actions: {},
    });
    const world = await createWorld({ 1: { modules: [core, faulty], script: [NOOP] } });
    await world.say("1", "Go.");
    await world.idle();
    await expect(world.stop()).rejects.toThrow("cannot close");
    const again = await createWorld({ 1: {} });
    await again.idle();
  });
});

describe("a heartbeat", () => {
  it("wakes only agents that are idle", async () => {
    const clock = createHandClock();
    const one = createScriptedModel([NOOP]);
    const two = createScriptedModel([NOOP]);
    const world = await createWorld({ 1: { model: one }, 2: { model: two } }, { clock, heartbeatMs: 60_000 });
    await world.legion.agents.get("2")!.pause("asleep");
    await world.idle();
    clock.advance(await clock.asleep(60_000));
    await world.until(
      (seen) => seen.kind === "event" && seen.agent === "1" && seen.event.kind === "decision",
    );
    await world.idle();
    expect((await world.kinds("1", "message")).map(({ message }) => message)).toMatchObject([
      { content: HEARTBEAT, type: "spontaneous", source: { type: "user" }, hops: 0 },
    ]);
    expect(two.requests).toHaveLength(0);
    expect(await world.legion.unread("2")).toBe(0);
  });

  it("comes again after one that could not be written", async () => {
    const project = await temporaryFolder();
    const clock = createHandClock();
    const state = { isFull: false };
    const disk = watchDisk(createDisk(join(project, ".ai-legion", "tmp")), ({ op, path }) => {
      const isControls = path.includes(join("agents", "0", "log"));
      if (!state.isFull || !isControls || (op !== "write" && op !== "create")) return;
      throw new LegionError("STORAGE", `${path}: no room`);
    });
    const world = await openWorld(project, { 1: { script: [NOOP] } }, { clock, disk, heartbeatMs: 60_000 });
    await world.idle();
    state.isFull = true;
    clock.advance(await clock.asleep(60_000));
    await clock.asleep(60_000);
    expect(await world.kinds("1", "message")).toEqual([]);
    state.isFull = false;
    clock.advance(60_000);
    await world.until((seen) => seen.kind === "event" && seen.agent === "1" && seen.event.kind === "message");
  });
});
