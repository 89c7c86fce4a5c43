import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { core } from "../../../modules/core.ts";
import { createLocalEnvironment } from "../../../src/environment/local.ts";
import { LegionError } from "../../../src/base/errors.ts";
import { agentKeys, legionKeys } from "../../../src/storage/redis/scripts/keys.ts";
import type { Link } from "../../../src/storage/redis/connection/link.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import { SHUTDOWN } from "../../../src/base/process/signals.ts";
import { createHandClock } from "../../hand-clock.ts";
import { byHand, temporaryFolder } from "../../world.ts";
import { cuttable, openTestLink } from "./members.ts";
import { ACT, hanging } from "./hanging.ts";
import { newLegion } from "./places.ts";
import { LEASE_MS, openNode } from "./redis-world.ts";
import { redisIsThere, startRedis, until, type Server } from "./servers.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

const NOOP = { calls: [{ action: "noop" }] };

/** A link on which some scripts fail. */
function failing(link: Link, fails: (name: string, args: readonly unknown[]) => boolean): Link {
  return {
    ...link,
    get standing() {
      return link.standing;
    },
    run: (script, keys, args) =>
      fails(script.name, args)
        ? Promise.reject(new LegionError("STORAGE", "out of reach"))
        : link.run(script, keys, args),
  };
}

describe.skipIf(!redisIsThere)("a node that is told to end", () => {
  it("does not wait for its agents to find their places first", async () => {
    const link = cuttable(await openTestLink(server.url));
    const away = failing(link, (name) => name === "attend");
    const node = await openNode(
      server.url,
      newLegion(),
      { 1: { script: () => NOOP } },
      { home: { link: away } },
    );
    const told = new AbortController();
    const idle = node.legion.untilIdle(told.signal);
    told.abort();
    await idle;
  });

  it("closes everything, whatever closes badly, and says what did", async () => {
    const broken = { ...core, instructions: () => "" };
    const node = await openNode(server.url, newLegion(), {
      1: { script: () => NOOP, modules: [broken] },
    });
    await until(() => node.legion.agents.get("1")?.standing.state === "idle");
    node.agent("1").modules.onClose(() => Promise.reject(new Error("its page does not close")));
    await expect(node.stop()).rejects.toThrow("its page does not close");
    const lock = await readFile(join(legionPaths(node.project).lock, "1"), "utf8");
    expect(JSON.parse(lock)).toMatchObject({ released: true });
  });
});

describe.skipIf(!redisIsThere)("a node that cannot begin", () => {
  it.each(["limit", "listen"])("leaves nothing at work behind where Redis goes away (%s)", async (step) => {
    const real = await openTestLink(server.url);
    const link: Link = {
      ...failing(real, (name) => name === step),
      listen: (channel, listener) =>
        step === "listen" && channel.endsWith("wake")
          ? Promise.reject(new LegionError("STORAGE", "out of reach"))
          : real.listen(channel, listener),
    };
    const clock = createHandClock();
    const starting = openNode(server.url, newLegion(), { 1: {} }, { clock, home: { link } });
    await expect(starting).rejects.toThrow("out of reach");
    expect(clock.sleeping()).toEqual([]);
  });
});

describe.skipIf(!redisIsThere)("a node that has lost an agent", () => {
  it("tells nobody that something is wrong with it, and takes it anew where it may", async () => {
    const legion = newLegion();
    const node = await openNode(server.url, legion, { 1: { script: () => NOOP } });
    // Its purse is at a later epoch: another process had it, or this server has lost what it knew of its epochs.
    await node.link.command("HSET", legionKeys(legion).spent, "agent:1", "2 0 0 0 0");
    await node.say("1", "Think.");
    await until(async () => (await node.kinds("1", "decision")).length === 1);
    const told = (await node.events("0")).flatMap((event) =>
      event.kind === "notice" && event.reason === "announced" ? [event.content] : [],
    );
    expect(told).toEqual([]);
    expect(node.agent("1").tenure.epoch).toBe(2);
  });

  it("can take it again where the first word about that could not be written", async () => {
    let isTold = false;
    const link = failing(await openTestLink(server.url), (name, args) => {
      const isWord = name === "commit" && args.some((arg) => String(arg).includes('"restarted"'));
      const fails = isWord && !isTold;
      isTold ||= isWord;
      return fails;
    });
    const { state, modules } = hanging(1);
    const agents = { 1: { script: [ACT, NOOP], modules } };
    const node = await openNode(server.url, newLegion(), agents, { home: { link } });
    await node.say("1", "Act.");
    await until(() => state.runs === 1);
    node.agent("1").tenure.end("the line was cut");
    await until(async () => (await node.kinds("1", "decision")).length === 2);
    expect(isTold).toBe(true);
  });
});

describe.skipIf(!redisIsThere)("a node whose time with an agent is over before it knows", () => {
  it("tells nobody of what then went wrong with it", async () => {
    let asked = 0;
    const script = () => {
      if (++asked > 1) return NOOP;
      const endsAt = performance.now() + LEASE_MS;
      while (performance.now() < endsAt);
      throw new LegionError("STORAGE", "out of reach");
    };
    const node = await openNode(server.url, newLegion(), { 1: { script } });
    await node.say("1", "Think.");
    await until(async () => (await node.kinds("1", "decision")).length === 1);
    const told = (await node.events("0")).filter(
      (event) => event.kind === "notice" && event.reason === "announced",
    );
    expect(told).toEqual([]);
  });

  it("ends a command at once, without time to clean up", async () => {
    const folder = await temporaryFolder();
    const stop = new AbortController();
    const environment = createLocalEnvironment(process.env);
    const command = "trap 'echo cleaned; exit 0' TERM; echo begun; (trap '' TERM; exec sleep 1000) & wait";
    const begun = byHand();
    const trace = { mark: randomUUID(), print: () => begun.resolve() };
    const running = environment.execute(command, {
      cwd: folder,
      timeoutMs: 60_000,
      signal: stop.signal,
      trace,
    });
    await begun.promise;
    stop.abort(SHUTDOWN);
    expect(await running).toEqual({ output: "begun\n", exitCode: null, ended: "aborted" });
  });
});

describe.skipIf(!redisIsThere)("what a person says while Redis goes away", () => {
  it("is said once it stands in the log, also where it could not be delivered at once", async () => {
    const legion = newLegion();
    let isAway = true;
    const link = failing(await openTestLink(server.url), (name) => name === "deliver" && isAway);
    const node = await openNode(server.url, legion, { 1: { script: () => NOOP } }, { home: { link } });
    expect(await node.say("1", "Hello.")).toEqual(["0>1#1"]);
    isAway = false;
    await until(async () => (await node.kinds("1", "message")).length === 1);
    expect(await node.link.command("ZCARD", agentKeys(legion, "0").out)).toBe(0);
  });
});
