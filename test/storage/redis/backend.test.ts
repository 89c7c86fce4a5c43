import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe } from "vitest";
import { createRedisBackend } from "../../../src/storage/redis/backend.ts";
import { describeBackend } from "../contract/backend-contract.ts";
import { openTestLink } from "./members.ts";
import { redisIsThere, startRedis, type Server } from "./servers.ts";

describe.skipIf(!redisIsThere)("with a Redis", () => {
  let server: Server;
  beforeAll(async () => void (server = await startRedis()));
  afterAll(() => server.stop());

  describeBackend("Redis", async () =>
    createRedisBackend({
      link: await openTestLink(server.url),
      legion: `legion-${randomUUID()}`,
      durability: "always",
    }),
  );
});
