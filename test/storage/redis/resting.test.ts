// Agents of a node in Redis that are closed while they rest: the right to run them stays, and what comes for them wakes them.

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createClock } from "../../../src/base/clock.ts";
import { createScriptedModel } from "../../../src/model/scripted/scripted.ts";
import type { Link } from "../../../src/storage/redis/connection/link.ts";
import { agentKeys } from "../../../src/storage/redis/scripts/keys.ts";
import { openRedisStore } from "../../../src/storage/redis/store.ts";
import { temporaryFolder, type WorldAgent } from "../../world.ts";
import { cuttable, openTestLink } from "./members.ts";
import { newLegion } from "./places.ts";
import { LEASE_MS, openNode, type RedisNode } from "./redis-world.ts";
import { redisIsThere, startRedis, until, type Server } from "./servers.ts";

const usage = { input: 10, output: 2 };
/** Answers what it is told with one message to Control. */
const answering = (): WorldAgent => ({
  model: createScriptedModel(() => ({ text: "Done.", usage }), { price: { input: 1, output: 1 } }),
});
/** Passes on what it is told first. */
const passingOn = (to: string): WorldAgent => {
  let asked = 0;
  const passOn = { action: "sendMessage", parameters: { targetAgentId: to, message: "go" } };
  const model = createScriptedModel(() => ({ calls: [asked++ === 0 ? passOn : { action: "noop" }], usage }));
  return { protocol: "tools", model };
};

/** @param over what is done otherwise */
function linkOver(real: Link, over: Partial<Link>): Link {
  return {
    ...real,
    get standing() {
      return real.standing;
    },
    ...over,
  };
}

