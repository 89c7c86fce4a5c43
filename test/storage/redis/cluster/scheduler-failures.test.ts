import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import type { Link } from "../../../../src/storage/redis/connection/link.ts";
import { createHandClock, type HandClock } from "../../../hand-clock.ts";
import { makeKnown, openTestLink } from "../members.ts";
import {
  agentsUpTo,
  eachRunsOnce,
  spread,
  startNode,
  type PlacedNode,
  type PlacedOptions,
} from "../placed.ts";
import { newLegion } from "../places.ts";
import { redisIsThere, startRedis, until, type Server } from "../servers.ts";

let server: Server;
let legion: string;
let link: Link;

beforeAll(async () => void (server = await startRedis()));
afterAll(() => server.stop());
beforeEach(async () => {
  legion = newLegion();
  link = await openTestLink(server.url);
});

const start = (options: PlacedOptions): Promise<PlacedNode> => startNode(server.url, legion, options);
const refuse = (): Promise<never> => Promise.reject(new Error("it lacks the module goals"));

/** Lets a second pass for a node, and everything happen that then happens. */
async function second(clock: HandClock, node: PlacedNode): Promise<void> {
  await clock.asleep(1_000);
  clock.advance(1_000);
  await clock.asleep(1_000);
  // What the round asked of Redis is answered before what is asked now.
  for (let trip = 0; trip < 6; trip++) await node.link.command("exists", "nothing");
}

/** A promise with its end in hand. */
function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open: () => open() };
}

