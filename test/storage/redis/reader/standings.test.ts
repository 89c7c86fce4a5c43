import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LuaScript } from "../../../../src/storage/redis/connection/script.ts";
import { createClock } from "../../../../src/base/clock.ts";
import { createRedisReader } from "../../../../src/storage/redis/reader/reader.ts";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import { entryId } from "../../../../src/storage/redis/scripts/pages.ts";
import { openRedisStore } from "../../../../src/storage/redis/store.ts";
import { UNHOSTED } from "../../../../src/storage/contract/store.ts";
import { decided, prompted } from "../../../past/digest/any-log.ts";
import { openTestLink } from "../members.ts";
import { createRedisPlace } from "../recorded-place.ts";
import { redisIsThere, startRedis, type Server } from "../servers.ts";

const STEPS = 20;
const LAST = 2 * STEPS + 1;
/** What nothing but a standing that was kept can say. */
const FORGED = 7_777;
const steps = (count: number) => Array.from({ length: count }, (_, n) => [prompted(n), decided(n)]).flat();

describe.skipIf(!redisIsThere)("how an agent in Redis stands", () => {
  let server: Server;
  beforeAll(async () => void (server = await startRedis()));
  afterAll(() => server.stop());

  async function createLegion() {
    const legion = `standing-${randomUUID()}`;
    const link = await openTestLink(server.url);
    const keys = agentKeys(legion, "1");
    const stepsNow = async (): Promise<number> =>
      (await createRedisReader({ link, legion }).standing("1")).ledger.spent.steps;
    const forge = async (): Promise<void> => {
      const text = String(await link.command("HGET", keys.standing, "text"));
      const forged = text.replace(/"steps":\d+/, `"steps":${FORGED}`);
      await link.command("HSET", keys.standing, "text", forged);
    };
    return { legion, link, keys, stepsNow, forge };
  }

  async function createKept() {
    const { legion, ...rest } = await createLegion();
    const place = await createRedisPlace(server.url, legion);
    await place.enlist("1", {});
    await place.append("1", steps(STEPS));
    expect(await rest.stepsNow()).toBe(STEPS);
    await rest.forge();
    expect(await rest.stepsNow()).toBe(FORGED);
    return { legion, place, ...rest };
  }

  it("is told by whoever ran it, at its end, and again where more came of it", async () => {
    const { legion, link, keys, stepsNow, forge } = await createLegion();
    for (const count of [1, 2]) {
      const store = await openRedisStore({ link, legion, role: "command", clock: createClock() });
      await store.enroll("1", "{}");
      await store.leases.acquire("1");
      const memory = await store.openAgent("1", UNHOSTED);
      await memory.commit(...steps(STEPS));
      await memory.close();
      const last = await link.command("HGET", keys.meta, "seq");
      expect(await link.command("HGET", keys.standing, "seq")).toBe(last);
      expect(await stepsNow()).toBe(STEPS * count);
      await forge();
      expect(await stepsNow()).toBe(FORGED);
      await store.close();
    }
  });

  it("is read from its log where more came since, of whoever has looked before", async () => {
    const { place, stepsNow } = await createKept();
    await place.append("1", steps(3));
    expect(await stepsNow()).toBe(STEPS + 3);
  });

  it("is read from its log where another one is in its place, shorter, as long, or longer", async () => {
    for (const count of [STEPS, STEPS + 10, 5]) {
      const { place, legion, stepsNow } = await createKept();
      await place.forget("1");
      const anew = await createRedisPlace(server.url, legion);
      await anew.enlist("1", {});
      await anew.append("1", steps(count));
      expect(await stepsNow()).toBe(count);
    }
  });

  it("is read from its log where that lost its end, or ends with something else", async () => {
    const lost = await createKept();
    await lost.link.command("XDEL", lost.keys.log, entryId(LAST - 1), entryId(LAST));
    expect(await lost.stepsNow()).toBe(STEPS - 1);

    const other = await createKept();
    const all = (await other.link.command("XRANGE", other.keys.log, "-", "+")) as readonly (readonly [
      string,
      readonly string[],
    ])[];
    await other.link.command("DEL", other.keys.log);
    for (const [id, fields] of all)
      await other.link.command(
        "XADD",
        other.keys.log,
        id,
        ...(id === entryId(LAST) ? fields.map((field) => field.replace("decision", "decided")) : fields),
      );
    expect(await other.stepsNow()).toBe(STEPS);
  });

  it("is read from its log where what was kept is gone, damaged, or of another version", async () => {
    for (const text of ["", "{", '{"version":0}']) {
      const { link, keys, stepsNow } = await createKept();
      await link.command("HSET", keys.standing, "text", text);
      expect(await stepsNow()).toBe(STEPS);
    }
    const { link, keys, stepsNow } = await createKept();
    await link.command("DEL", keys.standing);
    expect(await stepsNow()).toBe(STEPS);
  });

  it("is not kept of what came to an end elsewhere than the log, by whoever lost the right to write to it", async () => {
    const { legion, link, keys } = await createLegion();
    const store = await openRedisStore({ link, legion, role: "command", clock: createClock() });
    await store.enroll("1", "{}");
    await store.leases.acquire("1");
    const memory = await store.openAgent("1", UNHOSTED);
    await memory.commit(...steps(STEPS));
    // Somebody else has taken over and goes on; the two logs are of one length.
    const place = await createRedisPlace(server.url, legion);
    await link.command("DEL", keys.lease);
    await place.append("1", steps(1));
    await memory.commit(...steps(1)).catch(() => undefined);
    await memory.close().catch(() => undefined);
    expect(await link.command("EXISTS", keys.standing)).toBe(0);
    await store.close();
  });

  it("is not kept of a log that somebody cut while it was written to", async () => {
    const { legion, link, keys, stepsNow } = await createLegion();
    const store = await openRedisStore({ link, legion, role: "command", clock: createClock() });
    await store.enroll("1", "{}");
    await store.leases.acquire("1");
    const memory = await store.openAgent("1", UNHOSTED);
    await memory.commit(...steps(STEPS));
    await link.command("XDEL", keys.log, entryId(LAST - 1), entryId(LAST));
    await memory.close();
    expect(await stepsNow()).toBe(STEPS - 1);
    await store.close();
  });

  it("is told all the same where nothing can be kept", async () => {
    const { legion, link } = await createLegion();
    const place = await createRedisPlace(server.url, legion);
    await place.enlist("1", {});
    await place.append("1", steps(STEPS));
    const run = (script: LuaScript, ...rest: [readonly string[], readonly (string | number)[]]) =>
      script.name.endsWith("Standing") ? Promise.reject(new Error("NOPERM")) : link.run(script, ...rest);
    const reader = createRedisReader({ link: { ...link, run }, legion });
    expect((await reader.standing("1")).ledger.spent.steps).toBe(STEPS);
  });
});
