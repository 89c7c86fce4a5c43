import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createScriptedModel, type ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { ok } from "../../src/domain/authoring/module.ts";
import { createHandClock } from "../hand-clock.ts";
import { NOOP, story, work, workshop } from "../workshop.ts";
import { byHand, createWorldInMemory as createWorld } from "../world.ts";

describe("an abort", () => {
  it("ends the model call: the decision is logged without calls, and the agent waits (A6)", async () => {
    const thinking = byHand();
    const model = createScriptedModel(() => {
      thinking.resolve();
      return new Promise<ScriptedAnswer>(() => undefined);
    });
    const world = await createWorld({ 1: { model } });
    await world.say("1", "Go.");
    await thinking.promise;
    await world.legion.control.say(["1"], "Stop.", "abort");
    await world.idle();
    expect(await story(world)).toEqual(["message: Go.", "decision aborted: 0 calls", "message: Stop."]);
    expect(model.requests).toHaveLength(1);
  });

  it("ends the running action and closes the calls after it; nothing that was half done is kept (A6)", async () => {
    const started = byHand();
    const modules = workshop(async (_, host) => {
      host.state.set("half", "done");
      await host.send(["0"], "half a message");
      started.resolve();
      await new Promise((_resolve, reject) =>
        host.signal.addEventListener("abort", () => reject(new Error("killed")), { once: true }),
      );
      return ok("never");
    });
    const world = await createWorld({ 1: { script: [work("a", "b")], modules } });
    await world.say("1", "Go.");
    await started.promise;
    await world.legion.control.say(["1"], "Stop.", "abort");
    await world.idle();
    expect(await story(world)).toEqual([
      "message: Go.",
      "decision: 2 calls",
      "idle: Stopped by Control.",
      "idle: Stopped by Control.",
      "message: Stop.",
    ]);
    const results = await world.kinds("1", "result");
    for (const result of results) expect(result).not.toHaveProperty("state");
    expect(await world.kinds("0", "message")).toEqual([]);
  });

  it("keeps the agent from going on, also where a part of the decision had worked (A5)", async () => {
    const started = byHand();
    const modules = workshop(async (step, host) => {
      if (step === "a") return ok("a is done");
      started.resolve();
      await new Promise((resolve) => host.signal.addEventListener("abort", resolve, { once: true }));
      return ok("b was almost done");
    });
    const model = createScriptedModel([work("a", "b"), NOOP]);
    const world = await createWorld({ 1: { model, modules } });
    await world.say("1", "Go.");
    await started.promise;
    await world.legion.control.say(["1"], "Stop.", "abort");
    await world.idle();
    expect(await story(world)).toEqual([
      "message: Go.",
      "decision: 2 calls",
      "ok: a is done",
      "idle: b was almost done",
      "message: Stop.",
    ]);
    expect(model.requests).toHaveLength(1);
  });

  it("does not wait for an action that does not listen (A6)", async () => {
    const clock = createHandClock();
    const started = byHand();
    const modules = workshop(() => {
      started.resolve();
      return new Promise(() => undefined);
    });
    const world = await createWorld({ 1: { script: [work("a")], modules } }, { clock });
    await world.say("1", "Go.");
    await started.promise;
    await world.legion.control.say(["1"], "Stop.", "abort");
    clock.advance(await clock.asleep(1));
    await world.idle();
    expect((await story(world))[2]).toMatch(/^idle: Stopped by Control. The action did not end by itself/);
  });
});

describe("the end of a run", () => {
  it("leaves a hanging model call unlogged when it is interrupted, and asks again at the next start", async () => {
    const thinking = byHand();
    const world = await createWorld({
      1: {
        script: () => {
          thinking.resolve();
          return new Promise<ScriptedAnswer>(() => undefined);
        },
      },
    });
    await world.say("1", "Go.");
    await thinking.promise;
    world.legion.interrupt();
    await world.stop();
    expect(await story(world)).toEqual(["message: Go."]);
    const again = await world.restart({ 1: { script: ["Here I am."] } });
    await again.idle();
    await again.stop();
    expect((await again.kinds("0", "message")).map(({ message }) => message.content)).toEqual(["Here I am."]);
  });

  it("leaves nothing behind on signals that live long", async () => {
    const model = createScriptedModel((_, index) => (index < 500 ? work(`${index}`) : NOOP), {
      remember: 1,
    });
    const signals = new Set<AbortSignal>();
    const modules = workshop((step, host) => {
      signals.add(host.signal);
      return ok(step);
    });
    const world = await createWorld({ 1: { model, modules } });
    const inbox = world.agent("1").inbox;
    await world.say("1", "Go.");
    await world.idle();
    expect(signals.size).toBe(500);
    expect(getEventListeners(inbox.interrupt(), "abort")).toHaveLength(0);
    for (const signal of signals) expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});