describe.skipIf(!redisIsThere)("placement, when something fails", () => {
  it("tries what cannot begin later and later, says why, and gives the right back (W1, W2)", async () => {
    await makeKnown(link, legion, ["1", "2"]);
    const clock = createHandClock();
    const node = await start({
      candidates: ["1", "2"],
      clock,
      begin: (agent) => (agent === "1" ? refuse() : Promise.resolve()),
    });
    await node.placement.settled();
    expect([node.placement.trouble("1"), node.placement.trouble("2")]).toEqual([
      "it lacks the module goals",
      undefined,
    ]);
    expect(await link.command("exists", agentKeys(legion, "1").lease)).toBe(0);
    const tries: number[] = [];
    for (let passed = 1; passed <= 100; passed++) {
      const before = node.steps.length;
      await second(clock, node);
      if (node.steps.length > before) tries.push(passed);
    }
    expect(tries).toEqual([1, 3, 7, 15, 31, 61, 91]);
    expect(node.steps.filter((step) => step.endsWith("2"))).toEqual(["begin 2"]);
  });

  it("lets another node run what cannot begin here, and does not send it back", async () => {
    const agents = agentsUpTo(4);
    await makeKnown(link, legion, agents);
    const lame = await start({ candidates: agents, begin: refuse });
    await lame.placement.settled();
    const able = await start({ candidates: agents });
    await until(() => able.running.size === 4);
    await until(() => lame.placement.nodes.length === 2);
    expect(able.steps).toHaveLength(4);
  });

  it("ends an agent whose right was lost, then takes it again (W1)", async () => {
    await makeKnown(link, legion, ["1"]);
    const ending = gate();
    const node = await start({ candidates: ["1"], end: () => ending.passed });
    await node.placement.settled();
    const tenure = node.running.get("1")!;
    tenure.end("its log has another end");
    await until(() => node.steps.length === 2);
    expect(node.placement.trouble("1")).toMatch(/its log has another end/);
    expect(node.steps).toEqual(["begin 1", "end 1"]);
    ending.open();
    await until(() => node.running.has("1"));
    expect(node.running.get("1")!.epoch).toBe(tenure.epoch + 1);
    expect([node.steps.length, node.placement.trouble("1")]).toEqual([3, undefined]);
  });

  it("does not leave an agent running that lost its right while it began", async () => {
    await makeKnown(link, legion, ["1"]);
    let tries = 0;
    const node = await start({
      candidates: ["1"],
      begin(_agent, tenure) {
        tries += 1;
        if (tries === 1) tenure.end("it could not be read");
        return Promise.resolve();
      },
    });
    await until(() => node.running.get("1")?.lost.aborted === false);
    expect(node.steps).toEqual(["begin 1", "end 1", "begin 1"]);
  });

  it("goes on with everything after Redis was killed and started again (W5)", async () => {
    const agents = agentsUpTo(20);
    await makeKnown(link, legion, agents);
    const nodes = [await start({ candidates: agents }), await start({ candidates: agents })];
    await until(() => spread(nodes).join() === "10,10");
    const old = nodes.flatMap(({ running }) => [...running.values()]);
    await server.kill();
    await until(() => nodes.every(({ troubles }) => troubles.length === 1));
    await server.restart();
    await until(() => nodes.every(({ troubles }) => troubles.length === 2));
    await until(() => old.every(({ lost }) => lost.aborted) && eachRunsOnce(nodes, agents));
    expect(nodes[0]!.troubles).toEqual([
      expect.stringMatching(/redis:\/\/127\.0\.0\.1.*; agents wait until Redis answers$/),
      "Redis answers again",
    ]);
  });

  it("gives everything back when it closes, what is just beginning too, and says what ended badly", async () => {
    const agents = agentsUpTo(3);
    await makeKnown(link, legion, agents);
    const beginning = gate();
    const node = await start({
      candidates: agents,
      begin: (agent) => (agent === "3" ? beginning.passed : Promise.resolve()),
      end: (agent) =>
        agent === "2" ? Promise.reject(new Error("its page does not close")) : Promise.resolve(),
    });
    await until(() => node.running.size === 2 && node.steps.includes("begin 3"));
    const closing = node.placement.close();
    const closed = expect(closing).rejects.toThrow("its page does not close");
    beginning.open();
    await closed;
    expect(node.steps.slice(3).sort()).toEqual(["end 1", "end 2", "end 3"]);
    for (const agent of agents) expect(await link.command("exists", agentKeys(legion, agent).lease)).toBe(0);
  });

  it("stays a member that takes nothing while it ends, so that others do not wait for it (W4)", async () => {
    const agents = agentsUpTo(4);
    await makeKnown(link, legion, agents);
    const ending = gate();
    const slow = await start({
      candidates: agents,
      end: (agent) => (agent === "1" ? ending.passed : Promise.resolve()),
    });
    await slow.placement.settled();
    const other = await start({ candidates: [...agents].reverse() });
    const closing = slow.placement.close();
    await until(() => other.running.size === 3);
    await until(() => other.placement.nodes.some(({ able }) => able.length === 0));
    expect(other.running.has("1")).toBe(false);
    ending.open();
    await closing;
    await until(() => other.running.size === 4);
  });

  it("hands over idle agents first", async () => {
    const agents = agentsUpTo(8);
    await makeKnown(link, legion, agents);
    const idle = new Set(["2", "4", "6", "8"]);
    const first = await start({ candidates: agents, isIdle: (agent) => idle.has(agent) });
    await first.placement.settled();
    const other = await start({ candidates: agents });
    await until(() => other.running.size === 4);
    expect(new Set(other.running.keys())).toEqual(idle);
  });

  it("runs an agent above the share where no other node has room for it (W3)", async () => {
    // 1 to 10 for both nodes, 11 to 40 for all three: whoever begins with those has no room for these.
    const [few, many] = [agentsUpTo(40).slice(0, 10), agentsUpTo(40).slice(10)];
    const agents = [...many, ...few];
    await makeKnown(link, legion, agents);
    const nodes = [
      await start({ candidates: agents }),
      await start({ candidates: agents }),
      await start({ candidates: many }),
    ];
    await until(() => eachRunsOnce(nodes, agents) && spread(nodes).join() === "15,15,10");
  });

  it("leaves nothing behind in Redis of an agent that lost its right just before", async () => {
    await makeKnown(link, legion, ["1"]);
    const node = await start({ candidates: ["1"] });
    await node.placement.settled();
    node.running.get("1")!.end("its log has another end");
    await until(() => node.running.size === 0);
    await node.placement.close();
    expect(await link.command("exists", agentKeys(legion, "1").lease)).toBe(0);
  });

  it("closes where Redis is out of reach", async () => {
    await makeKnown(link, legion, ["1"]);
    const node = await start({ candidates: ["1"] });
    await node.placement.settled();
    node.link.isCut = true;
    await node.placement.close();
    expect([node.steps, node.running.size]).toEqual([["begin 1", "end 1"], 0]);
  });
});
