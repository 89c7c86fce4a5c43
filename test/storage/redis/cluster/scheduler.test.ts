import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import type { Link } from "../../../../src/storage/redis/connection/link.ts";
import { readNodes } from "../../../../src/storage/redis/cluster/members.ts";
import { enlist, setStopped } from "../../../../src/storage/redis/cluster/directory.ts";
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

beforeAll(async () => void (server = await startRedis({ config: ["appendonly no"] })));
afterAll(() => server.stop());
beforeEach(async () => {
  legion = newLegion();
  link = await openTestLink(server.url);
});

const start = (options: PlacedOptions): Promise<PlacedNode> => startNode(server.url, legion, options);

describe.skipIf(!redisIsThere)("placement", () => {
  it("runs everything at the only node, under rights that stand", async () => {
    const agents = agentsUpTo(100);
    await makeKnown(link, legion, agents);
    const node = await start({ candidates: agents });
    await node.placement.settled();
    expect([...node.running.keys()].sort()).toEqual([...agents].sort());
    for (const [agent, tenure] of node.running) expect(node.leases.held(agent)).toBe(tenure);
    expect(node.placement.nodes).toMatchObject([{ name: "1@host", workspace: "here", able: agents }]);
  });

  it("spreads agents evenly over nodes that come one after another", async () => {
    const agents = agentsUpTo(90);
    await makeKnown(link, legion, agents);
    const nodes = [await start({ candidates: agents })];
    await nodes[0]!.placement.settled();
    nodes.push(await start({ candidates: agents }));
    await until(() => spread(nodes).join() === "45,45");
    nodes.push(await start({ candidates: agents }));
    await until(() => spread(nodes).join() === "30,30,30");
    expect(eachRunsOnce(nodes, agents)).toBe(true);
    // Nothing moved that did not have to.
    expect(nodes.flatMap(({ steps }) => steps.filter((step) => step.startsWith("end")))).toHaveLength(
      45 + 30,
    );
  });

  it("lets others go on at once with the agents of a node that ends", async () => {
    const agents = agentsUpTo(30);
    await makeKnown(link, legion, agents);
    const [first, second] = [await start({ candidates: agents }), await start({ candidates: agents })];
    await until(() => spread([first, second]).join() === "15,15");
    await first.placement.close();
    expect(first.running.size).toBe(0);
    const closedMs = performance.now();
    await until(() => second.running.size === 30);
    expect(performance.now() - closedMs).toBeLessThan(2_000);
    expect(await readNodes({ link, legion })).toHaveLength(1);
  });

  it("takes the agents of a node that vanished once their leases are over", async () => {
    const agents = agentsUpTo(10);
    await makeKnown(link, legion, agents);
    const [first, second] = [
      await start({ candidates: agents, leaseMs: 500 }),
      await start({ candidates: agents, leaseMs: 500 }),
    ];
    await until(() => spread([first, second]).join() === "5,5");
    const rights = [...first.running.values()];
    first.link.isCut = true;
    await until(() => second.running.size === 10);
    expect(rights.every(({ lost }) => lost.aborted)).toBe(true);
    expect(first.running.size).toBe(0);
    expect(first.troubles).toEqual(["out of reach; agents wait until Redis answers"]);
    first.link.isCut = false;
    await until(() => spread([first, second]).join() === "5,5");
    expect(first.troubles.slice(1)).toEqual(["Redis answers again"]);
  });

  it("leaves an agent that is bound to another workspace to that one, and waits for it", async () => {
    const agents = agentsUpTo(6);
    await makeKnown(link, legion, agents);
    const bound = new Set(["1", "2"]);
    const away = await start({ candidates: agents, mayRunHere: (agent) => !bound.has(agent) });
    await away.placement.settled();
    expect([...away.running.keys()].sort()).toEqual(["3", "4", "5", "6"]);
    const home = await start({ candidates: agents });
    await until(() => spread([away, home]).join() === "2,4");
    expect([home.running.has("1"), home.running.has("2")]).toEqual([true, true]);
  });

  it("shares nothing between nodes with different agents", async () => {
    const agents = agentsUpTo(12);
    await makeKnown(link, legion, agents);
    const [first, second] = [
      await start({ candidates: agents.slice(0, 9) }),
      await start({ candidates: agents.slice(9) }),
    ];
    await Promise.all([first.placement.settled(), second.placement.settled()]);
    expect(spread([first, second])).toEqual([9, 3]);
  });

  it("does not take an agent that a person stopped before the next start names it", async () => {
    await makeKnown(link, legion, ["1", "2"]);
    const node = await start({ candidates: ["1", "2"] });
    await node.placement.settled();
    await setStopped({ link, legion, agent: "2" });
    await node.placement.giveBack("2");
    expect(await link.command("exists", agentKeys(legion, "2").lease)).toBe(0);
    await until(() => node.placement.nodes[0]?.able.join() === "1");
    await enlist({ link, legion, agent: "2" }, "{}");
    await until(() => node.running.has("2"));
    expect(node.steps.filter((step) => step.endsWith("2"))).toEqual(["begin 2", "end 2", "begin 2"]);
  });
});
