import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import { parseRedisAddress } from "../../../../src/storage/redis/connection/address.ts";
import { openLink } from "../../../../src/storage/redis/connection/link.ts";
import { createRedisBackend } from "../../../../src/storage/redis/backend.ts";
import { controlIn } from "../../../mail/control-peer.ts";
import { describePeer } from "../../../mail/peer-contract.ts";
import { redisIsThere, startRedis, type Server } from "../servers.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

let legions = 0;

async function backendOf(legion: string) {
  const link = await openLink(parseRedisAddress(server.url));
  onTestFinished(() => link.close());
  return createRedisBackend({ link, legion });
}

describe.runIf(redisIsThere)("in Redis", () => {
  describePeer("Control in Redis", async () => {
    const legion = `peer-${++legions}`;
    return controlIn(await backendOf(legion), async () => controlIn(await backendOf(legion)));
  });
});
