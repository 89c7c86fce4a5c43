import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedisBus } from "../../../../src/storage/redis/mail/bus.ts";
import { CONTROL, messageId } from "../../../../src/domain/message/message.ts";
import { parseRedisAddress } from "../../../../src/storage/redis/connection/address.ts";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import { openLink } from "../../../../src/storage/redis/connection/link.ts";
import { deliver } from "../../../../src/storage/redis/scripts/mail.ts";
import { grant, newLegion } from "../places.ts";
import { redisIsThere, startRedis, type Server } from "../servers.ts";
import { describeBus } from "../../../mail/bus-contract.ts";
import { contents, letter, numbers } from "../../../mail/letter.ts";
import { createRedisStage, type RedisStage } from "./stage.ts";

const never = new AbortController().signal;
let server: Server;

beforeAll(async () => void (server = await startRedis()));
afterAll(() => server?.stop());

/** Two processes of one legion: one delivers, the other one runs the agents. */
async function two(): Promise<readonly [RedisStage, RedisStage]> {
  const legion = newLegion();
  const sender = await createRedisStage(server.url, legion);
  return [sender, await createRedisStage(server.url, legion)];
}

describe.skipIf(!redisIsThere)("in Redis", () => {
  describeBus("a bus in Redis", () => createRedisStage(server.url));

  describe("a bus between processes", () => {
    it("wakes the reader in another process for each message, and interrupts it", async () => {
      const [sender, reader] = await two();
      const inbox = await reader.bus.open("a");
      const running = inbox.interrupt();
      const interrupted = new Promise((resolve) => running.addEventListener("abort", resolve));
      for (const n of numbers(50)) {
        const woken = inbox.wait(never);
        await sender.bus.send(letter("a", n));
        await woken;
        expect(contents(inbox)).toEqual([`x ${n}`]);
        await reader.takeIn("a", inbox, inbox.peek(Infinity));
        expect([inbox.unread, running.aborted]).toEqual([0, false]);
      }
      await sender.bus.send(letter("a", 1, { from: CONTROL, delivery: "abort" }));
      await interrupted;
      expect(contents(inbox)).toEqual(["0 1"]);
    });

    it("keeps the order of every sender, and each message once, when all send to all at once (B2)", async () => {
      const stages = await two();
      const [, reader] = stages;
      // A script that Redis does not know yet lets the ones after it pass.
      await reader.bus.send(letter("b", 1));
      const inbox = await reader.bus.open("a");
      const taken: string[] = [];
      const sending = stages.flatMap(({ bus }, index) =>
        numbers(300).map((n) => bus.send(letter("a", n, { from: `s${index}` }))),
      );
      while (taken.length < 600) {
        await inbox.wait(never);
        const mail = inbox.peek(100);
        taken.push(...mail.map(({ message }) => message.content));
        await reader.takeIn("a", inbox, mail);
      }
      for (const receipt of await Promise.all(sending)) expect(receipt).toEqual({ status: "accepted" });
      for (const from of ["s0", "s1"])
        expect(taken.filter((text) => text.startsWith(from))).toEqual(
          numbers(300).map((n) => `${from} ${n}`),
        );
      expect([inbox.unread, await reader.bus.unread("a")]).toEqual([0, 0]);
    });

    it("reads mail of which it did not hear, when a renewal tells of it", async () => {
      const [sender, { link, legion, tenures }] = await two();
      const deaf = { ...link, listen: () => Promise.resolve(() => undefined) };
      const bus = createRedisBus({ link: deaf, legion, tenureOf: (agent) => tenures.get(agent) });
      const inbox = await bus.open("a");
      for (const n of numbers(3)) await sender.bus.send(letter("a", n));
      expect(inbox.unread).toBe(0);
      bus.heard("a", 3);
      bus.heard("b", 7);
      await inbox.wait(never);
      expect(contents(inbox)).toEqual(["x 1", "x 2", "x 3"]);
    });

    it("needs no read for a message that it is told, and believes the mailbox where what it is told is none (B1)", async () => {
      const [sender, { link, legion, tenures }] = await two();
      const asked: string[] = [];
      const command: typeof link.command = (name, ...args) => {
        asked.push(name);
        return link.command(name, ...args);
      };
      const bus = createRedisBus({ link: { ...link, command }, legion, tenureOf: (id) => tenures.get(id) });
      const inbox = await bus.open("a");
      asked.length = 0;
      await sender.bus.send(letter("a", 1));
      await inbox.wait(never);
      expect([contents(inbox), asked]).toEqual([["x 1"], []]);

      const { wake, mailbox, meta } = agentKeys(legion, "a");
      const second = JSON.stringify(letter("a", 2).message);
      await sender.link.command("XADD", mailbox, "0-2", "f", "log of x", "m", second);
      await sender.link.command("HSET", meta, "mail", 2);
      const ear = String(await sender.link.command("HGET", meta, "ear"));
      for (const word of ["3\n2 0\nlog of x\nnull", "3\n2 0\nlog of x\n{", "2\n2 0\nlog of x"]) {
        sender.link.hint(ear, `${wake} ${word}`);
      }
      await expect.poll(() => contents(inbox)).toEqual(["x 1", "x 2"]);
      expect(asked).toEqual(["XRANGE"]);
    });

    it("hears of all mailboxes on one channel, and in one word of what was delivered in one turn", async () => {
      const [sender, { link, legion, tenures }] = await two();
      const heard: string[] = [];
      const channels = new Set<string>();
      const listen: typeof link.listen = (channel, listener) => {
        channels.add(channel);
        return link.listen(channel, (text) => {
          heard.push(text);
          listener(text);
        });
      };
      const bus = createRedisBus({ link: { ...link, listen }, legion, tenureOf: (id) => tenures.get(id) });
      const agents = ["a", "b", "c", "d"];
      const inboxes = await Promise.all(agents.map(bus.open));
      await Promise.all(agents.map((agent) => sender.bus.send(letter(agent, 1, { content: "one\ntwo" }))));
      await Promise.all(inboxes.map((inbox) => inbox.wait(never)));
      expect(inboxes.map(contents)).toEqual(agents.map(() => ["one\ntwo"]));
      expect([channels.size, heard.length]).toEqual([1, 1]);
      await bus.close();
    });

    it("says what comes to whoever has the right to read it now, whoever else opens the mailbox later", async () => {
      const [sender, { link, legion, tenures }] = await two();
      const late = createRedisBus({ link: sender.link, legion, tenureOf: (id) => tenures.get(id) });
      const now = new Map([["a", await grant({ link, legion, agent: "a" })]]);
      const bus = createRedisBus({ link, legion, tenureOf: (id) => now.get(id) });
      const inbox = await bus.open("a");
      await late.open("a");
      await sender.bus.send(letter("a", 1));
      await inbox.wait(never);
      expect(contents(inbox)).toEqual(["x 1"]);
    });

    it("reads what came while its connection was lost", async () => {
      const own = await startRedis();
      const stage = await createRedisStage(own.url);
      const inbox = await stage.bus.open("a");
      const gone = new Promise((resolve) => void stage.link.onReturn(resolve));
      await own.kill();
      await expect(stage.bus.send(letter("a", 1))).rejects.toMatchObject({ code: "STORAGE" });
      expect(await stage.bus.unread("a")).toBe(0);
      await own.restart();
      const other = await openLink(parseRedisAddress(own.url));
      const deaf = { ...other, link: other, legion: stage.legion, agent: "a" };
      await deliver(deaf, [letter("a", 1)]);
      await gone;
      await inbox.wait(never);
      expect(contents(inbox)).toEqual(["x 1"]);
      await other.close();
      await stage.link.close();
      await own.stop();
    });

    it("opens a mailbox only to who may run the agent, Control's to anybody (B3)", async () => {
      const [{ link, legion, bus }] = await two();
      const stranger = createRedisBus({ link, legion, tenureOf: () => undefined });
      await expect(stranger.open("a")).rejects.toMatchObject({ code: "LOCKED" });
      await expect(stranger.open("nobody")).rejects.toMatchObject({ code: "REFUSED" });
      await Promise.all([stranger.open(CONTROL), bus.open(CONTROL)]);
      const opened = await Promise.allSettled([bus.open("a"), bus.open("a")]);
      expect(opened.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    });

    it("ends the right to run an agent whose mail cannot be read: its mailbox is opened anew (B1)", async () => {
      const [sender, reader] = await two();
      const { mailbox, meta } = agentKeys(reader.legion, "a");
      await reader.bus.open("a");
      const { lost } = reader.tenures.get("a")!;
      const ended = new Promise((resolve) => lost.addEventListener("abort", resolve));
      await sender.link.command("XADD", mailbox, "0-1", "f", "x", "m", "{");
      await sender.link.command("HSET", meta, "mail", 1);
      await sender.bus.send(letter("a", 1));
      await ended;
      expect(reader.tenures.get("b")!.lost.aborted).toBe(false);
      await reader.bus.open("b");
      const again = createRedisBus({ ...reader, tenureOf: (agent) => reader.tenures.get(agent) });
      await expect(again.open("a")).rejects.toMatchObject({ code: "DAMAGED" });
    });

    it("holds a small part of a mailbox of long messages, and shows all of it in the end", async () => {
      const [sender, reader] = await two();
      const content = "ä".repeat(524_288);
      for (const n of numbers(20)) await sender.bus.send(letter("a", n, { content }));
      const inbox = await reader.bus.open("a");
      expect(inbox.unread).toBe(20);
      expect(inbox.peek(Infinity).length).toBeLessThan(20);
      let taken = 0;
      while (taken < 20) {
        await inbox.wait(never);
        const mail = inbox.peek(Infinity);
        expect(mail.every(({ message }) => message.content === content)).toBe(true);
        taken += mail.length;
        await reader.takeIn("a", inbox, mail);
      }
      expect([taken, inbox.unread, await reader.bus.unread("a")]).toEqual([20, 0, 0]);
    });

    it("reads of ten thousand messages the front and Control's, and forgets where those stood when they are taken", async () => {
      const [sender, { link, legion, tenures, takeIn }] = await two();
      await Promise.all(numbers(9_999).map((n) => sender.bus.send(letter("a", n, { content: "" }))));
      await sender.bus.send(letter("a", 1, { from: CONTROL }));
      const asked: string[] = [];
      const counting = {
        ...link,
        async command(name: string, ...args: readonly (string | number)[]) {
          const reply = await link.command(name, ...args);
          asked.push(`${name} ${(reply as readonly unknown[]).length}`);
          return reply;
        },
      };
      const bus = createRedisBus({ link: counting, legion, tenureOf: (agent) => tenures.get(agent) });
      const inbox = await bus.open("a");
      expect(inbox.ahead()).toMatchObject([{ position: 10_000, message: { content: "0 1" } }]);
      const read = asked.splice(0).filter((text) => text.startsWith("XRANGE"));
      const count = read.reduce((sum, text) => sum + Number(text.split(" ")[1]), 0);
      expect([read.at(-1), count < 1_300]).toEqual(["XRANGE 1", true]);

      const heard = inbox.heard(never);
      await sender.bus.send(letter("a", 10_000, { content: "" }));
      await sender.bus.send(letter("a", 2, { from: CONTROL, delivery: "verdict" }));
      await heard;
      expect(inbox.ahead().map(({ message }) => message.content)).toEqual(["0 1", "0 2"]);
      expect(asked).toEqual(["ZRANGEBYSCORE 1", "XRANGE 1"]);

      const { ahead } = agentKeys(legion, "a");
      while (inbox.unread > 0) {
        await inbox.wait(never);
        await takeIn("a", inbox, inbox.peek(Infinity));
      }
      expect([inbox.ahead(), await link.command("EXISTS", ahead)]).toEqual([[], 0]);
    });

    it("finds mail of Control that a renewal tells of, also behind what it holds", async () => {
      const [sender, { link, legion, tenures }] = await two();
      await Promise.all(numbers(1_500).map((n) => sender.bus.send(letter("a", n, { content: "" }))));
      const deaf = { ...link, listen: () => Promise.resolve(() => undefined) };
      const bus = createRedisBus({ link: deaf, legion, tenureOf: (agent) => tenures.get(agent) });
      const inbox = await bus.open("a");
      await sender.bus.send(letter("a", 1, { from: CONTROL }));
      const heard = inbox.heard(never);
      bus.heard("a", 1_501);
      await heard;
      expect(inbox.ahead()).toMatchObject([{ position: 1_501 }]);
    });

    it("asks Redis for nobody who cannot exist", async () => {
      const [{ bus, link, legion }] = await two();
      const keys = (): Promise<unknown> => link.command("KEYS", `*${legion}*`);
      const before = await keys();
      for (const id of ["A", "../a", "a}", "{", "*", "con", "a ".repeat(100), "\0", "all"]) {
        const delivery = letter("a", 1);
        const message = { ...delivery.message, id: messageId({ from: "x", to: id, n: 1 }) };
        expect(await bus.send({ ...delivery, message })).toEqual({ status: "unknown" });
        expect(await bus.unread(id)).toBe(0);
        await expect(bus.open(id)).rejects.toMatchObject({ code: "REFUSED" });
      }
      expect(await keys()).toEqual(before);
    });

    it("leaves no trace of a mailbox that was closed: it hears nothing more, and opens again (B3)", async () => {
      const [sender, reader] = await two();
      const inbox = await reader.bus.open("a");
      await inbox.close();
      const again = await reader.bus.open("a");
      await inbox.close();
      await expect(reader.bus.open("a")).rejects.toMatchObject({ code: "LOCKED" });
      await sender.bus.send(letter("a", 1));
      await again.wait(never);
      expect([inbox.unread, again.unread]).toEqual([0, 1]);
    });
  });
});
