import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sendsOf, type Event } from "../../../../src/domain/event/event.ts";
import type { NoticeEvent } from "../../../../src/domain/event/notice.ts";
import { account, createLedger, type Ledger } from "../../../../src/past/ledger.ts";
import { readRedisLog } from "../../../../src/storage/redis/log/log.ts";
import { CONTROL, messageId, type AgentId, type Message } from "../../../../src/domain/message/message.ts";
import { parseRedisAddress } from "../../../../src/storage/redis/connection/address.ts";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import { openLink, type Link } from "../../../../src/storage/redis/connection/link.ts";
import { deliver } from "../../../../src/storage/redis/scripts/mail.ts";
import type { RedisPlace } from "../../../../src/storage/redis/scripts/scope.ts";
import {
  createPersonLog,
  type PersonLog,
  type NumberedEvent,
} from "../../../../src/storage/redis/person/log.ts";
import { letter, numbers } from "../../../mail/letter.ts";
import { said } from "../../../past/log/event-log-contract.ts";
import { all, newLegion } from "../places.ts";
import { redisIsThere, startRedis, type Server } from "../servers.ts";

let server: Server;
let links: readonly Link[];
let place: RedisPlace;
let logs: readonly PersonLog[];

beforeAll(async () => {
  server = await startRedis();
  links = await Promise.all([1, 2, 3, 4].map(() => openLink(parseRedisAddress(server.url))));
});
beforeEach(() => {
  place = { link: links[0]!, legion: newLegion(), agent: CONTROL };
  logs = links.map((link) => createPersonLog({ link, legion: place.legion }, () => 0));
});
afterAll(async () => {
  for (const link of links ?? []) await link.close();
  await server?.stop();
});

/** Says `content` to `to`, one message each; the numbers are anybody's guess. */
function words(content: string, ...to: AgentId[]): NoticeEvent & { readonly sends: readonly Message[] } {
  const sends = to.map((id): Message => {
    const unnumbered = messageId({ from: CONTROL, to: id, n: 1 });
    const { message } = letter(id, 1, { from: CONTROL, content });
    return { ...message, id: unnumbered, root: unnumbered, hops: 0 };
  });
  return { ...said(content), sends };
}

const events = (): Promise<readonly Event[]> => all(readRedisLog(place));
/** What is in the log must be what its writers were told. */
function expectTold(told: readonly NumberedEvent[], read: readonly Event[]): void {
  expect(told.map(({ event }) => event)).toEqual(read);
}

async function unsettled(): Promise<number[]> {
  const { out } = agentKeys(place.legion, CONTROL);
  return ((await place.link.command("ZRANGE", out, 0, -1)) as string[]).map(Number);
}

async function ledger(): Promise<Ledger> {
  const ledger = createLedger();
  for (const event of await events()) account(ledger, event);
  return ledger;
}

