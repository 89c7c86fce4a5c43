import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createRedisBus, type RedisBus } from "../../../../src/storage/redis/mail/bus.ts";
import type { NewEvent } from "../../../../src/domain/event/event.ts";
import { readRedisLog } from "../../../../src/storage/redis/log/log.ts";
import {
  CONTROL,
  mailboxLimit,
  messageId,
  type AgentId,
  type Message,
} from "../../../../src/domain/message/message.ts";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import type { Link } from "../../../../src/storage/redis/connection/link.ts";
import { readRedisMail } from "../../../../src/storage/redis/mail/mailbox.ts";
import { createPersonOutbox, type PersonOutbox } from "../../../../src/storage/redis/person/outbox.ts";
import {
  createPersonLog,
  type PersonLog,
  type NumberedEvent,
} from "../../../../src/storage/redis/person/log.ts";
import { letter, numbers } from "../../../mail/letter.ts";
import { makeKnown, openTestLink } from "../members.ts";
import { all, newLegion } from "../places.ts";
import { redisIsThere, startRedis, type Server } from "../servers.ts";

const FULL = mailboxLimit(CONTROL);

let server: Server;
let link: Link;
let legion: string;
let log: PersonLog;
let bus: RedisBus;
/** Of two processes. */
let outboxes: readonly [PersonOutbox, PersonOutbox];

beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());
beforeEach(async () => {
  link = await openTestLink(server.url);
  legion = newLegion();
  log = createPersonLog({ link, legion }, () => 0);
  bus = createRedisBus({ link, legion, tenureOf: () => undefined });
  const outboxOfOne = (): PersonOutbox => createPersonOutbox({ link, legion }, log, bus);
  outboxes = [outboxOfOne(), outboxOfOne()];
});

/** Says it, and delivers nothing. */
async function say(content: string, ...to: AgentId[]): Promise<NumberedEvent> {
  const sends = to.map((id): Message => {
    const unnumbered = messageId({ from: CONTROL, to: id, n: 1 });
    const { message } = letter(id, 1, { from: CONTROL, content });
    return { ...message, id: unnumbered, root: unnumbered, hops: 0 };
  });
  const event: NewEvent = { kind: "notice", reason: "said", content, sends };
  return (await log.add([event]))![0]!;
}

/** From now on the log of agent 0 is another one: its newest numbers may be lost. */
async function loseTail(): Promise<void> {
  await link.command("HSET", agentKeys(legion, CONTROL).meta, "run", "before");
}

async function mailOf(agent: AgentId): Promise<readonly string[]> {
  return (await readRedisMail({ link, legion, agent }, 0)).map(({ message }) => message.content);
}

async function deadLetters(): Promise<readonly unknown[]> {
  const events = await all(readRedisLog({ link, legion, agent: CONTROL }));
  return events.filter((event) => event.kind === "notice" && event.reason === "undeliverable");
}

async function fill(agent: AgentId, count: number): Promise<void> {
  const { mailbox, meta } = agentKeys(legion, agent);
  const message = JSON.stringify(letter(agent, 1).message);
  await Promise.all(
    numbers(count).map((n) => link.command("XADD", mailbox, `0-${n}`, "f", "x", "m", message)),
  );
  await link.command("HSET", meta, "mail", count);
}

describe.skipIf(!redisIsThere)("what agent 0 said before its log had to go on as another one", () => {
  it("comes to its recipient before what was said after", async () => {
    await makeKnown(link, legion, ["1", "2"]);
    const [here] = outboxes;
    await here.deliver([await say("one", "1")]);
    await say("two", "1");
    await say("three", "1");
    await loseTail();
    await here.deliver([await say("four", "1", "2")]);
    expect(await mailOf("1")).toEqual(["one", "two", "three", "four"]);
    expect(await mailOf("2")).toEqual(["four"]);
  });

  it("does so also where another process delivers something later first, and through several such losses", async () => {
    await makeKnown(link, legion, ["1"]);
    await say("one", "1");
    await loseTail();
    await say("two", "1");
    await loseTail();
    await say("three", "1");
    const four = await say("four", "1");
    await outboxes[1].deliver([four]);
    expect(await mailOf("1")).toEqual(["one", "two", "three", "four"]);
    for (const outbox of outboxes) await outbox.deliverForAll();
    expect(await mailOf("1")).toEqual(["one", "two", "three", "four"]);
    expect(await link.command("ZCARD", agentKeys(legion, CONTROL).out)).toBe(0);
  });

  it("is waited for while there is no room for it, and nobody else waits", async () => {
    await makeKnown(link, legion, ["1", "2"]);
    await fill("1", FULL);
    await say("one", "1");
    await loseTail();
    const [here] = outboxes;
    await here.deliver([await say("two", "1", "2")]);
    expect(await mailOf("2")).toEqual(["two"]);
    await link.command("XTRIM", agentKeys(legion, "1").mailbox, "MINID", `0-${FULL}`);
    await here.deliver([await say("three", "1")]);
    expect((await mailOf("1")).slice(1)).toEqual(["one", "two", "three"]);
  });

  it("does not come back where nobody could read it, and keeps nothing waiting", async () => {
    const [here] = outboxes;
    await here.deliver([await say("one", "1")]);
    await loseTail();
    await makeKnown(link, legion, ["1"]);
    await here.deliver([await say("two", "1")]);
    expect(await mailOf("1")).toEqual(["two"]);
  });
});

describe.skipIf(!redisIsThere)("what agent 0 says to somebody who is gone", () => {
  it("is one dead letter, however many nodes find that out at once", async () => {
    const gone = await say("anybody?", "1");
    await Promise.all([outboxes[0].deliver([gone]), outboxes[1].deliverForAll()]);
    for (const outbox of outboxes) await outbox.deliverForAll();
    expect(await deadLetters()).toMatchObject([
      { details: { message: { id: "0>1#1" }, seq: gone.event.seq } },
    ]);
    expect(outboxes.flatMap((outbox) => outbox.undelivered())).toEqual([]);
  });

  it("is one dead letter also while another recipient of the same words has no room", async () => {
    await makeKnown(link, legion, ["2"]);
    await fill("2", FULL);
    const [here] = outboxes;
    await here.deliver([await say("anybody?", "1", "2")]);
    for (const outbox of outboxes) await outbox.deliverForAll();
    await link.command("XTRIM", agentKeys(legion, "2").mailbox, "MINID", `0-${FULL}`);
    for (const outbox of outboxes) await outbox.deliverForAll();
    expect(await deadLetters()).toMatchObject([{ details: { message: { id: "0>1#1" } } }]);
    expect((await mailOf("2")).slice(1)).toEqual(["anybody?"]);
  });
});
