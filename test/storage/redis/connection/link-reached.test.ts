import { afterEach, describe, expect, it } from "vitest";
import { parseRedisAddress } from "../../../../src/storage/redis/connection/address.ts";
import { reachRedis, type Link, type ReachOptions } from "../../../../src/storage/redis/connection/link.ts";
import { freePort } from "../keeper.ts";
import { redisIsThere, startRedis } from "../servers.ts";

describe.skipIf(!redisIsThere)("reaching Redis", () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  const reach = async (url: string, options?: ReachOptions) => {
    const link = await reachRedis(parseRedisAddress(url), options);
    ends.push(() => link.close());
    return link;
  };

  it("tries again until a server is there, and tells why it waits", async () => {
    const port = await freePort();
    const reasons: string[] = [];
    let reached: Promise<Link> | undefined;
    await new Promise<void>((resolve) => {
      reached = reach(`redis://127.0.0.1:${port}`, {
        onRetry(reason) {
          reasons.push(reason);
          resolve();
        },
      });
    });
    const server = await startRedis({ port });
    ends.push(() => server.stop());
    expect((await reached)?.standing).toEqual({ state: "up" });
    expect(new Set(reasons)).toEqual(
      new Set([expect.stringContaining("nothing answers at redis://127.0.0.1")]),
    );
  });

  it("gives up when its patience is over, with the last reason", async () => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    await expect(reach(url, { patienceMs: 0 })).rejects.toThrow("nothing answers at");
  });

  it("gives up at once for what only a person can mend", async () => {
    const server = await startRedis({ config: ["requirepass right"] });
    ends.push(() => server.stop());
    const onRetry = () => expect.unreachable("nothing to wait for");
    await expect(reach(server.url, { onRetry })).rejects.toThrow("wants a password");
  });
});