describe.skipIf(!redisIsThere)("the log of agent 0 in Redis", () => {
  it("gives what is said a place, its messages numbers, and reads the same as it was told", async () => {
    const [log] = logs;
    const first = await log!.add([words("hello", "1", "2"), words("note")]);
    const second = await log!.add([words("again", "2")]);
    const [opened, ...rest] = await events();
    expect(opened).toMatchObject({ seq: 1, epoch: 1, kind: "opened", format: 2, log: first![0]!.log });
    expectTold([...first!, ...second!], rest);
    expect(rest.map(({ seq }) => seq)).toEqual([2, 3, 4]);
    expect(rest).toMatchObject([{ content: "hello" }, { content: "note" }, { content: "again" }]);
    const sends = rest.flatMap(sendsOf);
    expect(sends.map(({ id }) => id)).toEqual(["0>1#1", "0>2#1", "0>2#2"]);
    expect(sends.map(({ root }) => root)).toEqual(["0>1#1", "0>2#1", "0>2#2"]);
  });

  it("keeps the root of a chain that is there, and texts of any kind and length", async () => {
    for (const content of ["\ud800", "\0", "\u2028", '"\\', "x".repeat(1_048_576)]) {
      const { sends, ...event } = words(content, "1");
      const told = await logs[0]!.add([
        { ...event, sends: sends.map((message) => ({ ...message, root: "1>2#7" })) },
      ]);
      const read = (await events()).at(-1)!;
      expectTold(told!, [read]);
      expect(read).toMatchObject({ content, sends: [{ content, root: "1>2#7" }] });
    }
  });

  it("numbers what many processes say at once without gaps, per recipient, and loses nothing", async () => {
    const told = await Promise.all(
      numbers(200).map((n) => logs[n % 4]!.add([words(`${n}`, "1", ...(n % 3 === 0 ? ["2"] : []))])),
    );
    const read = (await events()).slice(1);
    expect(read.map(({ seq }) => seq)).toEqual(numbers(200).map((n) => n + 1));
    const ids = read.flatMap(sendsOf).map(({ id }) => id);
    for (const [prefix, count] of [
      ["0>1#", 200],
      ["0>2#", 66],
    ] as const)
      expect(ids.filter((id) => id.startsWith(prefix))).toEqual(numbers(count).map((n) => `${prefix}${n}`));
    expectTold(
      told.flatMap((one) => one!).toSorted((a, b) => a.event.seq - b.event.seq),
      read,
    );
  });

  it("says nothing where somebody else has said something since", async () => {
    const [one, two] = logs;
    await one!.add([words("one")]);
    expect(await two!.add([words("stale", "1")], 1)).toBeUndefined();
    expect(await two!.add([words("fresh", "1")], 2)).toMatchObject([{ event: { seq: 3 } }]);
    expect((await ledger()).numbers).toEqual(new Map([["1", 1]]));
  });

  it("refuses to say anything to what cannot be an agent", async () => {
    for (const to of ["1,2", "../x", "a}", "A", " "])
      await expect(logs[0]!.add([words("x", "1", to)])).rejects.toMatchObject({ code: "REFUSED" });
    expect(await events()).toEqual([]);
  });

  it("knows what is not delivered, and says so in the log as far as it goes", async () => {
    const [log] = logs;
    for (const n of numbers(4)) await log!.add([words(`${n}`, "1", "2"), words("to nobody")]);
    expect(await unsettled()).toEqual([2, 4, 6, 8]);
    const left = async (): Promise<number[]> => (await ledger()).undelivered.map(({ seq }) => seq);
    expect(await left()).toEqual([2, 2, 4, 4, 6, 6, 8, 8]);
    await log!.settle(4);
    expect([(await events()).length, await unsettled()]).toEqual([9, [2, 6, 8]]);
    for (let again = 0; again < 2; again++) {
      for (const seq of [2, 4]) await log!.settle(seq);
      expect((await events()).slice(9)).toMatchObject([{ seq: 10, kind: "sent", upTo: 5 }]);
      expect(await left()).toEqual([6, 6, 8, 8]);
    }
    await Promise.all(logs.flatMap((each) => [each.settle(6), each.settle(8)]));
    expect([await left(), await unsettled()]).toEqual([[], []]);
    await log!.add([words("5", "1")]);
    expect(await left()).toEqual([(await events()).length]);
  });

  it("takes in each message once and in order, however many processes do so at once", async () => {
    // A script that Redis does not know yet lets the ones after it pass.
    await deliver(place, [letter(CONTROL, 1, { from: "z" })]);
    const arriving = ["x", "y"].flatMap((from, index) =>
      numbers(150).map((n) => deliver({ ...place, link: links[index]! }, [letter(CONTROL, n, { from })])),
    );
    await Promise.all([...arriving, ...logs.map((log) => log.takeIn())]);
    const hostile = letter(CONTROL, 1, { log: '","x":"\\', content: '"\u2028\\' });
    await deliver(place, [hostile]);
    await Promise.all(logs.map((log) => log.takeIn()));
    const taken = (await events()).flatMap((event) => (event.kind === "message" ? [event] : []));
    expect(taken.map(({ mail }) => mail)).toEqual(numbers(302));
    for (const from of ["x", "y"]) {
      const contents = taken.map(({ message }) => message.content).filter((text) => text.startsWith(from));
      expect(contents).toEqual(numbers(150).map((n) => `${from} ${n}`));
    }
    expect(taken.at(-1)).toMatchObject(hostile);
    const { seen, taken: position } = await ledger();
    expect([position, seen.get(hostile.from), seen.get("log of x")]).toEqual([302, 1, 150]);
    expect(await deliver(place, [hostile])).toEqual([{ status: "duplicate" }]);
  });

  it("goes on as another one after Redis was restarted: its newest numbers may be lost", async () => {
    const own = await startRedis();
    const link = await openLink(parseRedisAddress(own.url));
    const log = createPersonLog({ link, legion: place.legion }, () => 0);
    try {
      const [one] = (await log.add([words("one", "1")]))!;
      const before = await all(readRedisLog({ ...place, link }));
      const back = new Promise((resolve) => void link.onReturn(resolve));
      await own.kill();
      await own.restart();
      await back;
      const [two] = (await log.add([words("two", "1")]))!;
      expect(two!.event).toMatchObject({ seq: 4, epoch: 2, sends: [{ id: "0>1#1" }] });
      expect(two!.log).not.toBe(one!.log);
      const after = await all(readRedisLog({ ...place, link }));
      expect(after.slice(0, 2)).toEqual(before);
      expect(after[2]).toMatchObject({ kind: "opened", epoch: 2, log: two!.log });
    } finally {
      await link.close();
      await own.stop();
    }
  });
});
