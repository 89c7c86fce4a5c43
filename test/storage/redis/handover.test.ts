import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LegionError } from "../../../src/base/errors.ts";
import { readNodes } from "../../../src/storage/redis/cluster/members.ts";
import { byHand } from "../../world.ts";
import { makeKnown, openTestLink } from "./members.ts";
import { agentsUpTo, startNode } from "./placed.ts";
import { newLegion } from "./places.ts";
import { redisIsThere, startRedis, until, type Server } from "./servers.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

describe.skipIf(!redisIsThere)("a node that hands over several agents at once", () => {
  it("keeps the right to each of them until that one has ended (W1)", async () => {
    const legion = newLegion();
    const agents = agentsUpTo(6);
    await makeKnown(await openTestLink(server.url), legion, agents);
    const ending = byHand();
    const first = await startNode(server.url, legion, { candidates: agents, end: () => ending.promise });
    await first.placement.settled();
    const rights = [...first.running.values()];
    const second = await startNode(server.url, legion, { candidates: agents });
    await until(() => first.running.size === 3);
    expect(rights.filter(({ lost }) => lost.aborted)).toEqual([]);
    ending.resolve();
    await until(() => second.running.size === 3);
  });
});

describe.skipIf(!redisIsThere)("a node on which an agent could not begin because Redis was away", () => {
  it("is as able to run it as before", async () => {
    const legion = newLegion();
    const link = await openTestLink(server.url);
    await makeKnown(link, legion, ["1"]);
    let begun = 0;
    const second = byHand();
    const node = await startNode(server.url, legion, {
      candidates: ["1"],
      begin: () => {
        begun += 1;
        return begun === 1 ? Promise.reject(new LegionError("STORAGE", "out of reach")) : second.promise;
      },
    });
    await until(() => begun === 2);
    expect((await readNodes({ link, legion })).map(({ able }) => able)).toEqual([["1"]]);
    second.resolve();
    await until(() => node.running.has("1"));
  });
});
