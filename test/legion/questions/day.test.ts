// A day on the clock, with an open question and the mail of other agents behind it.

import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { core } from "../../../modules/core.ts";
import { createDisk } from "../../../src/base/files/disk.ts";
import { MAILBOX_LIMIT } from "../../../src/domain/message/message.ts";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import { LEASE_MS } from "../../../src/storage/redis/cluster/leases.ts";
import { createMemoryBackend } from "../../../src/storage/memory/backend.ts";
import { agent, answer, deploy, questionOf, shop } from "../../agent/act/asking.ts";
import { createHandClock } from "../../hand-clock.ts";
import { watchDisk } from "../../storage/files/watched-disk.ts";
import { newLegion } from "../../storage/redis/places.ts";
import { openNode } from "../../storage/redis/redis-world.ts";
import { redisIsThere, startRedis, tell, until, type Server } from "../../storage/redis/servers.ts";
import { agentKeys } from "../../../src/storage/redis/scripts/keys.ts";
import { createTempProject } from "../../temp-project.ts";
import { createWorld, openWorld, type World, type WorldAgent } from "../../world.ts";

const HOUR_MS = 3_600_000;
const MAIL = 1_000;

let redis: Server | undefined;
beforeAll(async () => {
  if (redisIsThere) redis = await startRedis();
});
afterAll(() => redis?.stop());

type Agents = Readonly<Record<string, WorldAgent>>;
type Clock = ReturnType<typeof createHandClock>;

interface Place {
  readonly world: World;
  /** How often something of a log or a mailbox was read; in memory there is nothing to read. */
  reads(): Promise<number>;
}

const PLACES: Readonly<Record<string, (agents: Agents, clock: Clock) => Promise<Place>>> = {
  async memory(agents, clock) {
    const world = await createWorld(agents, { clock, backend: createMemoryBackend() });
    return { world, reads: () => Promise.resolve(0) };
  },
  async files(agents, clock) {
    const project = await createTempProject();
    let reads = 0;
    const disk = watchDisk(createDisk(join(project, ".ai-legion/tmp")), ({ op, path }) => {
      if ((op === "read" || op === "list") && /[/](log|mailbox)\b/.test(path)) reads++;
    });
    return { world: await openWorld(project, agents, { clock, disk }), reads: () => Promise.resolve(reads) };
  },
  async Redis(agents, clock) {
    const name = newLegion();
    const { mailbox, log } = agentKeys(name, "1");
    const reads = await countReads(redis!.port, [mailbox, log]);
    // So much mail can keep the process longer than the short lease of other tests.
    const home = { leaseMs: LEASE_MS };
    return { world: await openNode(redis!.url, name, agents, { clock, home }), reads };
  },
};

/** Counts how often Redis is asked for what `keys` hold. */
async function countReads(port: number, keys: readonly string[]): Promise<() => Promise<number>> {
  const redis = new Redis({ port, host: "127.0.0.1" });
  const monitor = await redis.monitor();
  onTestFinished(() => [redis, monitor].forEach((each) => each.disconnect()));
  let reads = 0;
  let marks = 0;
  monitor.on("monitor", (_: string, [command = "", key = ""]: readonly string[]) => {
    if (/^(xrange|xrevrange|xread)$/i.test(command) && keys.includes(key)) reads++;
    if (/^echo$/i.test(command)) marks++;
  });
  return async () => {
    // What came before it has been counted then.
    const mark = marks + 1;
    await tell(port, "ECHO", "counted");
    await until(() => marks >= mark);
    return reads;
  };
}

const places = Object.keys(PLACES).filter((name) => name !== "Redis" || redisIsThere);

/** Sends so many messages at once. */
const flood = defineAction({
  description: "Send many messages",
  parameters: { from: z.number(), to: z.number() },
  touches: [],
  async execute({ from, to }, host) {
    for (let n = from; n <= to; n++) await host.send(["1"], `mail ${n}`);
    return ok("sent");
  },
});

/** Agent 1 waits with a question, and all the mail of agent 2 waits behind it. */
async function open(place: string, count: number) {
  const clock = createHandClock();
  const { done, modules } = shop();
  const flooding = [core, defineModule({ name: "flooding", actions: { flood } })];
  const parts = Array.from({ length: count / MAIL }, (_, part) => ({
    calls: [{ action: "flood", parameters: { from: part * MAIL + 1, to: (part + 1) * MAIL } }],
  }));
  const opened = await PLACES[place]!(
    { 1: agent([deploy("prod")], { modules }), 2: { script: parts, modules: flooding } },
    clock,
  );
  const { world } = opened;
  await world.say("1", "go");
  const question = await questionOf(world);
  await world.say("2", "write");
  const { inbox } = world.agent("1");
  await until(() => world.agent("2").outbox.undelivered().length === 0 && inbox.unread === count);
  return { ...opened, clock, done, question };
}

/** What agent 1 was told, oldest first. */
async function told(world: World): Promise<readonly string[]> {
  const mail = await world.kinds("1", "message");
  return mail.filter(({ message }) => message.delivery === "normal").map(({ message }) => message.content);
}

const written = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `mail ${index + 1}`);

describe.each(places)("a question that is open for a day, in %s", (place) => {
  it("keeps a thousand mails of agents unread, in order and unlost, with one timer and no reads", async () => {
    const { world, reads, clock, done, question } = await open(place, MAIL);
    const before = await reads();
    expect(before > 0).toBe(place !== "memory");
    // A node in Redis looks after other things every few seconds, asked or not.
    const ownTimers = (): readonly number[] =>
      clock.sleeping().filter((ms) => place !== "Redis" || ms >= HOUR_MS);
    for (let hour = 1; hour < 24; hour++) {
      clock.advance(HOUR_MS);
      await new Promise((resolve) => setImmediate(resolve));
      expect(ownTimers()).toEqual([(24 - hour) * HOUR_MS]);
      expect(world.agent("1").standing).toMatchObject({ state: "asking", reason: question });
    }
    expect(await reads()).toBe(before);
    expect(world.agent("1").inbox.unread).toBe(MAIL);
    expect(await told(world)).toEqual(["go"]);

    await answer(world, question, "approved");
    await world.idle();
    expect(done).toEqual(["prod"]);
    expect(await told(world)).toEqual(["go", ...written(MAIL)]);
    const [verdict] = (await world.kinds("1", "approval")).filter((event) => event.verdict);
    const [, first] = await world.kinds("1", "message");
    expect(verdict!.seq).toBeLessThan(first!.seq);
    expect(ownTimers()).toEqual([]);
  });
});

describe.each(places)("a mailbox in %s that is full of the mail of agents", { timeout: 90_000 }, (place) => {
  it.each<[string, (world: World, question: string) => Promise<unknown>, readonly string[]]>([
    ["a verdict", (world, question) => answer(world, question, "approved"), ["prod"]],
    ["an abort", (world) => world.legion.control.say(["1"], "stop", "abort"), []],
    ["a word", (world) => world.say("1", "leave that"), []],
  ])("lets %s in, which is heard before all of it", async (_, say, deployed) => {
    const { world, clock, done, question } = await open(place, MAILBOX_LIMIT);
    await say(world, question);
    await world.until((seen) => seen.kind === "event" && seen.agent === "1" && seen.event.kind === "result");
    expect(done).toEqual(deployed);
    clock.advance(HOUR_MS);
    await world.idle();
    const mail = await told(world);
    expect(mail.filter((text) => text.startsWith("mail"))).toEqual(written(MAILBOX_LIMIT));
  });
});
