import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createClock } from "../../../../src/base/clock.ts";
import type { Event } from "../../../../src/domain/event/event.ts";
import type { NoticeEvent } from "../../../../src/domain/event/notice.ts";
import { CONTROL, type Delivery } from "../../../../src/domain/message/message.ts";
import { createOutbox, offer } from "../../../../src/mail/outbox.ts";
import { openMemory, type Memory } from "../../../../src/past/past.ts";
import type { Memories } from "../../../../src/storage/contract/memory/memories.ts";
import { UNHOSTED } from "../../../../src/storage/contract/store.ts";
import type { Link } from "../../../../src/storage/redis/connection/link.ts";
import { openRedisLog } from "../../../../src/storage/redis/log/log.ts";
import { createRedisMemories } from "../../../../src/storage/redis/memories/memories.ts";
import { offerWhatMayBeLost } from "../../../../src/storage/redis/node/lost-mail.ts";
import { createPersonLog } from "../../../../src/storage/redis/person/log.ts";
import { createPersonOutbox } from "../../../../src/storage/redis/person/outbox.ts";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import { context, entry, eventsOf, ID } from "../../contract/memory/memory-letters.ts";
import { numbers } from "../../../mail/letter.ts";
import { losingTail } from "../../../torture-redis/tail.ts";
import { openTestLink } from "../members.ts";
import { grant, newLegion } from "../places.ts";
import { redisIsThere, startRedis, startSentinel, tell, until, type Server } from "../servers.ts";
import { expectFolded, textsOf } from "./memories-place.ts";

let server: Server;
let link: Link;
let legion: string;
let memories: Memories;

beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());
beforeEach(async () => {
  legion = newLegion();
  link = await openTestLink(server.url);
  memories = createRedisMemories({ link, legion });
});

/** Offers it until somebody has it, as an outbox does. */
async function insist(to: Memories, delivery: Delivery): Promise<void> {
  await until(async () => {
    const receipt = await to.receive(ID, delivery).catch(() => undefined);
    return receipt?.status === "accepted" || receipt?.status === "duplicate";
  });
}

const openedIn = async (): Promise<readonly string[]> =>
  (await eventsOf(memories)).flatMap((event) => (event.kind === "opened" ? [event.log] : []));

/** A notice that sends these. */
const saying = (...deliveries: readonly Delivery[]): NoticeEvent => ({
  kind: "notice",
  reason: "said",
  content: "",
  sends: deliveries.map(({ message }) => message),
});

/** The log of a sender that has sent these, each in an event of its own. */
function logOf(deliveries: readonly Delivery[]): Pick<Memory, "read"> {
  const stamp = (seq: number) => ({ seq, epoch: 1, at: "2026-01-01T00:00:00.000Z" });
  const opened: Event = { ...stamp(1), kind: "opened", format: 2, log: deliveries[0]!.from, seals: {} };
  return {
    async *read() {
      yield await Promise.resolve(opened);
      for (const [index, delivery] of deliveries.entries())
        yield { ...stamp(index + 2), ...saying(delivery) };
    },
  };
}

const send = (delivery: Delivery) => memories.receive(ID, delivery);
const offerNewest = (sent: readonly Delivery[]) => {
  const { message } = sent.at(-1)!;
  return offer(logOf(sent), { send }, { ...sent.at(-1)!, to: ID, n: Number(message.id.split("#")[1]) });
};

