import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readRedisMail } from "../../../../src/storage/redis/mail/mailbox.ts";
import { LegionError } from "../../../../src/base/errors.ts";
import type { Event, NewEvent } from "../../../../src/domain/event/event.ts";
import { openRedisLog, readRedisLog } from "../../../../src/storage/redis/log/log.ts";
import { parseRedisAddress } from "../../../../src/storage/redis/connection/address.ts";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import { openLink, type Link } from "../../../../src/storage/redis/connection/link.ts";
import { createCommitting } from "../../../../src/storage/redis/scripts/log.ts";
import type { RedisPlace } from "../../../../src/storage/redis/scripts/scope.ts";
import type { Tenure } from "../../../../src/domain/lease.ts";
import { letter, numbers } from "../../../mail/letter.ts";
import { all, grant, newLegion } from "../places.ts";
import { redisIsThere, startRedis, type Server } from "../servers.ts";
import { describeEventLog, said, type OpenedLog } from "../../../past/log/event-log-contract.ts";

let server: Server;
let link: Link;
let place: RedisPlace;

beforeAll(async () => {
  server = await startRedis();
  link = await openLink(parseRedisAddress(server.url));
});
beforeEach(() => void (place = { link, legion: newLegion(), agent: "7" }));
afterAll(async () => {
  await link?.close();
  await server?.stop();
});

async function open(tenure: Tenure, through: Link = link): Promise<OpenedLog> {
  const past: Event[] = [];
  const log = await openRedisLog({ ...place, link: through, tenure, now: () => 0 }, (event) =>
    past.push(event),
  );
  return { log, past };
}

const reopen = async (past?: Tenure["past"]): Promise<OpenedLog> => open(await grant(place, past));
const contentsOf = (events: readonly Event[]): string[] =>
  events.flatMap((event) => (event.kind === "notice" ? [event.content] : []));
const contents = async (): Promise<string[]> => contentsOf(await all(readRedisLog(place)));
const storage = { code: "STORAGE" };

/** A link that does `instead` of a script, which it may run. */
function intercept(instead: (run: () => Promise<unknown>) => Promise<unknown>): Link {
  return { ...link, run: (...call) => instead(() => link.run(...call)) };
}

