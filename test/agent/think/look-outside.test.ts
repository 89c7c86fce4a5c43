import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { createRedactor } from "../../../src/base/redaction/redactor.ts";
import { defineAction, defineModule, ok, type Module } from "../../../src/domain/authoring/module.ts";
import { createScriptedModel } from "../../../src/model/scripted/scripted.ts";
import { replay, replayLegion } from "../../legion/replay/replays.ts";
import { createHandClock } from "../../hand-clock.ts";
import { byHand, createWorld, type World, type WorldAgent } from "../../world.ts";
import type { Host } from "../../../src/domain/authoring/host.ts";

/** A market with a changing offer: one action for each thing on it. */
function market(find: (host: Host) => Promise<unknown>): Module {
  const buy = (thing: string) =>
    defineAction({
      description: `Buy ${thing}`,
      parameters: { type: "object", properties: { pounds: { type: "integer" } } },
      effects: "none",
      touches: [],
      execute: (_, { offer }) => ok(`bought ${thing} of ${(offer as readonly string[]).length}`),
    });
  return defineModule({
    name: "market",
    instructions: ({ offer }) => `There is ${(offer as readonly string[] | undefined)?.join(" and ")}.`,
    actions: {},
    offers: {
      find,
      actions: (offer) =>
        Object.fromEntries((offer as readonly string[]).map((thing) => [`buy_${thing}`, buy(thing)])),
    },
  });
}

const buy = (thing: string) => ({ calls: [{ action: `buy_${thing}` }] });
const script = [buy("apples"), "Done.", buy("pears"), "Done.", buy("pears"), "Done."];

/** An agent that goes to it, and what its model was shown. */
function shopper(find: (host: Host) => Promise<unknown>) {
  const model = createScriptedModel(script);
  const agent: WorldAgent = { model, modules: [core, market(find)] };
  const tools = (): readonly string[][] =>
    model.requests.map((request) => request.tools.map(({ name }) => name));
  return { agent, model, tools };
}

async function go(world: World): Promise<void> {
  await world.say("1", "Go.");
  await world.idle();
}

const outcomes = async (world: World): Promise<readonly string[]> =>
  (await world.kinds("1", "result")).map(({ content }) => content.split("\n")[0]!);
const never = (): Promise<unknown> => Promise.reject(new Error("the market is closed"));