describe.skipIf(!redisIsThere)("an agent of a node in Redis that rests", () => {
  let server: Server;
  beforeAll(async () => void (server = await startRedis()));
  afterAll(() => server.stop());

  async function open(legion: string, agents: Record<string, WorldAgent>, link?: Link): Promise<RedisNode> {
    return openNode(server.url, legion, agents, { closesIdle: true, home: link ? { link } : {} });
  }

  async function close({ legion }: RedisNode, id: string): Promise<void> {
    await until(() => {
      legion.agents.get(id)?.lieDown();
      return legion.agents.get(id)?.isAsleep === true;
    });
    await until(() => legion.agents.get(id)?.agent === undefined);
  }

  /** A person's word, said where nobody runs anything. */
  async function sayElsewhere(legion: string, id: string, content: string, { url } = server): Promise<void> {
    const link = await openTestLink(url);
    const store = await openRedisStore({ link, legion, role: "command", clock: createClock() });
    await store.control.say([id], content);
    await store.close();
  }

  const decisions = async (node: RedisNode, id: string): Promise<number> =>
    (await node.kinds(id, "decision")).length;

  it("is opened by what its node, another process or another agent says, and closed again", async () => {
    const legion = newLegion();
    const node = await open(legion, { "1": answering(), "2": passingOn("1") });
    await close(node, "1");
    await node.say("1", "go");
    await node.idle();
    expect(await decisions(node, "1")).toBe(1);
    await close(node, "1");
    await sayElsewhere(legion, "1", "go");
    await until(async () => (await decisions(node, "1")) === 2);
    await node.idle();
    await close(node, "1");
    await node.say("2", "go");
    await node.idle();
    expect(await decisions(node, "1")).toBe(3);
    const steps = (await decisions(node, "1")) + (await decisions(node, "2"));
    expect(node.legion.budget.spent().steps).toBe(steps);
  });

  it("is told of as if it were open, and obeys a person's word", async () => {
    const node = await open(newLegion(), { "1": answering(), "2": answering() });
    await node.say("1", "go");
    await node.idle();
    const statuses = async () =>
      new Map((await node.legion.statuses("here")).map((status) => [status.id, status]));
    const before = await statuses();
    for (const id of ["1", "2"]) await close(node, id);
    expect(await statuses()).toEqual(before);
    await node.legion.agents.get("1")!.pause("wait");
    await node.say("1", "later");
    await until(async () => (await statuses()).get("1")!.state === "paused");
    await node.legion.agents.get("1")!.resume();
    await node.idle();
    expect(await decisions(node, "1")).toBe(2);
  });

  it("is opened by what came while it was closed, which nobody had told it (Z5)", async () => {
    const legion = newLegion();
    const real = await openTestLink(server.url);
    let meanwhile: (() => Promise<unknown>) | undefined;
    const link = linkOver(real, {
      async run(script, keys, args) {
        if (script.name !== "hear" || !meanwhile) return real.run(script, keys, args);
        const come = meanwhile;
        meanwhile = undefined;
        await come();
        return real.run(script, keys, args);
      },
      // Its node hears of nothing.
      listen: () => Promise.resolve(() => undefined),
    });
    const node = await open(legion, { "1": answering() }, link);
    meanwhile = () => sayElsewhere(legion, "1", "go");
    await until(async () => {
      node.legion.agents.get("1")?.lieDown();
      return (await decisions(node, "1")) === 1;
    });
  });

  it("is opened although the word of its mail was lost, by the renewal of its lease", async () => {
    const legion = newLegion();
    const real = await openTestLink(server.url);
    const link = linkOver(real, { listen: () => Promise.resolve(() => undefined) });
    const node = await open(legion, { "1": answering() }, link);
    await close(node, "1");
    await sayElsewhere(legion, "1", "go");
    await until(async () => (await decisions(node, "1")) === 1);
  });

  it("whose right was just lost is left to whoever takes it next: what is said to it is accepted", async () => {
    const node = await open(newLegion(), { "1": answering() });
    const { tenure } = node.legion.agents.get("1")!.agent!;
    await close(node, "1");
    tenure.end("it was lost");
    await node.say("1", "go");
    await until(async () => (await decisions(node, "1")) === 1);
  });

  it("stays closed where nothing came, however often its lease is renewed", async () => {
    const legion = newLegion();
    const real = await openTestLink(server.url);
    let renewed = 0;
    const link = linkOver(real, {
      async run(script, keys, args) {
        const reply = await real.run(script, keys, args);
        if (script.name === "renew") renewed++;
        return reply;
      },
    });
    const node = await open(legion, { "1": answering() }, link);
    await node.say("1", "go");
    await node.idle();
    await close(node, "1");
    const before = renewed;
    await until(() => renewed > before + 3);
    expect(node.legion.agents.get("1")).toMatchObject({ isAsleep: true, agent: undefined });
  });

  it("reads its mail elsewhere where its node was killed", async () => {
    const legion = newLegion();
    const dead = cuttable(await openTestLink(server.url));
    const first = await open(legion, { "1": answering() }, dead);
    await first.say("1", "go");
    await first.idle();
    await close(first, "1");
    dead.isCut = true;
    await sayElsewhere(legion, "1", "go");
    const second = await open(legion, { "1": answering() });
    await until(async () => (await decisions(second, "1")) === 2);
    await until(() => first.legion.agents.get("1") === undefined);
  });

  it("reads its mail elsewhere where its process was stopped, then killed, and never heard of it", async () => {
    const legion = newLegion();
    const args = [server.url, legion, String(LEASE_MS), await temporaryFolder()];
    const program = join(import.meta.dirname, "resting-process.ts");
    const child = fork(program, args, { execArgv: ["--import", "tsx"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const closed = async (decisions: number): Promise<void> => {
      for (;;) {
        const [told] = (await once(child, "message")) as [{ isClosed: boolean; decisions: number }];
        if (told.isClosed && told.decisions === decisions) return;
      }
    };
    await closed(0);
    await sayElsewhere(legion, "1", "go");
    await closed(1);
    child.kill("SIGSTOP");
    await sayElsewhere(legion, "1", "go");
    child.kill("SIGKILL");
    const second = await open(legion, { "1": answering() });
    await until(async () => (await decisions(second, "1")) === 2);
  });

  it("is handed over as a name, and reads its mail where it is run then", async () => {
    const legion = newLegion();
    const agents = () => ({ "1": answering(), "2": answering() });
    const first = await open(legion, agents());
    for (const id of ["1", "2"]) await close(first, id);
    const second = await open(legion, agents());
    await until(() => first.legion.agents.size === 1 && second.legion.agents.size === 1);
    const [moved = ""] = [...second.legion.agents.keys()];
    await first.say(moved, "go");
    await until(async () => (await decisions(second, moved)) === 1);
    const [stayed = ""] = [...first.legion.agents.keys()];
    await second.say(stayed, "go");
    await until(async () => (await decisions(first, stayed)) === 1);
  });

  it("reads its mail after Redis was restarted, said before and after", async () => {
    const own = await startRedis();
    try {
      const legion = newLegion();
      const cut = cuttable(await openTestLink(own.url));
      const link = linkOver(cut, { listen: () => Promise.resolve(() => undefined) });
      const node = await openNode(
        own.url,
        legion,
        { "1": answering() },
        { closesIdle: true, home: { link } },
      );
      await close(node, "1");
      // Its node hears of nothing any more before Redis is another one.
      cut.isCut = true;
      await sayElsewhere(legion, "1", "go", own);
      await own.restart();
      cut.isCut = false;
      // It may not be back yet.
      const decided = (): Promise<number> => decisions(node, "1").catch(() => 0);
      await until(async () => (await decided()) === 1);
      await node.idle();
      await close(node, "1");
      await node.say("1", "go");
      await until(async () => (await decisions(node, "1")) === 2);
    } finally {
      await own.stop();
    }
  });

  it("does not lie down before what its Redis may have lost of its mail is offered again", async () => {
    const legion = newLegion();
    const real = await openTestLink(server.url);
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let isAsked = false;
    const { meta } = agentKeys(legion, "1");
    const link = linkOver(real, {
      async command(name, ...args) {
        if (name !== "HEXISTS" || args[0] !== meta || args[1] !== "unoffered")
          return real.command(name, ...args);
        isAsked = true;
        await held;
        return real.command(name, ...args);
      },
    });
    const node = await open(legion, { "1": answering() }, link);
    await until(() => isAsked);
    expect(node.legion.agents.get("1")?.mayLieDown()).toBe(false);
    goOn();
    await until(() => node.legion.agents.get("1")?.mayLieDown() === true);
  });
});
