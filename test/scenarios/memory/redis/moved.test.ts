// An agent that a scribe listens to runs here and there, goes on from an earlier moment, and begins anew.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../../../src/model/scripted/scripted.ts";
import { createHandClock } from "../../../hand-clock.ts";
import { POLITE, QUIET } from "../../../observed.ts";
import { openTestLink } from "../../../storage/redis/members.ts";
import { newLegion } from "../../../storage/redis/places.ts";
import { openNode, type RedisNode } from "../../../storage/redis/redis-world.ts";
import { redisIsThere, startRedis, until, type Server } from "../../../storage/redis/servers.ts";
import { NOOP } from "../../../workshop.ts";
import type { WorldAgent } from "../../../world.ts";
import { obliging, scribeOf } from "../scribe/listening.ts";
import { expectHeard, heardIn, messagesIn, wordsIn } from "./heard.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

/** What the person and the agent say to each other, as the memory has it. */
const exchange = (...words: readonly string[]): readonly string[] =>
  words.flatMap((word) => [`0,1 ${word}`, `0,1 You said: ${word}`]);

async function begin() {
  const name = newLegion();
  const ears = await openNode(server.url, name, { scribe: scribeOf(obliging()) });
  const place = { link: await openTestLink(server.url), name };
  const start = () => openNode(server.url, name, { 1: POLITE });
  const heard = async (count: number): Promise<readonly string[]> => {
    await until(async () => (await heardIn(place)).length >= count);
    const messages = await messagesIn(place);
    expect(new Set(messages).size).toBe(messages.length);
    return heardIn(place);
  };
  /** Removes all that there is of agent 1. */
  const reset = async (): Promise<void> => {
    const keys = (await place.link.command("KEYS", `lg:{${name}:1}*`)) as readonly string[];
    await place.link.command("DEL", ...keys);
  };
  return { ears, place, start, heard, reset };
}

const runsAt = (node: RedisNode): Promise<void> =>
  until(() => node.legion.agents.get("1")?.agent !== undefined);

describe.runIf(redisIsThere)("a scribe that listens to an agent", () => {
  it("has each message once where that agent moves from node to node while it is talked to, and back", async () => {
    const { start, heard } = await begin();
    let node = await start();
    const words = ["One", "Two", "Three", "Four"];
    for (const [index, word] of words.entries()) {
      const next = await start();
      await Promise.all([node.say("1", word), node.stop()]);
      await runsAt(next);
      node = next;
      await heard(2 * (index + 1));
    }
    expect(await heard(2 * words.length)).toEqual(exchange(...words));
  });

  it("has what it says after a fork, and nothing of the past twice", async () => {
    const { start, heard } = await begin();
    const node = await start();
    await node.say("1", "One");
    await heard(2);
    const [{ seq } = { seq: 0 }] = await node.kinds("1", "decision");
    const forking = await node.legion.fork({ agent: "1", at: seq });
    await forking.done;
    const next = await start();
    await node.stop();
    await runsAt(next);
    await next.say("1", "Two");
    expect(await heard(4)).toEqual(exchange("One", "Two"));
  });

  it("reads its log from the beginning where that began anew while the scribe ran", async () => {
    const { place, start, heard, reset } = await begin();
    const before = await start();
    for (const word of ["One", "Two", "Three"]) {
      await before.say("1", word);
      await before.idle();
    }
    await heard(6);
    await before.stop();
    await reset();
    const again = await start();
    await again.say("1", "Four");
    // What the person said goes there again, and is answered again.
    await until(async () => (await wordsIn(place)).includes("Four"));
    await expectHeard(place, again);
    expect(await wordsIn(place)).toEqual(["One", "Two", "Three", "Four"]);
  });

  it("reads its log from the beginning where that began anew, and has grown longer, while nobody listened", async () => {
    const { ears, place, start, heard, reset } = await begin();
    const before = await start();
    await before.say("1", "One");
    await heard(2);
    await before.stop();
    await ears.stop();
    await reset();
    const again = await start();
    for (const word of ["Two", "Three", "Four"]) {
      await again.say("1", word);
      await again.idle();
    }
    await openNode(server.url, place.name, { scribe: scribeOf(obliging()) });
    await expectHeard(place, again);
    expect(await wordsIn(place)).toEqual(["One", "Two", "Three", "Four"]);
  });

  it("reads what two say to each other in the log of the other one, where only that is observed now, though it had come further there", async () => {
    const name = newLegion();
    const place = { link: await openTestLink(server.url), name };
    const [clock, ahead] = [createHandClock(), createHandClock()];
    ahead.advance(60_000);
    const send = (message: string): ScriptedAnswer => ({
      calls: [{ action: "sendMessage", parameters: { targetAgentId: "2", message } }],
    });
    const sending = [send("Zero"), NOOP, send("One"), NOOP];
    const listeningTo = (observe: readonly string[], limits = {}) => ({
      2: QUIET,
      scribe: scribeOf(obliging(), { observe, limits }),
    });
    const both = ["1", "2"];
    const start = (agents: Readonly<Record<string, WorldAgent>>) =>
      openNode(server.url, name, agents, { clock });
    const first = await start(listeningTo(both));
    const there = await openNode(server.url, name, { 1: { ...QUIET, script: sending } }, { clock: ahead });
    await there.say("1", "Write to 2");
    await until(async () => (await heardIn(place)).length === 2);
    await first.stop();
    const deaf = await start({ 2: QUIET });
    await there.say("1", "Write again");
    await until(async () => (await deaf.kinds("2", "message")).length === 2);
    // By the clock here this was said before that.
    for (const word of ["Two", "Three"]) await deaf.say("2", word);
    await deaf.idle();
    await deaf.stop();
    // Its fourth question is one too many.
    const before = await start(listeningTo(both, { steps: 3 }));
    await until(() => before.legion.agents.get("scribe")?.standing.state === "parked");
    expect(await heardIn(place)).toEqual(["0,1 Write to 2", "1,2 Zero", "0,2 Two"]);
    await before.stop();
    await start(listeningTo(["2"]));
    await until(async () => (await heardIn(place)).length === 5);
    expect((await heardIn(place)).slice(3)).toEqual(["0,2 Three", "1,2 One"]);
  });
});