describe("what modules find outside", () => {
  it("is in the log before the first prompt that shows it, and its actions can be called", async () => {
    const { agent, model, tools } = shopper(() => Promise.resolve(["apples"]));
    const world = await createWorld({ 1: agent });
    await go(world);
    const kinds = (await world.events("1")).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "offered")).toHaveLength(1);
    expect(kinds.indexOf("offered")).toBeLessThan(kinds.indexOf("prompted"));
    expect(tools()[0]!.at(-1)).toBe("buy_apples");
    expect(model.requests[0]!.system).toContain("There is apples.");
    expect(await outcomes(world)).toEqual(["bought apples of 1"]);
  });

  it("is looked for every 30 s at most; a change counts from the next decision on, and is kept alone", async () => {
    const clock = createHandClock();
    let looks = 0;
    let offer = ["apples"];
    const { agent, tools } = shopper(() => (looks++, Promise.resolve(offer)));
    const world = await createWorld({ 1: agent }, { clock });
    await go(world);
    offer = ["apples", "pears"];
    clock.advance(29_999);
    await go(world);
    expect(looks).toBe(1);
    expect((await outcomes(world)).at(-1)).toMatch(/^Unknown action `buy_pears`/);
    clock.advance(1);
    await go(world);
    clock.advance(30_000);
    await world.say("1", "Once more.");
    await world.idle();
    expect(looks).toBe(3);
    expect(await world.kinds("1", "offered")).toMatchObject([
      { offer: '["apples"]' },
      { offer: '["apples","pears"]' },
    ]);
    expect(tools()[0]).not.toContain("buy_pears");
    expect(tools().at(-1)!.slice(-2)).toEqual(["buy_apples", "buy_pears"]);
  });

  it("stays as it was known where looking fails, also after a restart", async () => {
    const { agent } = shopper(() => Promise.resolve(["apples", "pears"]));
    const world = await createWorld({ 1: agent });
    await go(world);
    const closed = shopper(never);
    const again = await world.restart({
      1: { ...closed.agent, model: createScriptedModel([buy("pears"), "Done."]) },
    });
    await go(again);
    expect((await outcomes(again)).at(-1)).toBe("bought pears of 2");
    expect(await again.kinds("1", "offered")).toHaveLength(1);
  });

  it("never takes the name of an action that there is", async () => {
    const noop = defineAction({ description: "Not that", touches: [], execute: () => ok("not that") });
    const modules = [
      core,
      defineModule({
        ...market(() => Promise.resolve([])),
        offers: {
          find: () => Promise.resolve([]),
          actions: () => ({ noop, fine: noop }),
        },
      }),
    ];
    const world = await createWorld({
      1: { modules, script: [{ calls: [{ action: "fine" }] }, "Done."] },
    });
    await go(world);
    expect(await outcomes(world)).toEqual(["not that"]);
    expect(world.agent("1").modules.actions.get("noop")?.module).toBe("core");
  });

  it("holds no secret, and is not kept again for that", async () => {
    const clock = createHandClock();
    const { agent, model } = shopper(() => Promise.resolve(["apples", "hunter2-hunter2"]));
    const redactor = createRedactor([{ name: "KEY", value: "hunter2-hunter2" }]);
    const world = await createWorld({ 1: agent }, { clock, redactor });
    await go(world);
    clock.advance(60_000);
    await go(world);
    expect(await world.kinds("1", "offered")).toMatchObject([{ offer: '["apples","[redacted:KEY]"]' }]);
    expect(JSON.stringify(model.requests)).not.toContain("hunter2");
  });

  it("that takes long ends with an abort, and is looked for again", async () => {
    const looking = byHand();
    let looks = 0;
    const { agent, tools } = shopper(({ signal }) => {
      if (++looks > 1) return Promise.resolve(["apples"]);
      looking.resolve();
      return new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      );
    });
    const world = await createWorld({ 1: agent });
    await world.say("1", "Go.");
    await looking.promise;
    await world.legion.control.say(["1"], "Stop.", "abort");
    await world.idle();
    expect(tools()).toEqual([]);
    await go(world);
    expect(tools()[0]).toContain("buy_apples");
  });

  it("is replayed where nothing of it is there any more: of the agent and of the whole legion", async () => {
    const clock = createHandClock();
    let offer = ["apples"];
    const { agent } = shopper(() => Promise.resolve(offer));
    const world = await createWorld({ 1: agent }, { clock });
    await go(world);
    offer = ["apples", "pears", "x".repeat(5_000)];
    clock.advance(30_000);
    await go(world);
    await world.stop();
    const closed = { ...agent, modules: [core, market(never)] };
    const { difference, decisions } = await replay(world.project, "1", closed);
    expect({ difference, decisions }).toEqual({ difference: undefined, decisions: 4 });
    expect((await replayLegion(world.project, { 1: closed })).difference).toBeUndefined();
  });

  it("goes back with a fork to what it was then", async () => {
    const clock = createHandClock();
    let offer = ["apples"];
    const { agent } = shopper(() => Promise.resolve(offer));
    const world = await createWorld({ 1: agent }, { clock });
    await go(world);
    const at = (await world.events("1")).at(-1)!.seq;
    offer = ["pears"];
    clock.advance(30_000);
    await go(world);
    expect([...world.agent("1").modules.actions.keys()]).toContain("buy_pears");
    await world.stop();
    const closed = await world.restart({ 1: { ...agent, modules: [core, market(never)] } });
    await (
      await closed.legion.fork({ agent: "1", at })
    ).done;
    expect(closed.agent("1").memory.offers.get("market")).toEqual(["apples"]);
    await go(closed);
    expect([...closed.agent("1").modules.actions.keys()]).toContain("buy_apples");
  });
});
