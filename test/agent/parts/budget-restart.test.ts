import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { LegionError } from "../../../src/base/errors.ts";
import { account, createLedger } from "../../../src/past/ledger.ts";
import { createDisk } from "../../../src/base/files/disk.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import { createHandClock } from "../../hand-clock.ts";
import { watchDisk } from "../../storage/files/watched-disk.ts";
import { NOOP, PRICE, ask, asking, busy, spending } from "../../spending.ts";
import { createWorld, openWorld } from "../../world.ts";

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

  it("what an agent spent counts also while it cannot be opened, and once when it can be (G2)", async () => {
    const world = await createWorld({ 1: { script: busy }, 2: { script: busy } }, { limits: { steps: 4 } });
    await world.say("1", "Go.");
    await world.idle();
    await world.stop();
    const { project } = world;
    let isBroken = true;
    const disk = watchDisk(createDisk(join(project, ".ai-legion/tmp")), ({ op, path }) => {
      if (isBroken && op === "read" && path.endsWith(join("1", "agent.json")))
        throw new LegionError("STORAGE", `${path}: EACCES`);
    });
    const clock = createHandClock();
    const model = createScriptedModel(busy);
    const limits = { steps: 4 };
    const again = await openWorld(project, { 1: { script: busy }, 2: { model } }, { disk, clock, limits });
    const { steps } = again.legion.budget.spent();
    expect(steps).toBe(4);
    await again.say("2", "Go.");
    await again.until((seen) => seen.kind === "live:state" && seen.agent === "2" && seen.state === "parked");
    expect(model.requests).toHaveLength(0);
    isBroken = false;
    clock.advance(await clock.asleep(10_000));
    await again.until(
      (seen) => seen.kind === "event" && seen.event.kind === "notice" && seen.event.reason === "restarted",
    );
    expect(again.legion.budget.spent().steps).toBe(steps);
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
