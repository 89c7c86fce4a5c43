import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sha256, type Blobs } from "../../../../src/past/log/blobs.ts";
import { createRedisBlobs } from "../../../../src/storage/redis/log/entry.ts";
import { openRedisLog, readRedisLog } from "../../../../src/storage/redis/log/log.ts";
import { parseRedisAddress } from "../../../../src/storage/redis/connection/address.ts";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import { openLink, type Link } from "../../../../src/storage/redis/connection/link.ts";
import type { RedisPlace } from "../../../../src/storage/redis/scripts/scope.ts";
import { all, grant, newLegion } from "../places.ts";
import { redisIsThere, startRedis, type Server } from "../servers.ts";
import { said } from "../../../past/log/event-log-contract.ts";

let server: Server;
let link: Link;
let place: RedisPlace;
let blobs: Blobs;

beforeAll(async () => {
  server = await startRedis();
  link = await openLink(parseRedisAddress(server.url));
});
beforeEach(() => {
  place = { link, legion: newLegion(), agent: "7" };
  blobs = createRedisBlobs(place);
});
afterAll(async () => {
  await link?.close();
  await server?.stop();
});

const keyOf = (hash: string): string => agentKeys(place.legion, "7").blob(hash);

describe.skipIf(!redisIsThere)("blobs in Redis", () => {
  it("are kept under their hash, and found by every process", async () => {
    const text = "ä\u2028\0".repeat(400_000);
    expect(await blobs.keep(text)).toBe(sha256(text));
    expect(await createRedisBlobs(place).read(sha256(text))).toBe(text);
  });

  it("are bytes as well, which nobody reads as a text", async () => {
    const bytes = Buffer.from("89504e470d0aff00", "hex");
    const hash = await blobs.keep(bytes);
    expect(hash).toBe(sha256(bytes));
    expect(await link.command("STRLEN", keyOf(hash))).toBe(bytes.length);
    expect(await blobs.read(hash)).toBeUndefined();
  });

  it("have nothing for what is no hash, not kept, or no longer what was kept, until it is kept again", async () => {
    const hash = await blobs.keep("text");
    await link.command("SET", keyOf(hash), "tex!");
    for (const name of [hash, sha256("other"), "..", "", hash.toUpperCase()])
      expect(await blobs.read(name)).toBeUndefined();
    await createRedisBlobs(place).keep("text");
    expect(await blobs.read(hash)).toBe("text");
  });

  it("hold the long strings of events, which come back where they were, or say that they are lost", async () => {
    const long = "ä".repeat(40_000);
    const log = await openRedisLog({ ...place, tenure: await grant(place), now: () => 0 }, () => undefined);
    const event = {
      kind: "result",
      call: "c1",
      outcome: "ok",
      content: long,
      details: { pages: ["short", { text: long.toUpperCase() }] },
    } as const;
    const stamped = await log.append([event, said("short")]);
    expect(stamped).toMatchObject([event, said("short")]);
    expect((await all(readRedisLog(place))).slice(1)).toEqual(stamped);
    const entries = JSON.stringify(await link.command("XRANGE", agentKeys(place.legion, "7").log, "-", "+"));
    expect(entries.length).toBeLessThan(1_000);
    await link.command("DEL", keyOf(sha256(long)));
    expect((await all(readRedisLog(place)))[1]).toMatchObject({ content: `(lost: blob ${sha256(long)})` });
  });
});
