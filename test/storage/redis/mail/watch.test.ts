// What wakes an agent whose mailbox its process has closed, each way alone.

import { getEventListeners } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LegionError } from "../../../../src/base/errors.ts";
import type { Tenure } from "../../../../src/domain/lease.ts";
import type { Link } from "../../../../src/storage/redis/connection/link.ts";
import { openRedisLog } from "../../../../src/storage/redis/log/log.ts";
import { createRedisBus, type RedisBus } from "../../../../src/storage/redis/mail/bus.ts";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import { deliver } from "../../../../src/storage/redis/scripts/mail.ts";
import { letter } from "../../../mail/letter.ts";
import { openTestLink } from "../members.ts";
import { grant, newLegion } from "../places.ts";
import { redisIsThere, startRedis, until, type Server } from "../servers.ts";

const DEAF: Partial<Link> = { listen: () => Promise.resolve(() => undefined) };

interface Stage {
  readonly bus: RedisBus;
  readonly tenures: Readonly<Record<"a" | "b", Tenure>>;
  /** What somebody else delivers. */
  deliver(to: "a" | "b", n: number): Promise<unknown>;
  /** Has `a` woken so often? */
  readonly woken: { count: number };
  watch(): Promise<void>;
  /** Whatever was said until now has been heard. */
  allHeard(): Promise<void>;
}

describe.skipIf(!redisIsThere)("the mailbox of an agent that is closed wakes it", () => {
  let server: Server;
  beforeAll(async () => void (server = await startRedis()));
  afterAll(() => server.stop());

  /** @param over what its link does otherwise, once everything is open */
  async function open(over: (link: Link, stage: Pick<Stage, "deliver">) => Partial<Link> = () => ({})) {
    const link = await openTestLink(server.url);
    const legion = newLegion();
    const own = (agent: "a" | "b"): Promise<Tenure> => grant({ link, legion, agent });
    const tenures = { a: await own("a"), b: await own("b") };
    for (const agent of ["a", "b"])
      await link.command("HSET", agentKeys(legion, agent).meta, "known", 1, "ear", "nobody's");
    const deliverTo: Stage["deliver"] = (agent, n) => deliver({ link, legion, agent }, [letter(agent, n)]);
    const changed = { ...link, ...over(link, { deliver: deliverTo }) };
    const bus = createRedisBus({ link: changed, legion, tenureOf: (id) => tenures[id as "a" | "b"] });
    const woken = { count: 0 };
    const stage: Stage = {
      ...{ bus, tenures, woken },
      deliver: deliverTo,
      watch: () => bus.watch(tenures.a, () => void woken.count++),
      async allHeard() {
        let isHeard = false;
        await bus.watch(tenures.b, () => void (isHeard = true));
        await deliverTo("b", 1);
        await until(() => isHeard);
      },
    };
    /** Takes in what waits for `a`. */
    const takeIn = async (): Promise<void> => {
      const inbox = await bus.open("a");
      const log = await openRedisLog(
        { link, legion, agent: "a", tenure: tenures.a, now: () => 0 },
        () => undefined,
      );
      const mail = inbox.peek(Infinity);
      await log.append(
        mail.map(({ position, from, message }) => ({ kind: "message", message, mail: position, from })),
      );
      inbox.taken(mail.at(-1)!.position);
      await inbox.close();
    };
    return { ...stage, takeIn };
  }

  it("for what was delivered before anybody listened", async () => {
    const { watch, deliver, woken } = await open(() => DEAF);
    await deliver("a", 1);
    await watch();
    expect(woken.count).toBe(1);
  });

  it("once for what is delivered later", async () => {
    const { watch, deliver, woken, allHeard } = await open();
    await watch();
    expect(woken.count).toBe(0);
    await deliver("a", 1);
    await deliver("a", 2);
    await allHeard();
    expect(woken.count).toBe(1);
  });

  it("for what is heard of before the answer to how far it goes", async () => {
    let isHeard = false;
    const { watch, woken } = await open((link, { deliver }) => ({
      async run(script, keys, args) {
        const reply = await link.run(script, keys, args);
        if (script.name !== "hear") return reply;
        await deliver("a", 1);
        await until(() => isHeard);
        return reply;
      },
      listen: (channel, hear) =>
        link.listen(channel, (text) => {
          hear(text);
          isHeard = true;
        }),
    }));
    await watch();
    expect(woken.count).toBe(1);
  });

  it("for what its own process delivers, before that is told to be delivered", async () => {
    const { watch, bus, woken } = await open(() => DEAF);
    await watch();
    await bus.send(letter("a", 1));
    expect(woken.count).toBe(1);
  });

  it("for what the renewal of the lease tells, and nobody had heard of", async () => {
    const { watch, bus, deliver, woken } = await open(() => DEAF);
    await watch();
    await deliver("a", 1);
    bus.heard("a", 1);
    expect(woken.count).toBe(1);
  });

  it("not for what was taken in, whoever tells of it again, and whenever", async () => {
    let tell = (): void => undefined;
    const { watch, bus, deliver, takeIn, woken, allHeard } = await open((link) => ({
      run(script, ...rest) {
        if (script.name === "hear") tell();
        return link.run(script, ...rest);
      },
    }));
    await deliver("a", 1);
    await takeIn();
    tell = () => bus.heard("a", 1);
    await watch();
    tell();
    await allHeard();
    expect(woken.count).toBe(0);
    await deliver("a", 2);
    await until(() => woken.count === 1);
  });

  it("not while its reader reads for itself", async () => {
    const { watch, bus, deliver, woken, allHeard } = await open();
    await watch();
    const inbox = await bus.open("a");
    await deliver("a", 1);
    bus.heard("a", 1);
    await allHeard();
    expect([woken.count, inbox.unread]).toEqual([0, 1]);
  });

  it("not where the right to run it is lost, and holds nothing of it", async () => {
    const { watch, bus, tenures, deliver, woken, allHeard } = await open();
    await watch();
    tenures.a.end("the test says so");
    await deliver("a", 1);
    bus.heard("a", 1);
    await allHeard();
    expect(woken.count).toBe(0);
    await expect(watch()).rejects.toMatchObject({ code: "STORAGE" });
    bus.heard("a", 2);
    expect(woken.count).toBe(0);
  });

  it("not where it could not be asked how far it goes, and holds nothing of it", async () => {
    const { watch, bus, tenures, woken } = await open((link) => ({
      run: (script, ...rest) =>
        script.name === "hear"
          ? Promise.reject(new LegionError("STORAGE", "out of reach"))
          : link.run(script, ...rest),
    }));
    const held = (): number => getEventListeners(tenures.a.lost, "abort").length;
    const before = held();
    await expect(watch()).rejects.toMatchObject({ code: "STORAGE" });
    expect(held()).toBe(before);
    bus.heard("a", 1);
    expect(woken.count).toBe(0);
  });

  it("and lets go of the right that outlives it when it has woken it", async () => {
    const { watch, deliver, tenures, woken } = await open();
    const held = (): number => getEventListeners(tenures.a.lost, "abort").length;
    const before = held();
    await watch();
    await deliver("a", 1);
    await until(() => woken.count === 1);
    expect(held()).toBe(before);
  });
});
