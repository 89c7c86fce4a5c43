import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostname } from "node:os";
import { core } from "../../../modules/core.ts";
import { system } from "../../../modules/system/index.ts";
import { defineModule } from "../../../src/domain/authoring/module.ts";
import type { ServerStatus } from "../../../src/domain/authoring/server-status.ts";
import { agentKeys, legionKeys } from "../../../src/storage/redis/scripts/keys.ts";
import { readNodes } from "../../../src/storage/redis/cluster/members.ts";
import { redisIsThere, startRedis, until, type Server } from "../../storage/redis/servers.ts";
import { byHand } from "../../world.ts";
import { found } from "../shared-legion.ts";

const noop = { calls: [{ action: "noop" }] };
const never = (): Promise<never> => new Promise(() => undefined);
const SLOW_MS = 60_000;
const status: ServerStatus = {
  ...{ name: "files", state: "away", since: "2026-11-23T00:00:00.000Z", reason: "It exited with code 3." },
  ...{ restarts: 8, tools: null, withheld: [] },
};

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

describe.runIf(redisIsThere)("a word to a legion in Redis", () => {
  it("is said to agents of several nodes at once, by a command that is none", async () => {
    const legion = await found(server.url);
    const [one, two] = [await legion.join({ "1": {} }), await legion.join({ "2": {} })];
    expect(await legion.tell((to) => to.say({ targets: ["2", "1"], content: "Hello" }))).toEqual([
      "0>2#1",
      "0>1#1",
    ]);
    // Said elsewhere: no node knows of it before it hears.
    for (const id of ["1", "2"]) await until(async () => (await two.kinds(id, "message")).length > 0);
    await Promise.all([one.idle(), two.idle()]);
    expect(await one.kinds("1", "message")).toMatchObject([{ message: { content: "Hello" } }]);
    expect(await one.kinds("2", "message")).toMatchObject([{ message: { content: "Hello" } }]);
  });

  it("waits in the mailboxes while no node is there", async () => {
    const legion = await found(server.url);
    await (await legion.join({ "1": {} })).stop();
    expect(await legion.tell((to) => to.say({ targets: "all", content: "Later" }))).toEqual(["0>1#1"]);
    expect(await legion.tell((to) => to.status())).toMatchObject({
      agents: [{ id: "1", state: "stopped", waitingFor: "start", unread: 1, node: null }],
    });
    const node = await legion.join({ "1": { script: [noop] } });
    await until(async () => (await node.kinds("1", "decision")).length === 1);
  });

  it("tells of the servers that each node speaks with, and which node it is", async () => {
    const legion = await found(server.url);
    const speaks = defineModule({
      name: "speaks",
      actions: {},
      offers: { find: async ({ node }) => node.onStatus(() => [status]) },
    });
    const [one, two] = [await legion.join({ "1": { modules: [speaks] } }), await legion.join({ "2": {} })];
    await one.say("1", "Go.");
    await Promise.all([one.idle(), two.idle()]);
    const { servers, nodes } = await legion.tell((to) => to.status([]));
    expect(servers).toEqual([{ ...status, node: `${process.pid}@${hostname()}` }]);
    expect(nodes).toHaveLength(2);
  });

  it("orders agents through the nodes that run them", async () => {
    const legion = await found(server.url);
    const [one, two] = [await legion.join({ "1": {} }), await legion.join({ "2": {} })];
    const order = (name: "pause" | "resume") =>
      legion.tell((to) => to.order({ order: name, targets: ["2", "1"] }));
    expect(await order("pause")).toEqual([
      { id: "2", outcome: "done" },
      { id: "1", outcome: "done" },
    ]);
    expect([one.agent("1").standing.state, two.agent("2").standing.state]).toEqual(["paused", "paused"]);
    expect(await order("pause")).toMatchObject([{ outcome: "already" }, { outcome: "already" }]);
    expect(await order("resume")).toMatchObject([{ outcome: "done" }, { outcome: "done" }]);
  });

  it("writes itself what it orders of agents that nobody runs, and leaves them to the next node", async () => {
    const legion = await found(server.url);
    await (await legion.join({ "1": {}, "2": {} })).stop();
    expect(await legion.tell((to) => to.order({ order: "pause", targets: "all" }))).toEqual([
      { id: "1", outcome: "done" },
      { id: "2", outcome: "done" },
    ]);
    expect(await legion.notices("1")).toEqual(["paused"]);
    expect(await legion.tell((to) => to.status())).toMatchObject({
      agents: [
        { id: "1", state: "paused", reason: "by Control", waitingFor: "resume" },
        { id: "2", state: "paused" },
      ],
    });
    const node = await legion.join({ "1": {}, "2": {} });
    expect(node.agent("1").standing.state).toBe("paused");
  });

  it("stops what an agent is doing, wherever that is, but leaves no such word behind where no node is", async () => {
    const legion = await found(server.url);
    const abort = () => legion.tell((to) => to.say({ targets: ["1"], content: "Stop.", delivery: "abort" }));
    const node = await legion.join({ "1": { script: (_, index) => (index === 0 ? never() : noop) } });
    await node.say("1", "Think");
    await node.until((seen) => seen.kind === "live:state" && seen.state === "thinking");
    expect(await abort()).toEqual(["0>1#2"]);
    await node.idle();
    expect(await node.kinds("1", "decision")).toMatchObject([{ stop: "aborted" }]);
    expect(await abort()).toEqual([]);
    await node.stop();
    await expect(abort()).rejects.toThrow("no node runs this legion: there is nothing to abort");
  });

  it("forks where the agent runs, and itself where it does not", async () => {
    const legion = await found(server.url);
    const node = await legion.join({ "1": { script: [noop, noop] } });
    await node.say("1", "Hello");
    await node.idle();
    const to = (await node.kinds("1", "result")).at(-1)!.seq;
    expect(await legion.tell((word) => word.fork({ agent: "1", at: to }))).toMatchObject({
      to,
      outcome: "done",
    });
    expect(await legion.tell((word) => word.fork({ agent: "1", at: to, as: "twin" }))).toMatchObject({ to });
    await node.stop();
    expect(await legion.tell((word) => word.fork({ agent: "1", at: to }))).toMatchObject({ outcome: "done" });
    expect(await node.kinds("1", "branch")).toMatchObject([{ to }, { to }]);
    expect(await legion.tell((word) => word.status())).toMatchObject({
      agents: [{ id: "1" }, { id: "twin", steps: 0 }],
    });
  });

  it("stops one agent until a start names it again", async () => {
    const legion = await found(server.url);
    const node = await legion.join({ "1": {}, "2": {} });
    const stop = () => legion.tell((to) => to.order({ order: "stop", targets: ["2"] }));
    expect(await stop()).toEqual([{ id: "2", outcome: "done" }]);
    expect(await stop()).toEqual([{ id: "2", outcome: "already" }]);
    await until(async () => (await legion.link.command("GET", agentKeys(legion.legion, "2").lease)) === null);
    expect([...node.legion.agents.keys()]).toEqual(["1"]);
    expect(await legion.tell((to) => to.status())).toMatchObject({
      agents: [
        { id: "1", node: expect.any(String) },
        { id: "2", state: "stopped", waitingFor: "start", node: null },
      ],
    });
    const next = await legion.join({ "2": {} });
    await until(() => [node, next].some(({ legion: { agents } }) => agents.has("2")));
  });

  it("ends every node and waits for what runs there", async () => {
    const legion = await found(server.url);
    await expect(legion.tell((to) => to.end())).rejects.toThrow("there is nothing to stop");
    const answer = byHand<typeof noop>();
    const node = await legion.join({ "1": { script: () => answer.promise } });
    await legion.join({ "2": {} });
    await node.say("1", "Think");
    await node.until((seen) => seen.kind === "live:state" && seen.state === "thinking");
    const ending = legion.tell((to) => to.end());
    await until(async () => (await readNodes(legion)).length === 1);
    answer.resolve(noop);
    const name = expect.stringMatching(`^${process.pid}@`) as string;
    expect(await ending).toEqual([
      { node: name, outcome: "ended" },
      { node: name, outcome: "ended" },
    ]);
    expect(await readNodes(legion)).toEqual([]);
    expect(await node.kinds("1", "decision")).toHaveLength(1);
  });

  it("tells of every agent what keeps it from going on", async () => {
    const legion = await found(server.url);
    const bound = { modules: [core, system] };
    const away = await legion.join({ "1": bound, "2": {}, "3": {} });
    await away.stop();
    const here = await legion.join({ "2": {} });
    const { lease } = agentKeys(legion.legion, "3");
    await legion.link.command("SET", lease, "7@dead/nobody", "PX", SLOW_MS);
    await until(async () => here.legion.agents.has("2"));
    const status = await legion.tell((to) => to.status());
    expect(status.agents).toMatchObject([
      { id: "1", state: "stopped", waitingFor: expect.stringMatching(/^workspace on ./), node: null },
      { id: "2", state: "idle", waitingFor: "mail", node: expect.stringMatching(`^${process.pid}@`) },
      { id: "3", reason: "7@dead does not answer", waitingFor: "its node", node: "7@dead" },
    ]);
  });

  it("has the next one do what it asks of an agent that is just being handed over", async () => {
    const legion = await found(server.url);
    const [begun, answer, asked] = [byHand(), byHand<typeof noop>(), byHand()];
    const think = (): Promise<typeof noop> => {
      begun.resolve();
      return answer.promise;
    };
    const one = await legion.join({ "1": { script: think } });
    await one.say("1", "Think");
    await begun.promise;
    const ending = one.stop();
    await legion.link.listen(legionKeys(legion.legion).orders(one.id), () => asked.resolve());
    const pausing = legion.tell((to) => to.order({ order: "pause", targets: ["1"] }));
    await Promise.race([asked.promise, pausing]);
    answer.resolve(noop);
    expect(await pausing).toEqual([{ id: "1", outcome: "done" }]);
    await ending;
    // Told to end while it thought, and paused by the next one.
    expect(await legion.notices("1")).toEqual(["restarted", "paused"]);
  });

  it(
    "does not wait for ever for a node that is there and hears nothing",
    async () => {
      const legion = await found(server.url);
      const node = await legion.join({ "1": {} });
      await node.fallSilent();
      expect(await legion.tell((to) => to.status())).toMatchObject({
        agents: [
          { id: "1", reason: expect.stringMatching(/^\d+@.* does not answer$/), waitingFor: "its node" },
        ],
      });
      const pausing = legion.tell((to) => to.order({ order: "pause", targets: ["1"] }));
      await expect(pausing).rejects.toThrow("does not answer; it may do later what it was asked");
      expect(await legion.notices("1")).toEqual([]);
    },
    SLOW_MS,
  );

  it(
    "goes on with the next one where a node dies before it has answered",
    async () => {
      const legion = await found(server.url);
      const node = await legion.join({ "1": {} });
      await node.fallSilent();
      const pausing = legion.tell((to) => to.order({ order: "pause", targets: ["1"] }));
      // Its right runs out, and so does its membership.
      await node.link.close();
      expect(await pausing).toEqual([{ id: "1", outcome: "done" }]);
      expect(await legion.notices("1")).toEqual(["paused"]);
    },
    SLOW_MS,
  );
});
