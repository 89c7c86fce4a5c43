import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agentKeys, legionKeys } from "../../../src/storage/redis/scripts/keys.ts";
import type { Link } from "../../../src/storage/redis/connection/link.ts";
import { byHand } from "../../world.ts";
import { openTestLink } from "./members.ts";
import { newLegion } from "./places.ts";
import { openNode } from "./redis-world.ts";
import { redisIsThere, startRedis, until, type Server } from "./servers.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

const NOOP = { calls: [{ action: "noop" }] };

describe.skipIf(!redisIsThere)("a legion in Redis that others write to", () => {
  it("has no agent whose name no agent can have", async () => {
    const legion = newLegion();
    const node = await openNode(server.url, legion, { 1: { script: () => NOOP } });
    const keys = legionKeys(legion);
    for (const id of ["../../x", "0", "all", "a}b", "", "\u001b[31m"])
      await node.link.command("HSET", keys.agents, id, "{}");
    await node.link.command("INCR", keys.agentsVersion);
    expect(await node.say("all", "Hello.")).toEqual(["0>1#1"]);
    expect(node.legion.known()).toEqual(["1"]);
  });

  it("looks once for mail to Control, however often it is told of some meanwhile", async () => {
    const legion = newLegion();
    const real = await openTestLink(server.url);
    const hand = byHand();
    let looked = 0;
    let isHeld = false;
    const link: Link = {
      ...real,
      get standing() {
        return real.standing;
      },
      async run(script, keys, args) {
        if (script.name === "take-in") looked += 1;
        if (script.name === "take-in" && isHeld) await hand.promise;
        return real.run(script, keys, args);
      },
    };
    const node = await openNode(server.url, legion, { 1: { script: () => NOOP } }, { home: { link } });
    const { wake } = agentKeys(legion, "0");
    let heard = 0;
    await real.listen(wake, () => void (heard += 1));
    isHeld = true;
    looked = 0;
    for (let n = 0; n < 1_000; n++) node.link.hint(wake, "mail 1");
    await until(() => heard === 1_000);
    hand.resolve();
    await node.stop();
    expect(looked).toBeLessThan(20);
  });
});
