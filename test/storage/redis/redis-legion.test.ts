import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { messaging } from "../../../modules/messaging.ts";
import { system } from "../../../modules/system/index.ts";
import { redisIsThere, startRedis, until, type Server } from "./servers.ts";
import { ACT, hanging } from "./hanging.ts";
import { openNode } from "./redis-world.ts";
import { toPlan } from "../../world.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());
let names = 0;
const legion = (): string => `legion-${++names}`;
const NOOP = { calls: [{ action: "noop" }] };

describe.runIf(redisIsThere)("a legion in Redis", () => {
  it("takes in what a person says, acts, and answers", async () => {
    const node = await openNode(server.url, legion(), {
      1: { script: [{ text: "Hello, Control." }] },
    });
    const ids = await node.say("1", "Hi.");
    expect(ids).toEqual(["0>1#1"]);
    await node.idle();
    expect(await node.kinds("1", "message")).toMatchObject([{ message: { content: "Hi." }, mail: 1 }]);
    expect(await node.kinds("1", "decision")).toMatchObject([{ text: "Hello, Control." }]);
    await until(async () => (await node.kinds("0", "message")).length === 1);
    expect(await node.kinds("0", "message")).toMatchObject([{ message: { content: "Hello, Control." } }]);
    expect((await node.kinds("1", "opened")).length).toBe(1);
  });

  it("takes in an agent while others run, unless another node runs it", async () => {
    const name = legion();
    const one = await openNode(server.url, name, { 1: { script: () => NOOP } });
    const two = await openNode(server.url, name, { 2: { script: () => NOOP } });
    await one.legion.host(toPlan("late", { script: [{ text: "Here." }], modules: [core, messaging] }));
    await two.say("late", "Where are you?");
    await until(async () => (await one.kinds("0", "message")).length === 1);
    const again = two.legion.host(toPlan("late", { modules: [core, messaging] }));
    await expect(again).rejects.toMatchObject({ code: "LOCKED", message: expect.stringContaining("late") });
    await one.stop();
    await two.legion.host(toPlan("late", { script: [{ text: "Over here." }], modules: [core, messaging] }));
    await two.say("late", "And now?");
    await until(async () => (await two.kinds("0", "message")).length === 2);
  });

  it("spreads its agents over its nodes, and they talk across", async () => {
    const name = legion();
    const agents = {
      1: {
        modules: [core, messaging],
        script: [
          { calls: [{ action: "sendMessage", parameters: { targetAgentId: "2", message: "ping" } }] },
          NOOP,
        ],
      },
      2: { script: [NOOP], modules: [core, messaging] },
    };
    const one = await openNode(server.url, name, { 1: agents[1] });
    const two = await openNode(server.url, name, { 2: agents[2] });
    expect([...one.legion.agents.keys(), ...two.legion.agents.keys()]).toEqual(["1", "2"]);
    await two.say("1", "Write to 2.");
    await until(async () => (await one.kinds("2", "decision")).length === 1);
    expect(await one.kinds("2", "message")).toMatchObject([{ message: { content: "ping", id: "1>2#1" } }]);
  });

  it("goes on elsewhere when a node stops, from what was committed", async () => {
    const name = legion();
    const script = [NOOP, NOOP];
    const one = await openNode(server.url, name, { 1: { script } });
    await one.say("1", "First.");
    await one.idle();
    const two = await openNode(server.url, name, { 1: { script: [NOOP] } });
    expect(two.legion.agents.size).toBe(0);
    await one.stop();
    await until(() => two.legion.agents.has("1"));
    await two.say("1", "Second.");
    await until(async () => (await two.kinds("1", "decision")).length === 2);
    const epochs = (await two.kinds("1", "opened")).map(({ epoch }) => epoch);
    expect(epochs).toEqual([1, 2]);
    expect((await two.events("1")).map(({ seq }) => seq)).toEqual(
      (await two.events("1")).map((_, index) => index + 1),
    );
  });

  it("keeps an agent that works in files at its workspace", async () => {
    const name = legion();
    const agents = { 1: { script: [NOOP], modules: [core, system] }, 2: { script: [NOOP] } };
    const one = await openNode(server.url, name, agents);
    const two = await openNode(server.url, name, agents);
    await one.stop();
    await until(() => two.legion.agents.has("2"));
    expect(two.legion.agents.has("1")).toBe(false);
    await two.say("1", "Wait for your files.");
    const again = await openNode(server.url, name, agents, { project: one.project });
    await until(async () => (await again.kinds("1", "decision")).length === 1);
    expect(again.legion.agents.has("1")).toBe(true);
  });

  it("does not take a place that was lost for a crash of the agent", async () => {
    const { state, modules } = hanging(3);
    const node = await openNode(server.url, legion(), { 1: { script: [ACT, NOOP], modules } });
    await node.say("1", "Act.");
    for (let time = 1; time <= 3; time++) {
      await until(() => state.runs === time);
      node.agent("1").tenure.end("the line was cut");
    }
    await until(async () => (await node.kinds("1", "decision")).length === 2);
    const notices = await node.kinds("1", "notice");
    expect(notices.map(({ reason, details }) => [reason, details])).toEqual(
      Array.from({ length: 3 }, () => [
        ["restarted", "lost"],
        ["restarted", "again"],
      ]).flat(),
    );
    expect(notices[0]!.content).toContain("the line was cut");
  });
});

describe.runIf(redisIsThere)("what a node tells its person", () => {
  it("that an agent is bound to files elsewhere, and how to bring it here", async () => {
    const name = legion();
    const agents = { 1: { script: [NOOP], modules: [core, system] } };
    const one = await openNode(server.url, name, agents);
    const two = await openNode(server.url, name, agents);
    await until(() =>
      two.troubles.some((text) => text.includes(`Agent 1: bound to the files in ${one.project}`)),
    );
    expect(two.troubles.join()).toContain("--here");
  });

  it("that Redis has lost its agents, and says nothing into the void", async () => {
    const own = await startRedis();
    try {
      const node = await openNode(own.url, "emptied", { 1: { script: [NOOP] } });
      await node.link.command("FLUSHALL");
      await until(() => node.troubles.some((text) => text.includes("REDIS HAS LOST Agent 1")));
      await expect(node.say("all", "Hello?")).rejects.toThrow("no agents that could hear this");
      await expect(node.say("1", "Hello?")).rejects.toThrow("There is no agent");
    } finally {
      await own.stop();
    }
  });

  it("keeps its message numbers when a Redis that loses nothing is started again", async () => {
    const own = await startRedis();
    try {
      const node = await openNode(own.url, "numbered", { 1: { script: [NOOP, NOOP] } });
      expect(await node.say("1", "One.")).toEqual(["0>1#1"]);
      await own.restart();
      let ids: readonly string[] = [];
      await until(async () => {
        ids = await node.say("1", "Two.").catch(() => []);
        return ids.length > 0;
      });
      expect(ids).toEqual(["0>1#2"]);
      await until(async () => (await node.kinds("1", "message")).length === 2);
    } finally {
      await own.stop();
    }
  });
});
