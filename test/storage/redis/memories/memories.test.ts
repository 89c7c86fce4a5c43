import { afterAll, beforeAll, describe } from "vitest";
import { describeMemories } from "../../contract/memory/memories-contract.ts";
import { redisIsThere, startRedis, type Server } from "../servers.ts";
import { redisMemories } from "./memories-place.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

describe.skipIf(!redisIsThere)("in Redis", () => {
  describeMemories("Redis", async () => redisMemories(server.url, [server.port]));
});
