import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { parseRedisAddress } from "../../../../src/storage/redis/connection/address.ts";
import { openLink, type Link } from "../../../../src/storage/redis/connection/link.ts";
import { createPacks } from "../../../../src/storage/redis/connection/packs.ts";
import type { LuaScript } from "../../../../src/storage/redis/connection/script.ts";
import { redisIsThere, startCluster, startRedis, tell, type Server } from "../servers.ts";

const COUNT: LuaScript = { name: "count", keys: 1, lua: "return redis.call('INCRBY', KEYS[1], ARGV[1])" };
const LIST: LuaScript = { name: "list", keys: 2, lua: "return {KEYS[1], KEYS[2], #ARGV, ARGV[1] or ''}" };
const NOTE: LuaScript = {
  name: "note",
  keys: 1,
  lua: "#!lua flags=allow-oom\nreturn redis.call('INCRBY', KEYS[1], ARGV[1])",
};

describe.skipIf(!redisIsThere)("scripts that are asked for in one turn", () => {
  let server: Server;
  let link: Link;
  const scriptsRun = async (): Promise<number> => {
    const stats = String(await tell(server.port, "INFO", "commandstats"));
    const calls = [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)];
    return calls.reduce((sum, [, count]) => sum + Number(count), 0);
  };

  beforeAll(async () => {
    server = await startRedis();
    link = await openLink(parseRedisAddress(server.url));
  });
  afterEach(() => tell(server.port, "FLUSHALL"));
  afterAll(async () => {
    await link.close();
    await server.stop();
  });

  it("go to a single server as one, each with its own keys, arguments and answer", async () => {
    const before = await scriptsRun();
    const answers = await Promise.all([
      link.run(COUNT, ["a"], [1]),
      link.run(LIST, ["k", "l"], []),
      link.run(COUNT, ["b"], [5]),
      link.run(LIST, ["m", "n"], ["ü\r\n$1", 2]),
      link.run(COUNT, ["a"], [1]),
    ]);
    expect(answers).toEqual([1, ["k", "l", 0, ""], 5, ["m", "n", 2, "ü\r\n$1"], 2]);
    expect((await scriptsRun()) - before).toBe(1);
  });

  it("touch no other where one fails (U4)", async () => {
    await link.command("SET", "b", "no number");
    const asked = ["a", "b", "c"].map((key) => link.run(COUNT, [key], [1]));
    const [first, second, third] = await Promise.allSettled(asked);
    expect([first, third]).toEqual([
      { status: "fulfilled", value: 1 },
      { status: "fulfilled", value: 1 },
    ]);
    expect(second).toMatchObject({
      status: "rejected",
      reason: { code: "STORAGE", message: expect.stringContaining("value is not an integer") },
    });
  });

  it("are run in the order of the calls, between what is asked besides (U5)", async () => {
    const asked = [
      link.run(COUNT, ["n"], [1]),
      link.run(COUNT, ["n"], [1]),
      link.command("GET", "n"),
      link.run(COUNT, ["n"], [1]),
      link.run(NOTE, ["n"], [1]),
      link.run(COUNT, ["n"], [1]),
    ];
    expect(await Promise.all(asked)).toEqual([1, 2, "2", 3, 4, 5]);
  });

  it("are taken in a full memory where they say that they may be, whoever they are asked with", async () => {
    await tell(server.port, "CONFIG", "SET", "maxmemory", "1");
    try {
      const asked = [COUNT, NOTE, NOTE, COUNT].map((script) => link.run(script, ["n"], [1]));
      const states = (await Promise.allSettled(asked)).map(({ status }) => status);
      expect(states).toEqual(["rejected", "fulfilled", "fulfilled", "rejected"]);
    } finally {
      await tell(server.port, "CONFIG", "SET", "maxmemory", "0");
    }
  });

  it("are run once each where Redis has forgotten them", async () => {
    await Promise.all([link.run(COUNT, ["n"], [1]), link.run(COUNT, ["n"], [1])]);
    await tell(server.port, "SCRIPT", "FLUSH");
    await Promise.all([link.run(COUNT, ["n"], [1]), link.run(COUNT, ["n"], [1])]);
    expect(await link.command("GET", "n")).toBe("4");
  });
});

describe("a pack", () => {
  const collect = () => {
    const sent: number[] = [];
    const alone: number[] = [];
    const packs = createPacks({
      send: (_script, _keys, [text]) => {
        alone.push(String(text).length);
        return Promise.resolve("done");
      },
      sendEncoded: (_, keys) => {
        sent.push(keys);
        return Promise.resolve(Array.from({ length: keys }, () => ["done"]));
      },
      isSingle: () => true,
      explain: (error) => error,
    });
    return { packs, sent, alone };
  };

  it("holds a hundred parts at most (U6)", async () => {
    const { packs, sent } = collect();
    await Promise.all(Array.from({ length: 250 }, () => packs.run(COUNT, ["n"], [1])));
    expect(sent).toEqual([100, 100, 50]);
  });

  it("holds 256 KB at most, but for what is longer alone (U6)", async () => {
    const { packs, sent, alone } = collect();
    const lengths = [200_000, 50_000, 50_000, 300_000, 10, 10];
    await Promise.all(lengths.map((length) => packs.run(COUNT, ["n"], ["x".repeat(length)])));
    expect(sent).toEqual([2, 2]);
    expect(alone).toEqual([50_000, 300_000]);
  });
});

describe.skipIf(!redisIsThere)("scripts that are asked for in one turn of a Cluster", () => {
  it("go each on its own, wherever its keys are", async () => {
    const cluster = await startCluster();
    const link = await openLink(parseRedisAddress(cluster.url));
    try {
      const keys = Array.from({ length: 30 }, (_, index) => `{agent-${index}}`);
      const sums = await Promise.all(keys.map((key) => link.run(COUNT, [key], [1])));
      expect(sums).toEqual(keys.map(() => 1));
    } finally {
      await link.close();
      await cluster.stop();
    }
  });
});
