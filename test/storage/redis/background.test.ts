import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { system } from "../../../modules/system/index.ts";
import { isRunningAs, lasting } from "../../environment/environment-contract.ts";
import { newLegion } from "./places.ts";
import { openNode } from "./redis-world.ts";
import { redisIsThere, startRedis, until, type Server } from "./servers.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

/** Its agents can go on anywhere. */
const roaming = { ...system, place: undefined };

const making = (action: string, parameters: Readonly<Record<string, unknown>>) => ({
  modules: [roaming],
  script: [{ calls: [{ action, parameters }] }, "done"],
});

describe.skipIf(!redisIsThere)("an agent that goes on at another node", () => {
  it("is told there that its commands in the background ended with the first", async () => {
    const legion = newLegion();
    const left = lasting();
    const first = await openNode(server.url, legion, { "1": making("startCommand", { command: left }) });
    await first.say("1", "Serve.");
    await first.idle();
    await until(() => isRunningAs(left));
    const second = await openNode(server.url, legion, { "1": making("readCommand", { id: 1 }) });
    await first.stop();
    expect(await isRunningAs(left)).toBe(false);
    await second.say("1", "Is it still there?");
    const toldOf = async () => (await second.kinds("1", "result")).map(({ content }) => content).at(-1);
    await expect.poll(toldOf, { timeout: 20_000 }).toMatch(/^Command 1 does not run any more: /);
  });
});
