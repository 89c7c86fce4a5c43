import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { parseRedisAddress } from "../../../src/storage/redis/connection/address.ts";
import { examine } from "../../../src/storage/redis/connection/health.ts";
import { agentKeys } from "../../../src/storage/redis/scripts/keys.ts";
import { openLink, type Link } from "../../../src/storage/redis/connection/link.ts";
import type { LuaScript } from "../../../src/storage/redis/connection/script.ts";
import { redisIsThere, startCluster, tell, until, type Servers } from "./servers.ts";

const COUNT: LuaScript = {
  name: "count",
  keys: 2,
  lua: "redis.call('INCR', KEYS[1]) return redis.call('INCR', KEYS[2])",
};

describe.skipIf(!redisIsThere)("a link to a Cluster", () => {
  let cluster: Servers;
  const links: Link[] = [];
  const open = async (url = cluster.url) => {
    const link = await openLink(parseRedisAddress(url));
    links.push(link);
    return link;
  };
  const keysOf = (agent: number) => {
    const { epoch, numbers } = agentKeys("test", String(agent));
    return [epoch, numbers];
  };

  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterEach(() => Promise.all(links.splice(0).map((link) => link.close())));
  afterAll(() => cluster.stop());

  it("runs the scripts of each agent where its keys are, and knows one member or several", async () => {
    const agents = Array.from({ length: 60 }, (_, at) => at);
    for (const [round, url] of [cluster.url, cluster.servers[1]?.url].entries()) {
      const link = await open(url);
      const answers = await Promise.all(agents.map((agent) => link.run(COUNT, keysOf(agent), [])));
      expect(new Set(answers)).toEqual(new Set([round + 1]));
    }
    const sizes = await Promise.all(cluster.servers.map(({ port }) => tell(port, "DBSIZE")));
    expect(Math.min(...sizes.map(Number))).toBeGreaterThan(0);
  });

  it("runs a script again that one member has forgotten", async () => {
    const link = await open();
    const first = Number(await link.run(COUNT, keysOf(100), []));
    for (const { port } of cluster.servers) await tell(port, "SCRIPT", "FLUSH");
    expect(await link.run(COUNT, keysOf(100), [])).toBe(first + 1);
  });

  it("says that keys of two agents in one script are a bug", async () => {
    const link = await open();
    const keys = [keysOf(1)[0] ?? "", keysOf(2)[0] ?? ""];
    await expect(link.run(COUNT, keys, [])).rejects.toThrow(
      /keys of two slots were used together.*bug of AI Legion/,
    );
  });

  it("hears what is said at any member, and finds each member in good health", async () => {
    const [link, other] = [await open(), await open(cluster.servers[2]?.url)];
    const heard: string[] = [];
    await link.listen("c", (text) => heard.push(text));
    for (let at = 0; at < 10; at++) other.hint("c", String(at));
    await until(() => heard.length === 10);
    expect(new Set(heard).size).toBe(10);
    expect(await examine(link)).toEqual([]);
    const servers = (await link.commandAll("PING")).map(({ server }) => server).sort();
    expect(servers).toEqual(cluster.servers.map(({ port }) => `127.0.0.1:${port}`).sort());
  });

  it("has no database but 0", async () => {
    await expect(open(`${cluster.url}/1`)).rejects.toThrow("is a Cluster, which has no database but 0");
  });

  it("is lost with any member, and another incarnation when that is back", async () => {
    const link = await open();
    const heard: string[] = [];
    await link.listen("c", (text) => heard.push(text));
    const before = await link.incarnation();
    const back = new Promise((resolve) => link.onReturn(resolve));
    const victim = cluster.servers[0];
    await victim?.kill();
    await until(() => link.standing.state === "down");
    await expect(link.run(COUNT, keysOf(1), [])).rejects.toThrow("nothing was sent");
    await until(() => JSON.stringify(link.standing).includes("is not whole"));
    await victim?.restart();
    await back;
    expect(await link.incarnation()).not.toBe(before);
    expect(await link.run(COUNT, keysOf(1), [])).toBeGreaterThan(0);
    link.hint("c", "again");
    await until(() => heard.includes("again"));
  });

  it("follows a slot that moves to another member", async () => {
    const link = await open();
    const [key = ""] = keysOf(7);
    const slot = Number(await link.command("CLUSTER", "KEYSLOT", key));
    await link.command("DEL", ...keysOf(7));
    const target = cluster.servers[2];
    const id = String(await tell(target?.port ?? 0, "CLUSTER", "MYID"));
    for (const { port } of cluster.servers) await tell(port, "CLUSTER", "SETSLOT", slot, "NODE", id);
    expect(await link.run(COUNT, keysOf(7), [])).toBe(1);
    expect(link.standing).toEqual({ state: "up" });
  });
});
