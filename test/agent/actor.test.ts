import { describe, expect, it } from "vitest";
import { createScriptedModel, type ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import type { ModelRequest } from "../../src/domain/model.ts";
import { ok } from "../../src/domain/authoring/module.ts";
import { NOOP, story, textOf, work, workshop } from "../workshop.ts";
import { byHand, createWorldInMemory as createWorld, type World } from "../world.ts";

describe("an agent's day", () => {
  it("reads its mail, does what was asked, reports back and waits for more", async () => {
    const world = await createWorld({
      1: {
        script: [
          { calls: [{ action: "addGoal", parameters: { goal: "buy milk" } }] },
          { calls: [{ action: "writeNote", parameters: { title: "milk", content: "two litres" } }] },
          { calls: [{ action: "completeGoal", parameters: { goalNumber: 1 } }] },
          "The milk is bought.",
        ],
      },
    });
    const [asked] = await world.say("1", "Please buy milk.");
    await world.idle();

    const kinds = (await world.events("1")).map(({ kind }) => kind).filter((kind) => kind !== "prompted");
    expect(kinds).toEqual([
      "opened",
      "message",
      ...["decision", "result"],
      ...["decision", "result"],
      ...["decision", "result"],
      "decision",
      "sent",
    ]);
    await world.stop();
    const [answer] = await world.kinds("0", "message");
    expect(answer?.message).toMatchObject({
      content: "The milk is bought.",
      re: asked,
      root: asked,
      hops: 1,
    });
  });
});

describe("the log has one writer", () => {
  it("keeps the logs of two agents whole that write at the same time (A1)", async () => {
    const step = (_: ModelRequest, index: number): ScriptedAnswer =>
      index < 60
        ? { calls: [{ action: "writeNote", parameters: { title: `n${index}`, content: "x" } }] }
        : NOOP;
    const world = await createWorld({ 1: { script: step }, 2: { script: step } });
    await world.say("all", "Write.");
    await Promise.all(Array.from({ length: 40 }, (_, n) => world.say(n % 2 ? "1" : ["1", "2"], `more ${n}`)));
    await world.idle();
    await world.stop();
    for (const id of ["1", "2"]) {
      const events = await world.events(id);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(events.filter(({ kind }) => kind === "result")).toHaveLength(61);
      expect(events.filter(({ kind }) => kind === "notice")).toEqual([]);
    }
  });

  it("lets a person's word wait until the decision under way is closed (A1)", async () => {
    const started = byHand();
    const go = byHand();
    const modules = workshop(async () => {
      started.resolve();
      await go.promise;
      return ok("done");
    });
    const world = await createWorld({ 1: { script: [work("a")], modules } });
    await world.say("1", "Go.");
    await started.promise;
    const paused = world.legion.agents.get("1")!.pause("lunch");
    await new Promise(setImmediate);
    go.resolve();
    await paused;
    expect(await story(world)).toEqual(["message: Go.", "decision: 1 calls", "ok: done", "notice: paused"]);
  });
});

describe("taking in mail", () => {
  it("keeps all of ten messages that were sent in a row (A2)", async () => {
    const model = createScriptedModel([NOOP]);
    const world = await createWorld({ 1: { model } });
    for (let n = 1; n <= 10; n++) await world.say("1", `number ${n}.`);
    await world.idle();
    const shown = textOf(model.requests.at(-1)!);
    for (let n = 1; n <= 10; n++) expect(shown).toContain(`number ${n}.`);
    expect(await world.kinds("1", "message")).toHaveLength(10);
  });

  it("waits until the last result of the decision under way (A2)", async () => {
    const hold = byHand();
    const started = byHand();
    const modules = workshop(async (step) => {
      if (step !== "first") return ok(step);
      started.resolve();
      await hold.promise;
      return ok(step);
    });
    const world = await createWorld({ 1: { script: [work("first", "second"), NOOP], modules } });
    await world.say("1", "Go.");
    await started.promise;
    await world.say("1", "By the way.");
    hold.resolve();
    await world.idle();
    expect(await story(world)).toEqual([
      "message: Go.",
      "decision: 2 calls",
      "ok: first",
      "ok: second",
      "message: By the way.",
      "decision: 1 calls",
      "idle: ",
    ]);
  });

  it("takes at most a quarter of the model's window at once, and the rest with the next decision (A2)", async () => {
    const model = createScriptedModel(() => NOOP, { window: 40_000 });
    const world = await createWorld({ 1: { model } });
    await world.legion.agents.get("1")!.pause("collecting");
    for (let n = 1; n <= 5; n++) await world.say("1", `${n}`.repeat(16_000));
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    const kinds = (await story(world)).map((entry) => entry.slice(0, entry.indexOf(":")));
    const shown = kinds.filter((kind) => kind === "message" || kind === "decision");
    expect(shown).toEqual([
      "message",
      "message",
      "decision",
      "message",
      "message",
      "decision",
      "message",
      "decision",
    ]);
  });

  it("takes in one message that is larger than that, and shows it without its middle (A2)", async () => {
    const model = createScriptedModel(() => NOOP, { window: 40_000 });
    const world = await createWorld({ 1: { model } });
    await world.say("1", `start ${"x".repeat(500_000)} end`);
    await world.idle();
    const shown = textOf(model.requests[0]!);
    expect(shown.length).toBeLessThan(70_000);
    expect(shown).toContain("start");
    expect(shown).toMatch(
      /characters left out .* end\\n\\n\(Too long to be shown whole: `recall` reopens it as event 2\.\)/,
    );
    const [message] = await world.kinds("1", "message");
    expect(message!.message.content).toHaveLength(500_010);
  });
});

describe("a decision", () => {
  it("is in the log before its first call runs, and each result before the next call (A3)", async () => {
    const seen: string[][] = [];
    const box: { world?: World } = {};
    const modules = workshop(async (step) => {
      seen.push(await story(box.world!));
      return ok(step);
    });
    box.world = await createWorld({ 1: { script: [work("a", "b"), NOOP], modules } });
    await box.world.say("1", "Go.");
    await box.world.idle();
    expect(seen).toEqual([
      ["message: Go.", "decision: 2 calls"],
      ["message: Go.", "decision: 2 calls", "ok: a"],
    ]);
  });

  it("reports an action that threw to the agent (A4)", async () => {
    const model = createScriptedModel([work("explode"), NOOP]);
    const modules = workshop(() => {
      throw new Error("the boiler burst");
    });
    const world = await createWorld({ 1: { model, modules } });
    await world.say("1", "Heat.");
    await world.idle();
    expect(await story(world)).toContain("error: the boiler burst");
    expect(model.requests.at(-1)!.turns.at(-1)).toMatchObject({
      role: "results",
      results: [{ content: "the boiler burst", isError: true }],
    });
    expect(world.agent("1").standing.state).toBe("idle");
  });

  it("turns what the model did wrong into results, and goes on (A4)", async () => {
    const world = await createWorld({
      1: { script: [{ calls: [{ action: "fly" }, { action: "addGoal" }] }, "   ", NOOP] },
    });
    await world.say("1", "Go.");
    await world.idle();
    const entries = await story(world);
    expect(entries[2]).toMatch(/^error: Unknown action `fly`/);
    expect(entries[3]).toMatch(/^error: Missing required parameter: `goal`/);
    expect(entries[5]).toMatch(/^error: Your response was empty/);
    expect(entries.at(-1)).toBe("idle: ");
  });

  it("ends with one result per call, also when one of them fails (A6)", async () => {
    const modules = workshop((step) => {
      if (step === "b") throw new Error("no");
      return ok(step);
    });
    const world = await createWorld({ 1: { script: [work("a", "b", "c"), NOOP], modules } });
    await world.say("1", "Go.");
    await world.idle();
    const [decision] = await world.kinds("1", "decision");
    const results = await world.kinds("1", "result");
    expect(results.slice(0, 3).map(({ call }) => call)).toEqual(decision!.calls.map(({ id }) => id));
    expect(results.slice(0, 3).map(({ outcome }) => outcome)).toEqual(["ok", "error", "ok"]);
  });

  it("gives calls without an id of their own one that no other call of the log has", async () => {
    const world = await createWorld({
      1: {
        protocol: "text",
        script: ["addGoal\ngoal: a", "addGoal\ngoal: b", "noop"],
      },
    });
    await world.say("1", "Go.");
    await world.idle();
    const ids = (await world.kinds("1", "decision")).flatMap(({ calls }) => calls.map(({ id }) => id));
    expect(new Set(ids).size).toBe(3);
  });
});
