import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { agentKeys, legionKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import type { Link } from "../../../../src/storage/redis/connection/link.ts";
import {
  createRegistry,
  enlist,
  readRegistry,
  setStopped,
} from "../../../../src/storage/redis/cluster/directory.ts";
import { openTestLink } from "../members.ts";
import { newLegion } from "../places.ts";
import { redisIsThere, startRedis, until, type Server } from "../servers.ts";

let server: Server;
let link: Link;
let legion: string;

beforeAll(async () => void (server = await startRedis()));
afterAll(() => server.stop());
beforeEach(async () => {
  link = await openTestLink(server.url);
  legion = newLegion();
});

const agent = (id: string): Parameters<typeof enlist>[0] => ({ link, legion, agent: id });

describe.skipIf(!redisIsThere)("the registry of a legion", () => {
  it("has what the last start said of each agent, and makes it known", async () => {
    expect(await readRegistry(link, legion)).toEqual(new Map());
    await enlist(agent("1"), '{"a":1}');
    await enlist(agent("writer"), "{}");
    await enlist(agent("1"), '{"a":2}');
    expect(await readRegistry(link, legion)).toEqual(
      new Map([
        ["1", '{"a":2}'],
        ["writer", "{}"],
      ]),
    );
    expect(await link.command("hget", agentKeys(legion, "1").meta, "known")).toBe("1");
  });

  it("is read again only when something has changed", async () => {
    const registry = createRegistry(link, legion);
    await registry.refresh();
    expect(registry.agents).toEqual(new Map());
    await enlist(agent("1"), "{}");
    await registry.refresh();
    const { agents } = registry;
    expect(agents).toEqual(new Map([["1", "{}"]]));
    await enlist(agent("1"), "{}");
    await registry.refresh();
    expect(registry.agents).toBe(agents);
    await enlist(agent("1"), '{"new":true}');
    await registry.refresh();
    expect(registry.agents).toEqual(new Map([["1", '{"new":true}']]));
  });

  it("lets a start take back that a person stopped an agent, and tells the nodes", async () => {
    const free: string[] = [];
    await link.listen(legionKeys(legion).free, (text) => void free.push(text));
    await enlist(agent("1"), "{}");
    await setStopped(agent("2"));
    const { meta } = agentKeys(legion, "2");
    expect(await link.command("hget", meta, "stopped")).toBe("1");
    await enlist(agent("2"), "{}");
    expect(await link.command("hget", meta, "stopped")).toBeNull();
    await until(() => free.length > 0);
    expect(free).toEqual(["2"]);
  });
});
