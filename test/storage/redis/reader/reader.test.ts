import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe } from "vitest";
import { createRedisPlace } from "../recorded-place.ts";
import { redisIsThere, startCluster, startRedis } from "../servers.ts";
import { describeReader } from "../../contract/reader-contract.ts";

describe.skipIf(!redisIsThere).each([
  ["Redis", startRedis],
  ["a Cluster", startCluster],
])("a legion in %s", (name, start) => {
  let server: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => void (server = await start()));
  afterAll(() => server.stop());

  describeReader(name, () => createRedisPlace(server.url, `reader-${randomUUID()}`));
});
