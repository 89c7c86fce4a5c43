// What a crash left in the file of commands of Redis: cut off where it was written, in the midst of what a script did.

import { readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parseRedisAddress } from "../../../../src/storage/redis/connection/address.ts";
import { examine } from "../../../../src/storage/redis/connection/health.ts";
import { openLink, type Link } from "../../../../src/storage/redis/connection/link.ts";
import type { LuaScript } from "../../../../src/storage/redis/connection/script.ts";
import { redisIsThere, startRedis, tell, type Server } from "../servers.ts";

/** As a commit does it: numbered entries, and how many there are. */
const WRITE: LuaScript = {
  name: "write",
  keys: 2,
  lua: `
for n = 1, 4 do redis.call('XADD', KEYS[1], '0-' .. n, 'e', ARGV[1]) end
return redis.call('SET', KEYS[2], 4)`,
};
const KEYS = ["{a}log", "{a}seq"];

describe.skipIf(!redisIsThere)("a Redis that was killed while it wrote", () => {
  let server: Server;
  const links: Link[] = [];
  afterEach(async () => {
    for (const link of links.splice(0)) await link.close();
    await server.stop();
  });
  const open = async (url = server.url): Promise<Link> => {
    const link = await openLink(parseRedisAddress(url));
    links.push(link);
    return link;
  };
  const cutTail = (bytes: number): void => {
    const folder = join(server.dir, "appendonlydir");
    const name = readdirSync(folder)
      .filter((one) => one.endsWith(".incr.aof"))
      .toSorted()
      .at(-1)!;
    const file = join(folder, name);
    truncateSync(file, statSync(file).size - bytes);
  };
  const entries = async (): Promise<string[]> => {
    const all = (await tell(server.port, "XRANGE", KEYS[0]!, "-", "+")) as [string, string[]][];
    return all.map(([id, fields]) => `${id} ${fields[1]}`);
  };

  it.each([
    ["in the last word", 10],
    ["in the midst", 90],
    ["before it is known to be whole", 20],
  ])("what it had not acknowledged stays away for good, where it was cut %s (U10)", async (_, bytes) => {
    server = await startRedis();
    await (await open()).run(WRITE, KEYS, ["not acknowledged"]);
    await server.kill();
    cutTail(bytes);
    await server.restart();
    expect(await entries()).toEqual([]);
    await (await open()).run(WRITE, KEYS, ["acknowledged"]);
    const acknowledged = [1, 2, 3, 4].map((n) => `0-${n} acknowledged`);
    await server.kill();
    await server.restart();
    expect(await entries()).toEqual(acknowledged);
    expect(await tell(server.port, "GET", KEYS[1]!)).toBe("4");
  });

  it("is used as it is by whoever may not have its file written anew, who is told what that may cost", async () => {
    server = await startRedis();
    await tell(
      server.port,
      "ACL",
      "SETUSER",
      "some",
      "on",
      ">word",
      "~*",
      "&*",
      "+@all",
      "-@admin",
      "+info",
      "+config|get",
    );
    const link = await open(server.url.replace("//", "//some:word@"));
    await link.run(WRITE, KEYS, ["acknowledged"]);
    expect(await entries()).toHaveLength(4);
    expect(await examine(link)).toEqual([
      {
        severity: "warn",
        text: expect.stringMatching(/its next restart may undo what it acknowledged since$/),
        remedy: expect.stringContaining("+bgrewriteaof"),
      },
    ]);
    expect(await examine(await open())).toEqual([]);
  });
});
