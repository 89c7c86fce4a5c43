// A Redis that may lose what it acknowledged has lost the end of a log: of one that a scribe listens to, or of its memory.

import { describe, expect, it } from "vitest";
import { POLITE, QUIET } from "../../../observed.ts";
import { openNode, type RedisNode } from "../../../storage/redis/redis-world.ts";
import { redisIsThere } from "../../../storage/redis/servers.ts";
import type { WorldAgent } from "../../../world.ts";
import { MEMORY, obliging, scribeOf } from "../scribe/listening.ts";
import { contextIn, entriesIn, eventually, expectHeard, messagesIn, wordsIn } from "./heard.ts";
import { startLosingCluster, type LosingCluster } from "./losing.ts";

const MINUTE_MS = 60_000;

const starting = ({ url, name }: LosingCluster) => ({
  node: (agents: Readonly<Record<string, WorldAgent>>) =>
    openNode(url, name, agents, { home: { durability: "weak" } }),
  scribe: { scribe: scribeOf(obliging()) },
});

/** Says something to agent 1 as soon as that is possible, and waits for the answer, or for it to have heard. */
async function talk({ say, events }: RedisNode, word: string): Promise<void> {
  let isSaid = false;
  await eventually(async () => {
    isSaid ||= (await say("1", word)).length > 0;
    const all = await events("1");
    const heard = all.findIndex((event) => event.kind === "message" && event.message.content === word);
    return heard !== -1 && all.slice(heard).some(({ kind }) => kind === "decision");
  });
}

/** Resolves when the scribe has said so often from where on it listens to agent 1. */
const joined = ({ kinds }: RedisNode, times: number): Promise<void> =>
  eventually(async () => {
    const observed = await kinds("scribe", "observed");
    return observed.filter(({ control, of }) => control === "observe" && of.agent === "1").length === times;
  });

describe.runIf(redisIsThere)(
  "a scribe that listens to a log whose end was lost",
  { timeout: MINUTE_MS },
  () => {
    it("reads it again where it is shorter than the scribe had come, with nothing twice and what is said there anew", async () => {
      const cluster = await startLosingCluster("1", ["0", "scribe", MEMORY]);
      const { node, scribe } = starting(cluster);
      const ears = await node(scribe);
      const place = { link: ears.link, name: cluster.name };
      const before = await node({ 1: POLITE });
      await talk(before, "One");
      await eventually(async () => (await entriesIn(place)).length === 2);
      cluster.mark();
      for (const word of ["Two", "Three"]) await talk(before, word);
      await eventually(async () => (await entriesIn(place)).length === 6);
      await before.stop();
      await cluster.lose();
      // Nobody runs the agent: its log is as short as it was left.
      await joined(ears, 2);
      const again = await node({ 1: POLITE });
      await talk(again, "Four");
      await expectHeard(place, again);
      expect(await wordsIn(place)).toEqual(["One", "Two", "Three", "Four"]);
    });

    it("has what was said under numbers that were lost also where the log is longer again by the time it looks", async () => {
      const cluster = await startLosingCluster("1", ["0", "scribe", MEMORY]);
      const { node, scribe } = starting(cluster);
      const ears = await node(scribe);
      const mouth = await node({ 1: POLITE });
      const place = { link: mouth.link, name: cluster.name };
      await talk(mouth, "One");
      await eventually(async () => (await entriesIn(place)).length === 2);
      cluster.mark();
      for (const word of ["Two", "Three", "Four", "Five"]) await talk(mouth, word);
      await eventually(async () => (await entriesIn(place)).length === 10);
      await ears.stop();
      const lost = (await mouth.events("1")).length;
      await cluster.lose();
      for (const word of ["Six", "Seven", "Eight", "Nine"]) await talk(mouth, word);
      expect((await mouth.events("1")).length).toBeGreaterThan(lost);
      await node(scribe);
      await expectHeard(place, mouth);
      expect(await wordsIn(place)).toEqual([
        "One",
        "Two",
        "Three",
        "Four",
        "Five",
        "Six",
        "Seven",
        "Eight",
        "Nine",
      ]);
    });

    it("hears what is said in one that lost what was there when the scribe came", async () => {
      const cluster = await startLosingCluster("1", ["0", "scribe", MEMORY]);
      const { node, scribe } = starting(cluster);
      const before = await node({ 1: QUIET });
      await talk(before, "Long ago");
      cluster.mark();
      for (const word of ["Then", "And then", "And then again"]) await talk(before, word);
      await before.stop();
      const ears = await node(scribe);
      const place = { link: ears.link, name: cluster.name };
      await joined(ears, 1);
      await cluster.lose();
      await joined(ears, 2);
      const after = await node({ 1: QUIET });
      await talk(after, "Now");
      await eventually(async () => (await wordsIn(place)).includes("Now"));
      const words = await wordsIn(place);
      expect(words).toEqual([...new Set(words)]);
      expect(words).not.toContain("Long ago");
    });
  },
);

describe.runIf(redisIsThere)("a scribe whose memory lost its end", { timeout: MINUTE_MS }, () => {
  it("sends it again what it had sent there, and each message is one entry, in order", async () => {
    const cluster = await startLosingCluster(MEMORY, ["0", "1", "scribe"]);
    const { node, scribe } = starting(cluster);
    const ears = await node({ ...scribe, 1: POLITE });
    const place = { link: ears.link, name: cluster.name };
    await talk(ears, "One");
    await eventually(async () => (await entriesIn(place)).length === 2);
    cluster.mark();
    // The sixth has the context made, which is lost as well.
    for (const word of ["Two", "Three"]) await talk(ears, word);
    await eventually(async () => (await contextIn(place)) !== undefined);
    const before = [await messagesIn(place), await contextIn(place)];
    await cluster.lose();
    await eventually(async () => (await contextIn(place)) !== undefined);
    expect([await messagesIn(place), await contextIn(place)]).toEqual(before);
    await talk(ears, "Four");
    await eventually(async () => (await entriesIn(place)).length === 8);
    await expectHeard(place, ears);
    expect(await wordsIn(place)).toEqual(["One", "Two", "Three", "Four"]);
  });
});