describe.skipIf(!redisIsThere)("in Redis", () => {
  describeEventLog("a log in Redis", async () => {
    let last: OpenedLog | undefined;
    return async () => {
      await last?.log.close();
      return (last = await reopen());
    };
  });

  describe("an entry", () => {
    it("is the JSON of an event, under its number; the first one names the log", async () => {
      const { log } = await reopen();
      expect(await link.command("EXISTS", agentKeys(place.legion, "7").log)).toBe(0);
      await log.append([said("hello")]);
      const at = "1970-01-01T00:00:00.000Z";
      expect(await link.command("XRANGE", agentKeys(place.legion, "7").log, "-", "+")).toEqual([
        ["0-1", ["e", JSON.stringify({ at, kind: "opened", format: 2, log: log.id, seals: {} }), "p", "1"]],
        ["0-2", ["e", JSON.stringify({ at, ...said("hello") }), "p", "1"]],
      ]);
    });

    it("may be one of very many in a commit, and hold any text", async () => {
      const strange = ["\ud800 lone", "\0nul", "\u2028\u2029", '"\\', "😀", "x".repeat(1_048_576), ""];
      const { log } = await reopen();
      const stamped = await log.append([...strange, ...numbers(20_000).map(String)].map(said));
      expect((await all(log.read())).slice(1)).toEqual(stamped);
      await log.append([said("after")]);
      expect(await contents()).toHaveLength(strange.length + 20_001);
    });

    it("of a newer version is refused, and so is what cannot be read, and nothing is written", async () => {
      for (const [entry, problem] of [
        ['{"kind":"opened","format":3,"log":"x","seals":{}}', "newer version (format 3)"],
        ["{", "event 1 of "],
      ] as const) {
        place = { ...place, legion: newLegion() };
        const { log } = agentKeys(place.legion, "7");
        await link.command("XADD", log, "0-1", "e", entry, "p", 1);
        await expect(reopen()).rejects.toMatchObject({
          code: "DAMAGED",
          message: expect.stringContaining(problem) as string,
        });
        expect(await link.command("XLEN", log)).toBe(1);
      }
    });
  });

  describe("two writers of one log", () => {
    it("never mix: what the old one appends is refused, and it is told so for good (S1)", async () => {
      const old = await grant(place);
      const { log } = await open(old);
      await log.append([said("old 1")]);
      const next = await reopen();
      const race = numbers(20).map((n) =>
        Promise.allSettled([log.append([said(`late ${n}`)]), next.log.append([said(`new ${n}`)])]),
      );
      for (const [late, fresh] of await Promise.all(race)) {
        expect(late).toMatchObject({ status: "rejected", reason: storage });
        expect(fresh!.status).toBe("fulfilled");
      }
      expect(old.lost.aborted).toBe(true);
      expect(() => log.note(said("later"))).toThrow(LegionError);
      await expect(log.append([])).rejects.toMatchObject(storage);
      expect(await contents()).toEqual(["old 1", ...numbers(20).map((n) => `new ${n}`)]);
      expect((await all(readRedisLog(place))).map(({ seq }) => seq)).toEqual(numbers(23));
    });

    it("are told apart by more than the number of times that it was taken over (S1)", async () => {
      const old = await grant(place);
      const { log } = await open(old);
      await link.command("DEL", agentKeys(place.legion, "7").epoch);
      expect((await grant(place)).epoch).toBe(old.epoch);
      await expect(log.append([said("late")])).rejects.toMatchObject(storage);
      expect(await contents()).toEqual([]);
    });

    it("share nothing where both believe to come after the same event (S1)", async () => {
      const tenure = await grant(place);
      const [one, two] = [await open(tenure), await open(tenure)];
      await one.log.append([said("one")]);
      await expect(two.log.append([said("two")])).rejects.toMatchObject(storage);
      expect(await contents()).toEqual(["one"]);
    });
  });

  describe("a commit", () => {
    it("does not wait for the one before, and keeps its place behind it (S2)", async () => {
      const underWay: (() => void)[] = [];
      const slow = intercept(async (run) => {
        const reply = run();
        await new Promise<void>((resolve) => underWay.push(resolve));
        return reply;
      });
      const { log } = await open(await grant(place), slow);
      const appends: Promise<unknown>[] = [];
      for (const n of [1, 2, 3]) {
        appends.push(log.append([said(`${n}`)]));
        await expect.poll(() => underWay.length).toBe(n);
      }
      expect(await contents()).toEqual(["1", "2", "3"]);
      for (const answer of underWay.toReversed()) answer();
      await Promise.all(appends);
    });

    it("of which nobody knows what became is not tried again, and what it did counts once (S3)", async () => {
      let runs = 0;
      const lossy = intercept(async (run) => {
        runs++;
        await run();
        throw new LegionError("STORAGE", "no answer");
      });
      const tenure = await grant(place);
      const { log } = await open(tenure, lossy);
      await expect(log.append([said("once")])).rejects.toMatchObject({ ...storage, message: "no answer" });
      await expect(log.append([said("later")])).rejects.toMatchObject(storage);
      expect([runs, tenure.lost.aborted, await contents()]).toEqual([1, true, ["once"]]);
      await (await reopen()).log.append([said("after")]);
      expect(await contents()).toEqual(["once", "after"]);
    });

    it("that arrives twice does nothing the second time (S3)", async () => {
      const { token, epoch } = await grant(place);
      const event = JSON.stringify(said("once"));
      const commit = { token, epoch, log: "x", before: 0, held: 0, events: [event], mail: [] };
      const commitTo = createCommitting(place);
      expect([await commitTo(commit), await commitTo(commit)]).toEqual(["committed", "moved"]);
      expect(await contents()).toEqual(["once"]);
    });

    it("is not even sent once the right to write is lost (S3)", async () => {
      let runs = 0;
      const tenure = await grant(place);
      const counting = intercept((run) => (runs++, run()));
      const { log } = await open(tenure, counting);
      log.note(said("note"));
      tenure.end("a test");
      await expect(log.append([said("late")])).rejects.toMatchObject(storage);
      await log.close();
      expect([runs, await contents()]).toEqual([0, []]);
    });

    it("goes in while Redis forgets its scripts, each behind the one before, or ends the log (S2)", async () => {
      const { log } = await reopen();
      for (const n of numbers(20)) {
        void link.command("SCRIPT", "FLUSH");
        await log.append([said(`${n}`)]);
      }
      const more = numbers(60).map(async (n) => {
        if (n % 9 === 0) await link.command("SCRIPT", "FLUSH");
        if (n % 5 === 0) await link.command("PING");
        return (await log.append([said(`${n}`)]))[0]!.seq;
      });
      const told = (await Promise.allSettled(more)).flatMap((one) =>
        one.status === "fulfilled" ? [one.value] : [],
      );
      const kept = await all(readRedisLog(place));
      expect(kept.map(({ seq }) => seq)).toEqual(numbers(kept.length));
      expect(Math.max(21, ...told)).toBeLessThanOrEqual(kept.length);
    });

    it("takes in nothing but what the mailbox holds, whatever its writer was told (B1)", async () => {
      const keys = agentKeys(place.legion, "7");
      await link.command("HSET", keys.meta, "mail", 2);
      for (const n of numbers(2)) {
        const { from, message } = letter("7", n);
        await link.command("XADD", keys.mailbox, `0-${n}`, "f", from, "m", JSON.stringify(message));
      }
      const mail = (position: number, n: number, log?: string): NewEvent => ({
        kind: "message",
        ...letter("7", n, log === undefined ? {} : { log }),
        mail: position,
      });
      const strange = [
        [mail(1, 2)],
        [mail(1, 1, "another")],
        [mail(1, 1), mail(2, 3)],
        [mail(2, 2)],
        [mail(1, 1), mail(2, 2), mail(3, 3)],
      ];
      for (const events of strange) {
        const { log } = await reopen();
        await expect(log.append(events)).rejects.toThrow("mail that is not in the mailbox");
      }
      expect(await link.command("XLEN", keys.mailbox)).toBe(2);
      const { log } = await reopen();
      await log.append([mail(1, 1), mail(2, 2)]);
      expect(await link.command("XLEN", keys.mailbox)).toBe(0);
    });

    it("takes mail out of the mailbox in the same moment, up to the newest that is in it", async () => {
      const keys = agentKeys(place.legion, "7");
      await link.command("HSET", keys.meta, "mail", 5);
      for (const n of numbers(5)) {
        const { from, message } = letter("7", n);
        await link.command("XADD", keys.mailbox, `0-${n}`, "f", from, "m", JSON.stringify(message));
      }
      const mail = (position: number): NewEvent => ({
        kind: "message",
        ...letter("7", position),
        mail: position,
      });
      const old = await reopen();
      const { log } = await reopen();
      await expect(old.log.append(numbers(5).map(mail))).rejects.toMatchObject(storage);
      expect(await link.command("XLEN", keys.mailbox)).toBe(5);
      await log.append([mail(1), said("between"), mail(2), mail(3)]);
      expect((await readRedisMail(place, 0)).map(({ position }) => position)).toEqual([4, 5]);
      expect(await link.command("HGET", keys.meta, "taken")).toBe("3");
      await log.append([said("no mail")]);
      expect(await link.command("XLEN", keys.mailbox)).toBe(2);
    });
  });

  describe("what was noted", () => {
    it("is read before it is committed, and committed with what comes next", async () => {
      const { log } = await reopen();
      await log.append([said("one")]);
      const long = "y".repeat(100_000);
      log.note(said("note"));
      void log.append([said(long)]);
      log.note(said("note 2"));
      expect(contentsOf(await all(log.read(3)))).toEqual(["note", "note 2"]);
      await log.append([said("two")]);
      expect(await contents()).toEqual(["one", "note", "note 2", long, "two"]);
    });
  });

  describe("the name of a log", () => {
    it("is another one where the newest events may be lost, or some are gone", async () => {
      const { log } = await reopen();
      await log.append([said("one"), said("two")]);
      expect((await reopen()).log.id).toBe(log.id);
      const renewed = (await reopen("renewed")).log;
      expect(renewed.id).not.toBe(log.id);
      await renewed.append([said("three")]);
      expect((await reopen()).log.id).toBe(renewed.id);
      await link.command("XDEL", agentKeys(place.legion, "7").log, "0-2");
      expect((await reopen()).log.id).not.toBe(renewed.id);
      expect(await contents()).toEqual(["two", "three"]);
    });
  });
});