describe.skipIf(!redisIsThere)("a memory in a Redis that is killed", () => {
  it("has each entry once and in order, also of those that were under way, and goes on as another log (M5)", async () => {
    const own = await startRedis();
    onTestFinished(() => own.stop());
    const links = [await openTestLink(own.url), await openTestLink(own.url)];
    const nodes = links.map((each) => createRedisMemories({ link: each, legion }));
    memories = nodes[0]!;
    let restarting = Promise.resolve();
    const sending = ["a", "b"].map(async (from, index) => {
      for (const n of numbers(60)) {
        if (from === "a" && (n === 20 || n === 45)) restarting = own.kill().then(own.restart);
        await insist(nodes[index]!, entry(n, { from }));
      }
    });
    await Promise.all(sending);
    await restarting;
    const texts = await textsOf(memories);
    for (const from of ["a", "b"])
      expect(texts.filter((text) => text.startsWith(from))).toEqual(numbers(60).map((n) => `${from} ${n}`));
    expect(await expectFolded(memories)).toMatchObject({ entries: 120 });
    const logs = await openedIn();
    expect(new Set(logs).size).toBe(logs.length);
    expect(logs.length).toBe(3);
  }, 60_000);

  it("stays one log where nothing can be lost", async () => {
    const { meta } = agentKeys(legion, CONTROL);
    await link.command("HSET", meta, "durability", "always");
    await memories.receive(ID, entry(1));
    await link.command("HSET", agentKeys(legion, ID).meta, "run", "before");
    await memories.receive(ID, entry(2));
    expect(await openedIn()).toHaveLength(1);
    expect(await memories.receive(ID, entry(7, { from: "new" }))).toEqual({ status: "accepted" });
  });

  it("has again what a power cut took from it, as soon as its senders send something more (M5)", async () => {
    const own = await startRedis();
    onTestFinished(() => own.stop());
    link = await openTestLink(own.url);
    memories = createRedisMemories({ link, legion });
    const sent = { a: numbers(40).map((n) => entry(n, { from: "a" })), b: [] as Delivery[] };
    for (const delivery of sent.a.slice(0, 39)) await memories.receive(ID, delivery);
    // All that there is of this sender is lost.
    sent.b = numbers(3).map((n) => (n === 1 ? context : entry)(n, { from: "b" }));
    for (const delivery of sent.b.slice(0, 2)) await memories.receive(ID, delivery);
    const before = await expectFolded(memories);
    const back = new Promise((resolve) => link.onReturn(resolve));
    const losing = losingTail(own, () => 0.999);
    await losing.kill();
    await losing.restart();
    await back;
    const after = await expectFolded(memories);
    expect(after.last).toBeLessThan(before.last);
    expect([before.keeper, after.keeper, after.seen.has("log of b")]).toEqual(["b", undefined, false]);

    expect(await memories.receive(ID, sent.b[2]!)).toEqual({ status: "gap", expected: 1 });
    for (const all of [sent.b, sent.a]) expect(await offerNewest(all)).toEqual({ status: "accepted" });
    const texts = await textsOf(memories);
    expect(texts.filter((text) => text.startsWith("a"))).toEqual(numbers(40).map((n) => `a ${n}`));
    expect(texts.filter((text) => text.startsWith("b"))).toEqual(["b 2", "b 3"]);
    expect(await expectFolded(memories)).toMatchObject({ keeper: "b", entries: 42 });
    expect(await openedIn()).toHaveLength(2);
  });

  it("that had been there and is gone as a whole does not begin in the middle of what was sent to it", async () => {
    const sent = numbers(5).map((n) => entry(n));
    for (const delivery of sent.slice(0, 4)) await memories.receive(ID, delivery);
    const { meta, log, seen, words, contexts, epoch } = agentKeys(legion, ID);
    await link.command("DEL", meta, log, seen, words, contexts, epoch);
    memories = createRedisMemories({ link: await openTestLink(server.url), legion });
    expect(await memories.receive(ID, sent[4]!)).toEqual({ status: "gap", expected: 1 });
    expect(await eventsOf(memories)).toEqual([]);
    await offerNewest(sent);
    expect(await textsOf(memories)).toEqual(numbers(5).map((n) => `x ${n}`));
  });

  it("goes on with the replica that takes over, and knows what its senders offer again", async () => {
    const watched = await startSentinel();
    onTestFinished(() => watched.stop());
    link = await openTestLink(watched.url);
    memories = createRedisMemories({ link, legion });
    const sent = numbers(50).map((n) => entry(n, { from: "a" }));
    for (const delivery of sent.slice(0, 20)) await memories.receive(ID, delivery);
    expect(await tell(watched.master.port, "WAIT", 1, 5_000)).toBe(1);
    await Promise.all(sent.slice(20, 49).map(send));
    const back = new Promise((resolve) => link.onReturn(resolve));
    await watched.master.kill();
    await back;
    await until(async () => (await offerNewest(sent).catch(() => undefined)) !== undefined);
    expect(await textsOf(memories)).toEqual(numbers(50).map((n) => `a ${n}`));
    for (const delivery of sent) expect(await send(delivery)).toEqual({ status: "duplicate" });
    expect(await openedIn()).toHaveLength(2);
    await expectFolded(memories);
  }, 60_000);
});

/** One server of a Cluster was taken over by another one, which had no more than these of the memory. */
async function loseAllBut(kept: readonly Delivery[]): Promise<void> {
  const keys = agentKeys(legion, ID);
  await link.command("DEL", keys.meta, keys.log, keys.seen, keys.words, keys.contexts, keys.epoch);
  for (const delivery of kept) await memories.receive(ID, delivery);
  if (kept.length > 0) await link.command("HSET", keys.meta, "run", "before");
}

describe.skipIf(!redisIsThere)("what a log says that it sent to a memory, and the memory lost", () => {
  it("is offered again by the agent's next node, from where the memory has come", async () => {
    const agent = "1";
    const place = { link, legion, agent };
    const tenure = await grant(place);
    const memory = await openMemory({ agent, ...UNHOSTED, inspect: () => undefined }, async (each) => ({
      log: await openRedisLog({ ...place, tenure, now: () => 0 }, each),
      findings: [],
    }));
    const offered: string[] = [];
    const watching = async (delivery: Delivery) => {
      offered.push(delivery.message.id);
      return send(delivery);
    };
    const outbox = createOutbox(memory, { send: watching }, createClock());
    onTestFinished(() => outbox.close());
    for (const n of numbers(6)) await memory.commit(saying(entry(n, { from: agent })));
    await outbox.deliver();
    expect(memory.ledger.undelivered).toEqual([]);
    const all = numbers(6).map((n) => `${agent} ${n}`);
    for (const kept of [0, 2, 6]) {
      const log = memory.ledger.log!;
      await loseAllBut(numbers(kept).map((n) => entry(n, { from: agent, log })));
      await link.command("HSET", agentKeys(legion, agent).meta, "unoffered", 1);
      offered.length = 0;
      await offerWhatMayBeLost(place, { tenure, outbox, isOpen: () => true });
      expect(offered).toHaveLength(6 - kept);
      expect(await textsOf(memories)).toEqual(all);
      expect(await link.command("HEXISTS", agentKeys(legion, agent).meta, "unoffered")).toBe(0);
    }
  });

  it("is offered again where the person sent it", async () => {
    const log = createPersonLog({ link, legion }, () => 0);
    const outbox = createPersonOutbox({ link, legion }, log, { send });
    for (const n of numbers(4)) await log.add([saying(entry(n, { from: CONTROL }))]);
    await outbox.deliverForAll();
    const all = numbers(4).map((n) => `${CONTROL} ${n}`);
    expect(await textsOf(memories)).toEqual(all);
    await loseAllBut([]);
    await outbox.doubt();
    await outbox.deliverForAll();
    expect(await textsOf(memories)).toEqual(all);
    await outbox.doubt();
    expect(await link.command("ZCARD", agentKeys(legion, CONTROL).out)).toBe(0);
  });
});
