import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standingOf } from "../../../../src/mail/mailbox.ts";
import { readRedisMail } from "../../../../src/storage/redis/mail/mailbox.ts";
import {
  CONTROL_PLACES,
  MAILBOX_LIMIT,
  parseMessageId,
  type Delivery,
  type LogId,
} from "../../../../src/domain/message/message.ts";
import { parseRedisAddress } from "../../../../src/storage/redis/connection/address.ts";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import { openLink, type Link } from "../../../../src/storage/redis/connection/link.ts";
import { deliver, parseWake, type Delivered, type Wake } from "../../../../src/storage/redis/scripts/mail.ts";
import { letter, numbers } from "../../../mail/letter.ts";
import { newLegion } from "../places.ts";
import { redisIsThere, startRedis, type Server } from "../servers.ts";

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
    const said = numbers(CONTROL_PLACES + 1).map((n) => letter("a", n, { from: "0", content: "" }));
    const heard = await deliver(place, [...said, letter("a", MAILBOX_LIMIT + 1)]);
    expect(heard.map(({ status }) => status)).toEqual([
      ...said.slice(1).map(() => "accepted"),
      "full",
      "full",
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

  describe("its reader", () => {
    const abort = { from: "0", delivery: "abort" } as const;

    /** What the reader of a new mailbox hears, up to the message at position `newest`. */
    async function listenTo(newest: number) {
      const place = { link, legion: newLegion(), agent: "a" };
      const { meta, wake, ahead } = agentKeys(place.legion, "a");
      await link.command("HSET", meta, "known", 1);
      const heard: (Wake | undefined)[] = [];
      let tell = (): void => undefined;
      const last = new Promise<void>((resolve) => (tell = resolve));
      await link.listen(wake, (text) => {
        heard.push(parseWake(text));
        if (heard.at(-1)?.newest === newest) tell();
      });
      return { place, heard: () => last.then(() => heard), meta, ahead };
    }

    const toldOf = (deliveries: readonly Delivery[]) =>
      deliveries.map(({ from, message }) => ({ from, message: JSON.stringify(message) }));

    it("hears how far it goes, and what is new", async () => {
      const { place, heard, meta, ahead } = await listenTo(5);
      const one = letter("a", 1, { content: "two\nlines" });
      const two = letter("a", 1, abort);
      const more = [letter("a", 2, abort), letter("a", 3, { from: "0" }), letter("a", 2)];
      await deliver(place, [one]);
      await deliver(place, [one]);
      await deliver(place, [one, two]);
      await deliver(place, [...more, letter("a", 4)]);
      expect(await heard()).toEqual([
        { newest: 1, abort: 0, control: 0, told: toldOf([one]) },
        { newest: 2, abort: 2, control: 2, told: toldOf([two]) },
        { newest: 5, abort: 3, control: 4, told: toldOf(more) },
      ]);
      expect(await link.command("HMGET", meta, "mail", "abort")).toEqual(["5", "3"]);
      expect(await link.command("ZRANGE", ahead, 0, -1)).toEqual(["2", "3", "4"]);
    });

    it("only hears that it is there when much waits or is new, so that nothing piles up on its way", async () => {
      const { place, heard } = await listenTo(12);
      const long = letter("a", 1, { content: "x".repeat(4_096) });
      const many = Array.from({ length: 10 }, (_, index) => letter("a", index + 2));
      const last = letter("a", 1, abort);
      await deliver(place, [long]);
      await deliver(place, many);
      await deliver(place, [last]);
      expect(await heard()).toEqual([
        { newest: 1, abort: 0, control: 0, told: [] },
        { newest: 11, abort: 0, control: 0, told: toldOf(many) },
        { newest: 12, abort: 12, control: 12, told: [] },
      ]);
    });

    it("takes nothing else for it", () => {
      for (const text of [
        "",
        "1",
        "0 0",
        "-1 0",
        "1e3 0",
        "1 0 ",
        "9999999999999999 0",
        "mail 1",
        "1 x",
        "1 0 x",
        "1 0 ",
        "1 0 1 1",
      ])
        expect(parseWake(text)).toBeUndefined();
    });
  });
});
