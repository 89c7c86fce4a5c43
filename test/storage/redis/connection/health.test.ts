import { afterEach, describe, expect, it } from "vitest";
import { parseRedisAddress } from "../../../../src/storage/redis/connection/address.ts";
import { durabilityOf, examine } from "../../../../src/storage/redis/connection/health.ts";
import { openLink } from "../../../../src/storage/redis/connection/link.ts";
import { openTestLink } from "../members.ts";
import { redisIsThere, startRedis, startSentinel, tell, until } from "../servers.ts";

describe.skipIf(!redisIsThere)("the health of a server", () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  const findings = async (...config: readonly string[]) => {
    const server = await startRedis({ config });
    ends.push(() => server.stop());
    const link = await openLink(parseRedisAddress(server.url));
    ends.push(() => link.close());
    const found = await examine(link);
    for (const { text } of found) expect(text).toMatch(new RegExp(`^127\\.0\\.0\\.1:${server.port} `));
    return found.map(({ severity, text, remedy }) => [severity, text.replace(/^\S+ /, ""), remedy]);
  };

  it("has nothing to say about one that writes every command to its disk, whatever memory it may use", async () => {
    expect(await findings()).toEqual([]);
    expect(await findings("maxmemory 100mb", "maxmemory-policy noeviction")).toEqual([]);
    expect(await findings("maxmemory-policy allkeys-lru")).toEqual([]);
  });

  it.each([
    ["refuse", "keeps nothing on disk", ["appendonly no"]],
    ["warn", "only writes snapshots", ["appendonly no", "save 60 1"]],
    ["warn", "every second: a power cut loses up to 2 s", ["appendfsync everysec"]],
    ["warn", "leaves it to the system", ["appendfsync no"]],
    ["refuse", "(maxmemory-policy allkeys-lru)", ["maxmemory 100mb", "maxmemory-policy allkeys-lru"]],
    ["refuse", "(maxmemory-policy volatile-ttl)", ["maxmemory 100mb", "maxmemory-policy volatile-ttl"]],
  ])("finds a reason to %s where it %s", async (severity, text, config) => {
    expect(await findings(...config)).toEqual([
      [severity, expect.stringContaining(text), expect.stringContaining("in redis.conf: ")],
    ]);
  });

  it("tells of all that is wrong at once", async () => {
    const found = await findings("appendonly no", "maxmemory 100mb", "maxmemory-policy allkeys-random");
    expect(found.map(([severity]) => severity)).toEqual(["refuse", "refuse"]);
  });

  it.each([
    [
      "a user that may not ask for settings",
      async (port: number) => tell(port, "ACL", "SETUSER", "default", "-config"),
    ],
    ["a provider that renamed CONFIG", undefined],
  ])("calls durability unknown with %s, but still sees an evicting policy", async (_, forbid) => {
    const evicting = ["maxmemory 100mb", "maxmemory-policy allkeys-lru"];
    const config = forbid ? evicting : [...evicting, 'rename-command CONFIG ""'];
    const server = await startRedis({ config });
    ends.push(() => server.stop());
    await forbid?.(server.port);
    const link = await openLink(parseRedisAddress(server.url));
    ends.push(() => link.close());
    expect(await examine(link)).toMatchObject([
      { severity: "warn", text: expect.stringMatching(/but not when it is on disk. Durability unknown/) },
      { severity: "refuse", text: expect.stringContaining("allkeys-lru") },
    ]);
  });
});

describe.skipIf(!redisIsThere)("a Redis that Sentinels watch", () => {
  it("may lose what it acknowledged also while it has no replica; one alone loses nothing", async () => {
    const alone = await startRedis();
    const watched = await startSentinel();
    try {
      expect(await durabilityOf(await openTestLink(alone.url), [])).toBe("always");
      const link = await openTestLink(watched.url);
      await watched.replica.stop();
      const { port } = watched.master;
      await until(async () => String(await tell(port, "INFO", "replication")).includes("connected_slaves:0"));
      expect(await durabilityOf(link, [])).toBe("weak");
    } finally {
      await watched.stop();
      await alone.stop();
    }
  });
});
