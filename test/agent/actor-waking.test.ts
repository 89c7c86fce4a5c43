import { describe, expect, it } from "vitest";
import { createScriptedModel, type ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { idle, ok } from "../../src/domain/authoring/module.ts";
import { createHandClock } from "../hand-clock.ts";
import { NOOP, story, textOf, work, workshop } from "../workshop.ts";
import { byHand, createWorldInMemory as createWorld } from "../world.ts";

describe("deciding and waiting", () => {
  it("reads a message that arrived while the model was thinking before it waits (A5)", async () => {
    const thinking = byHand();
    const answer = byHand<ScriptedAnswer>();
    const model = createScriptedModel((_, index) => {
      if (index > 0) return NOOP;
      thinking.resolve();
      return answer.promise;
    });
    const world = await createWorld({ 1: { model } });
    await world.say("1", "First.");
    await thinking.promise;
    await world.say("1", "Second.");
    answer.resolve(NOOP);
    await world.idle();
    expect(textOf(model.requests[0]!)).not.toContain("Second.");
    expect(textOf(model.requests[1]!)).toContain("Second.");
    expect(model.requests).toHaveLength(2);
  });

  it("goes on after a success and after a failure, and waits after noop or a plain answer (A5)", async () => {
    const modules = workshop((step) => (step === "rest" ? idle() : ok(step)));
    const model = createScriptedModel([
      work("a"),
      { calls: [{ action: "nonsense" }] },
      work("rest"),
      "Hello.",
    ]);
    const world = await createWorld({ 1: { model, modules } });
    await world.say("1", "Go.");
    await world.idle();
    expect(model.requests).toHaveLength(3);
    await world.say("1", "And?");
    await world.idle();
    expect(model.requests).toHaveLength(4);
  });

  it("does not wake for an abort while it is idle (A5)", async () => {
    const model = createScriptedModel([NOOP, NOOP]);
    const world = await createWorld({ 1: { model } });
    await world.say("1", "Go.");
    await world.idle();
    await world.legion.control.say(["1"], "Stop.", "abort");
    await world.idle();
    expect(model.requests).toHaveLength(1);
    expect((await story(world)).at(-1)).toBe("message: Stop.");
    await world.say("1", "Again.");
    await world.idle();
    expect(model.requests).toHaveLength(2);
  });

  it("goes on after a restart where it stopped, without any new mail (A5)", async () => {
    const hold = byHand();
    const started = byHand();
    const modules = workshop(async (step) => {
      started.resolve();
      await hold.promise;
      return ok(step);
    });
    const world = await createWorld({ 1: { script: [work("a")], modules } });
    await world.say("1", "Go.");
    await started.promise;
    const stopped = world.stop();
    hold.resolve();
    await stopped;
    const model = createScriptedModel([NOOP]);
    const again = await world.restart({ 1: { model, modules } });
    await again.idle();
    expect(model.requests).toHaveLength(1);
  });

  it("decides at most once per tick, on the clock's next beat", async () => {
    const clock = createHandClock();
    const model = createScriptedModel([work("a"), work("b"), NOOP]);
    const world = await createWorld(
      { 1: { model, tickMs: 1_000, modules: workshop((step) => ok(step)) } },
      { clock },
    );
    await world.say("1", "Go.");
    for (let decisions = 0; decisions < 3; decisions++) {
      expect(model.requests).toHaveLength(decisions);
      clock.advance(await clock.asleep(1));
      await world.until((seen) => seen.kind === "event" && seen.event.kind === "decision");
      if (decisions < 2) await clock.asleep(1);
    }
    await world.idle();
    expect(model.requests).toHaveLength(3);
    expect(clock.sleeping()).toEqual([]);
  });
});

describe("a delay", () => {
  it("follows each decision, before the next one", async () => {
    const clock = createHandClock();
    const model = createScriptedModel([
      { calls: [{ action: "addGoal", parameters: { goal: "rest" } }] },
      { calls: [{ action: "noop" }] },
    ]);
    const world = await createWorld({ 1: { model } }, { clock, delayMs: 500 });
    await world.say("1", "Go.");
    expect(await clock.asleep(500)).toBe(500);
    expect(model.requests).toHaveLength(1);
    clock.advance(500);
    expect(await clock.asleep(500)).toBe(500);
    expect(model.requests).toHaveLength(2);
  });
});
