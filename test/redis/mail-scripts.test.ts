import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standingOf } from "../../src/bus/mailbox.ts";
import { readRedisMail } from "../../src/bus/redis-mailbox.ts";
import { MAILBOX_LIMIT, parseMessageId, type Delivery, type LogId } from "../../src/message.ts";
import { parseRedisAddress } from "../../src/redis/address.ts";
import { agentKeys } from "../../src/redis/keys.ts";
import { openLink, type Link } from "../../src/redis/link.ts";
import { deliver, parseWake, type Delivered } from "../../src/redis/mail-scripts.ts";
import { letter, numbers } from "../bus/letter.ts";
import { newLegion } from "./places.ts";
import { redisIsThere, startRedis, type Server } from "./servers.ts";

let server: Server;
let link: Link;

beforeAll(async () => {
  server = await startRedis();
  link = await openLink(parseRedisAddress(server.url));
});
afterAll(async () => {
  await link?.close();
  await server?.stop();
});

/** Small ones, so that they meet, and some at the end of what a number can hold. */
const number = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 0, max: 8 }) },
  fc.constantFrom(2 ** 53 - 1, 2 ** 53, 1e20, 1e21),
);
const offer = fc.record({
  log: fc.constantFrom("x", "y", "\0", '"\\', "ä".repeat(200)),
  n: number,
  after: fc.option(number, { nil: undefined }),
});

function offered({ log, n, after }: { log: LogId; n: number; after: number | undefined }): Delivery {
  const id = `x>a#${BigInt(n)}`;
  const { message } = letter("a", 1, { log, content: `${log} ${n}\ud800\u2028` });
  return { from: log, message: { ...message, id }, ...(after !== undefined && { after }) };
}

describe.skipIf(!redisIsThere)("a delivery in Redis", () => {
  it("stands to what is there as it does with files, whatever comes when (B2)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(offer, { maxLength: 8 }), { maxLength: 12 }), async (batches) => {
        const place = { link, legion: newLegion(), agent: "a" };
        await link.command("HSET", agentKeys(place.legion, "a").meta, "known", 1);
        const seen = new Map<LogId, number>();
        const kept: Delivery[] = [];
        for (const deliveries of batches.map((batch) => batch.map(offered))) {
          const expected = deliveries.map((delivery): Delivered => {
            const standing = standingOf(delivery, seen);
            if (standing === "gap") return { status: standing, expected: seen.get(delivery.from)! + 1 };
            if (standing === "duplicate") return { status: standing };
            seen.set(delivery.from, parseMessageId(delivery.message.id).n);
            return { status: "accepted", position: kept.push(delivery) };
          });
          expect(await deliver(place, deliveries)).toEqual(expected);
        }
        expect(await readRedisMail(place, 0)).toEqual(
          kept.map(({ from, message }, index) => ({ position: index + 1, from, message })),
        );
      }),
      { numRuns: 60 },
    );
  });

  it("leaves nothing behind for an agent that nobody made known", async () => {
    const place = { link, legion: newLegion(), agent: "a" };
    const deliveries = [letter("a", 1), letter("a", 2)];
    expect(await deliver(place, deliveries)).toEqual([{ status: "unknown" }, { status: "unknown" }]);
    const { meta, mailbox, seen } = agentKeys(place.legion, "a");
    expect(await link.command("EXISTS", meta, mailbox, seen)).toBe(0);
  });

  it("fills a mailbox to its limit, also by what comes at one blow (B5)", async () => {
    const place = { link, legion: newLegion(), agent: "a" };
    await link.command("HSET", agentKeys(place.legion, "a").meta, "known", 1);
    const delivered = await deliver(
      place,
      numbers(MAILBOX_LIMIT + 2).map((n) => letter("a", n, { content: "" })),
    );
    expect(delivered.at(MAILBOX_LIMIT - 1)).toEqual({ status: "accepted", position: MAILBOX_LIMIT });
    expect(delivered.slice(MAILBOX_LIMIT)).toEqual([
      { status: "full" },
      { status: "gap", expected: MAILBOX_LIMIT + 1 },
    ]);
  });

  it("does not begin with the second word of a person whose first is on its way from another process (B2)", async () => {
    const place = { link, legion: newLegion(), agent: "a" };
    await link.command("HSET", agentKeys(place.legion, "a").meta, "known", 1);
    const said = (n: number) => letter("a", n, { from: "0" });
    expect(await deliver(place, [said(2)])).toEqual([{ status: "gap", expected: 1 }]);
    expect(await deliver(place, [said(1), said(2)])).toMatchObject([
      { status: "accepted" },
      { status: "accepted" },
    ]);
  });

  it("tells the reader, and nobody else, how far its mailbox goes", async () => {
    const place = { link, legion: newLegion(), agent: "a" };
    const { meta, wake } = agentKeys(place.legion, "a");
    await link.command("HSET", meta, "known", 1);
    const heard: string[] = [];
    let tell = (): void => undefined;
    const last = new Promise<void>((resolve) => (tell = resolve));
    await link.listen(wake, (text) => void (heard.push(text), text === "mail 5" && tell()));
    await deliver(place, [letter("a", 1)]);
    await deliver(place, [letter("a", 1)]);
    await deliver(place, [letter("a", 2, { delivery: "abort" })]);
    const abort = { delivery: "abort" } as const;
    await deliver(place, [letter("a", 3, abort), letter("a", 4, abort), letter("a", 5), letter("a", 7)]);
    await last;
    expect(heard.map(parseWake)).toEqual([
      { newest: 1 },
      { newest: 2, abort: 2 },
      { newest: 4, abort: 4 },
      { newest: 5 },
    ]);
    expect(await link.command("HMGET", meta, "mail", "abort")).toEqual(["5", "4"]);
    for (const text of ["", "mail", "mail 0", "mail -1", "mail 1e3", "mail 1 ", "abort 9999999999999999"])
      expect(parseWake(text)).toBeUndefined();
  });
});
