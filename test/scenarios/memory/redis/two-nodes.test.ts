// A scribe on one node, and those whom it listens to, or who read what it keeps, on another one.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { core } from "../../../../modules/core.ts";
import { memory } from "../../../../modules/memory/index.ts";
import { createScriptedModel } from "../../../../src/model/scripted/scripted.ts";
import { legion } from "../../../cli/legion.ts";
import { createHandClock } from "../../../hand-clock.ts";
import { QUIET } from "../../../observed.ts";
import { newLegion } from "../../../storage/redis/places.ts";
import { openNode } from "../../../storage/redis/redis-world.ts";
import { redisIsThere, startRedis, until, type Server } from "../../../storage/redis/servers.ts";
import { createTempProject } from "../../../temp-project.ts";
import { answerTo, MEMORY, obliging, scribeOf, scripted } from "../scribe/listening.ts";
import { contextIn, heardIn } from "./heard.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

/** Writes into the context what it is shown. */
const writing = () =>
  scripted(({ tools, system }, index) =>
    tools[0]?.name === "put_context"
      ? {
          calls: [
            { action: "put_context", parameters: { content: `# Facts\n${/My boat.*/.exec(system)![0]}` } },
          ],
        }
      : answerTo("add_entry", index),
  );

describe.runIf(redisIsThere)("a scribe in a legion of two nodes", () => {
  it("what was told in a session on one node stands in the prompt of another session on another node, which finds it, too", async () => {
    const name = newLegion();
    const here = await openNode(server.url, name, { 1: QUIET, scribe: scribeOf(writing()) });
    await here.say("1", "My boat is called Ada.");
    await here.idle();
    const place = { link: here.link, name };
    expect(await heardIn(place)).toEqual(["0,1 My boat is called Ada."]);
    const cwd = await createTempProject();
    const flushed = await legion(["memory", "flush", "--bus", server.url, "--name", name], { cwd });
    expect(flushed).toMatchObject({ exitCode: 0, err: "" });
    await until(async () => (await contextIn(place)) !== undefined);

    const model = createScriptedModel([
      { calls: [{ action: "searchMemory", parameters: { query: "boat" } }] },
      { text: "Ada." },
    ]);
    const reader = { model, modules: [core, memory], memories: [MEMORY] };
    const there = await openNode(server.url, name, { 2: reader });
    await there.say("2", "What is it called?");
    await until(async () => (await there.kinds("2", "decision")).length === 2);
    expect(model.requests[0]!.system).toContain("> # Facts\n> My boat is called Ada.");
    expect((await there.kinds("2", "result"))[0]!.content).toContain("> My boat is called Ada.");
    // What is said there is heard here.
    await until(async () => (await heardIn(place)).length === 3);
    expect((await heardIn(place)).slice(1)).toEqual(["0,2 What is it called?", "0,2 Ada."]);
  });

  it("hears what an agent on another node said, of whom nothing rings here, within two seconds, and not before it looks", async () => {
    const name = newLegion();
    const clock = createHandClock();
    const here = await openNode(server.url, name, { scribe: scribeOf(obliging()) }, { clock });
    const there = await openNode(server.url, name, { 1: QUIET });
    const place = { link: here.link, name };
    await here.idle();
    expect(await clock.asleep(2_000)).toBe(2_000);
    await there.say("1", "Hello");
    await there.idle();
    clock.advance(1_999);
    await here.idle();
    expect(await heardIn(place)).toEqual([]);
    clock.advance(1);
    await until(async () => (await heardIn(place)).length > 0);
    expect(await heardIn(place)).toEqual(["0,1 Hello"]);
  });
});
