import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readDifferences } from "../../../src/control/reading/differences.ts";
import { createRedisReader } from "../../../src/storage/redis/reader/reader.ts";
import { redisIsThere, startRedis, type Server } from "../../storage/redis/servers.ts";
import { NOOP } from "../../workshop.ts";
import { found } from "../shared-legion.ts";

let server: Server;
beforeAll(async () => void (server = await startRedis()));
afterAll(() => server.stop());

describe.skipIf(!redisIsThere)("the differences between two pasts", () => {
  it("are the same where they are kept in Redis, and runs are those of the folder", async () => {
    const { join, tell, link, legion } = await found(server.url);
    const node = await join({ "1": { script: () => NOOP }, "2": { script: () => NOOP } });
    for (const id of ["1", "2"]) {
      await tell((one) => one.say({ targets: [id], content: "Go" }));
      await tell((one) => one.say({ targets: [id], content: `Be ${id}` }));
    }
    await node.idle();
    const reader = createRedisReader({ link, legion });
    const parting = await readDifferences(reader, "/nowhere", { one: "1", other: "2" });
    expect(parting.unlike).toEqual({ part: "message: content", one: "Be 1", other: "Be 2" });
    expect(parting.one.shared).not.toBeNull();
    await expect(
      readDifferences(reader, "/nowhere", { one: "1", other: "2", run: "x" }),
    ).rejects.toMatchObject({ code: "USAGE" });
  });
});
