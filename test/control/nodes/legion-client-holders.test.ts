import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { LegionError, messageOf } from "../../../src/base/errors.ts";
import type { AgentId } from "../../../src/domain/message/message.ts";
import { agentKeys } from "../../../src/storage/redis/scripts/keys.ts";
import type { Link } from "../../../src/storage/redis/connection/link.ts";
import { createRedisNodes } from "../../../src/storage/redis/node/nodes.ts";
import { attend } from "../../../src/storage/redis/cluster/members.ts";
import { createService } from "../../../src/control/service.ts";
import { openNodesClient } from "../../../src/control/nodes/client.ts";
import { serveOverNodes } from "../../../src/control/nodes/server.ts";
import { askHolders, type HolderTask } from "../../../src/control/nodes/legion-client.ts";
import { openTestLink } from "../../storage/redis/members.ts";
import { redisIsThere, startRedis, type Server } from "../../storage/redis/servers.ts";
import { openWorld, temporaryFolder, type World } from "../../world.ts";

let server: Server;
beforeAll(async () => void (server = await startRedis()));
afterAll(() => server.stop());

const connect = (): Promise<Link> => openTestLink(server.url);

/** A legion without anybody in it yet. */
async function found() {
  const link = await connect();
  const legion = `legion-${randomUUID()}`;
  const place = { link, legion };
  return {
    ...place,
    nodes: createRedisNodes(place),
    client: await openNodesClient(createRedisNodes(place)),
    /** From now on `node` runs the agent, as far as Redis knows. */
    give: (agent: AgentId, node: string, leaseMs = 60_000) =>
      link.command("SET", agentKeys(legion, agent).lease, node, "PX", leaseMs),
    /** A process that runs `agents`, knows of 1 to 4, and says so. */
    async node(id: string, agents: readonly AgentId[]): Promise<World> {
      const project = await temporaryFolder();
      await (await openWorld(project, { "1": {}, "2": {}, "3": {}, "4": {} })).stop();
      const world = await openWorld(project, Object.fromEntries(agents.map((agent) => [agent, {}])));
      const service = createService({ legion: world.legion, onStop: () => undefined });
      const orders = await serveOverNodes({
        nodes: createRedisNodes({ link: await connect(), legion }),
        node: id,
        service,
      });
      onTestFinished(orders.close);
      await attend(place, {
        id,
        name: id.split("/")[0]!,
        workspace: "w",
        agents: agents.length,
        able: agents,
        inBackground: [],
      });
      return world;
    },
  };
}

const pausing: HolderTask<string> = {
  agentOf: (agent) => agent,
  ask: async (node, agents) =>
    (await node.order({ order: "pause", targets: agents })).agents.map(
      ({ id, outcome }) => `${id} ${outcome} there`,
    ),
  alone: (agent) => Promise.resolve(`${agent} done here`),
};

describe.skipIf(!redisIsThere)("a word about agents that several nodes run", () => {
  it("goes to the node that has the right to run the agent, and is done here where none has it", async () => {
    const legion = await found();
    const [first, second] = [await legion.node("1@a/x", ["1", "3"]), await legion.node("2@b/y", ["2"])];
    await legion.give("1", "1@a/x");
    await legion.give("2", "2@b/y");
    await legion.give("3", "1@a/x");
    expect(await askHolders(legion, ["3", "2", "4", "1"], pausing)).toEqual([
      "3 done there",
      "2 done there",
      "4 done here",
      "1 done there",
    ]);
    expect(await first.kinds("1", "notice")).toMatchObject([{ reason: "paused" }]);
    expect(await second.kinds("2", "notice")).toMatchObject([{ reason: "paused" }]);
  });

  it("does nothing where there is nothing to do", async () => {
    expect(await askHolders(await found(), [], pausing)).toEqual([]);
  });

  it("follows an agent that moves before it is heard", async () => {
    const legion = await found();
    const [first, second] = [await legion.node("1@a/x", ["2"]), await legion.node("2@b/y", ["1"])];
    await legion.give("1", "1@a/x");
    const asked: string[] = [];
    const task: HolderTask<string> = {
      ...pausing,
      async ask(node, agents) {
        const outcome = await pausing.ask(node, agents).catch(async (error: unknown) => {
          asked.push(messageOf(error));
          await legion.give("1", "2@b/y");
          throw error;
        });
        return outcome;
      },
    };
    expect(await askHolders(legion, ["1"], task)).toEqual(["1 done there"]);
    expect(asked).toEqual(["agent 1 does not run on this node; it runs 2"]);
    expect(await second.kinds("1", "notice")).toHaveLength(1);
    expect(await first.kinds("1", "notice")).toEqual([]);
  });

  it("waits until the right of a dead node has run out, which it does not ask", async () => {
    const legion = await found();
    await legion.give("1", "7@dead/z", 500);
    expect(await askHolders(legion, ["1"], pausing)).toEqual(["1 done here"]);
  });

  it("tries again what somebody else took meanwhile", async () => {
    const legion = await found();
    await legion.node("1@a/x", ["1"]);
    const task: HolderTask<string> = {
      ...pausing,
      async alone() {
        await legion.give("1", "1@a/x");
        throw new LegionError("LOCKED", "another process runs agent 1");
      },
    };
    expect(await askHolders(legion, ["1"], task)).toEqual(["1 done there"]);
  });

  it("does the rest where one of them is refused, and then says so", async () => {
    const legion = await found();
    const world = await legion.node("1@a/x", ["1"]);
    await legion.give("1", "1@a/x");
    const task: HolderTask<string> = {
      ...pausing,
      alone: () => Promise.reject(new LegionError("REFUSED", "not this one")),
    };
    await expect(askHolders(legion, ["2", "1"], task)).rejects.toThrow("not this one");
    expect(await world.kinds("1", "notice")).toHaveLength(1);
  });
});
