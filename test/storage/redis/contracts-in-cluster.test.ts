import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Event } from "../../../src/domain/event/event.ts";
import { createRedisBlobs } from "../../../src/storage/redis/log/entry.ts";
import { openRedisLog, readRedisLog } from "../../../src/storage/redis/log/log.ts";
import { CONTROL } from "../../../src/domain/message/message.ts";
import { parseRedisAddress } from "../../../src/storage/redis/connection/address.ts";
import { agentKeys } from "../../../src/storage/redis/scripts/keys.ts";
import { openLink, type Link } from "../../../src/storage/redis/connection/link.ts";
import { createPersonLog } from "../../../src/storage/redis/person/log.ts";
import { describeBus } from "../../mail/bus-contract.ts";
import { letter, numbers } from "../../mail/letter.ts";
import { describeMemories } from "../contract/memory/memories-contract.ts";
import { createRedisStage } from "./mail/stage.ts";
import { redisMemories } from "./memories/memories-place.ts";
import { describeEventLog, said, type OpenedLog } from "../../past/log/event-log-contract.ts";
import { all, grant, newLegion } from "./places.ts";
import { redisIsThere, startCluster, tell, type Servers } from "./servers.ts";

let cluster: Servers;
let link: Link;

beforeAll(async () => {
  cluster = await startCluster();
  link = await openLink(parseRedisAddress(cluster.url));
}, 60_000);
afterAll(async () => {
  await link?.close();
  await cluster?.stop();
});

describe.skipIf(!redisIsThere)("in a Cluster of three", () => {
  describeBus("a bus in a Cluster", () => createRedisStage(cluster.url));

  describeEventLog("a log in a Cluster", async () => {
    const place = { link, legion: newLegion(), agent: "7" };
    let last: OpenedLog | undefined;
    return async () => {
      await last?.log.close();
      const past: Event[] = [];
      const tenure = await grant(place);
      const log = await openRedisLog({ ...place, tenure, now: () => 0 }, (event) => past.push(event));
      return (last = { log, past });
    };
  });

  describeMemories("a Cluster", async () =>
    redisMemories(
      cluster.url,
      cluster.servers.map(({ port }) => port),
    ),
  );

  it("agents are spread over all servers, and each has all of its own on one", async () => {
    const legion = newLegion();
    for (const agent of numbers(30).map(String)) {
      const place = { link, legion, agent };
      const log = await openRedisLog({ ...place, tenure: await grant(place), now: () => 0 }, () => undefined);
      await log.append([said("short"), said("x".repeat(100_000))]);
      expect((await all(readRedisLog(place))).length).toBe(3);
      expect(await createRedisBlobs(place).keep("text")).toHaveLength(64);
    }
    const found = cluster.servers.map(({ port }) => tell(port, "KEYS", `lg:{${legion}:*`));
    for (const keys of (await Promise.all(found)) as string[][]) {
      const agents = new Set(keys.map((key) => key.slice(0, key.indexOf("}"))));
      // Token, epoch, meta, log and two blobs.
      expect([agents.size > 3, keys.length]).toEqual([true, 6 * agents.size]);
    }
  });

  it("agent 0 speaks, settles and takes in", async () => {
    const legion = newLegion();
    const log = createPersonLog({ link, legion }, () => 0);
    const sends = [letter("1", 1, { from: CONTROL }).message];
    expect(await log.add([{ ...said("hello"), sends }])).toMatchObject([{ event: { seq: 2 } }]);
    await log.settle(2);
    const { bus } = await createRedisStage(cluster.url, legion);
    for (const n of numbers(3)) await bus.send(letter(CONTROL, n));
    await log.takeIn();
    const read = await all(readRedisLog({ link, legion, agent: CONTROL }));
    const kinds = ["opened", "notice", "sent", "message", "message", "message"];
    expect(read.map(({ kind }) => kind)).toEqual(kinds);
    expect(await link.command("XLEN", agentKeys(legion, CONTROL).mailbox)).toBe(0);
  });
});
