import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { messaging } from "../../../modules/messaging.ts";
import { system } from "../../../modules/system/index.ts";
import { readNodes } from "../../../src/storage/redis/cluster/members.ts";
import { newLegion } from "../../storage/redis/places.ts";
import { openNode } from "../../storage/redis/redis-world.ts";
import { redisIsThere, startRedis, until, type Server } from "../../storage/redis/servers.ts";
import { NOOP } from "../../workshop.ts";
import { toldIn } from "./check-knots.ts";

const call = (action: string, parameters: Readonly<Record<string, unknown>>) => ({
  calls: [{ action, parameters }],
});
const ask = (to: string) =>
  call("sendMessage", { targetAgentId: to, message: "Which one?", needsAnswer: true });

describe.skipIf(!redisIsThere)("agents of which another node runs some", () => {
  let server: Server;
  beforeAll(async () => void (server = await startRedis()));
  afterAll(() => server.stop());

  it("are tied only once no command of theirs runs there in the background (W8)", async () => {
    const name = newLegion();
    const start = call("startCommand", { command: "sleep 1000" });
    const here = await openNode(server.url, name, { "1": { script: [ask("2"), NOOP, NOOP] } });
    const there = await openNode(server.url, name, {
      "2": { script: [start, NOOP, ask("1"), NOOP, NOOP], modules: [core, messaging, system] },
    });
    await there.say("2", "Serve it");
    const place = { link: there.link, legion: name };
    await until(async () => (await readNodes(place)).some(({ inBackground }) => inBackground.includes("2")));
    await there.idle();
    await there.say("2", "Settle it");
    await until(async () =>
      (await there.kinds("2", "message")).some(({ message }) => message.id === "1>2#1"),
    );
    for (const node of [here, there]) await node.idle();
    expect(await here.legion.knots()).toEqual([]);
    await there.agent("2").background.close();
    await until(async () => toldIn(await here.events("0")).length > 0);
    expect(toldIn(await here.events("0"))).toEqual([["1>2#1", "2>1#1"]]);
  });
});
