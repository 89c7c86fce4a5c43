import { rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { Event } from "../../../src/domain/event/event.ts";
import type { Inspection } from "../../../src/domain/inspection.ts";
import { behindText, createBehindCount } from "../../../src/legion/observing/behind.ts";
import { createScriptedModel } from "../../../src/model/scripted/scripted.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import { letter } from "../../mail/letter.ts";
import { QUIET } from "../../observed.ts";
import { obliging, scribeOf } from "../../scenarios/memory/scribe/listening.ts";
import { serve } from "../../control/serve.ts";
import { legion } from "../../cli/legion.ts";
import { createWorld, toPlan, type World, type WorldAgent } from "../../world.ts";

const TELLING: WorldAgent = {
  ...QUIET,
  model: createScriptedModel((_, index) => ({
    calls: [{ action: "sendMessage", parameters: { targetAgentId: "2", message: `Number ${index}` } }],
  })),
  limits: { turns: 1 },
};

const behind = async ({ project }: World) =>
  createBehindCount(createFileReader(project))({ observer: "scribe", observe: "all" });

const isEventOf = (seen: Inspection, agent: string, kind: Event["kind"]): boolean =>
  seen.kind === "event" && seen.agent === agent && seen.event.kind === kind;

const said = async (world: World, to: string, ...words: readonly string[]): Promise<void> => {
  for (const word of words) await world.say(to, word);
  await world.idle();
};

describe("how far a scribe is behind", () => {
  it("is nothing before it ever ran, and nothing that was said before it came", async () => {
    const world = await createWorld({ "1": QUIET });
    await said(world, "1", "Long ago");
    expect(await behind(world)).toEqual({ messages: 0, isCut: false });
    const heard = await world.restart({ "1": QUIET, scribe: scribeOf(obliging()) });
    await heard.idle();
    expect(await behind(heard)).toEqual({ messages: 0, isCut: false });
  });

  it("is what was said since it stopped, each message once, also of agents that came later", async () => {
    const world = await createWorld({ "1": TELLING, "2": QUIET, scribe: scribeOf(obliging()) });
    await said(world, "2", "Heard");
    expect(await behind(world)).toEqual({ messages: 0, isCut: false });
    const deaf = await world.restart({ "1": TELLING, "2": QUIET });
    await said(deaf, "1", "Tell 2");
    await deaf.legion.host(toPlan("3", QUIET));
    await said(deaf, "3", "You are new", "And welcome");
    expect(await behind(deaf)).toEqual({ messages: 4, isCut: false });
    const again = await deaf.restart({ "1": QUIET, "2": QUIET, "3": QUIET, scribe: scribeOf(obliging()) });
    await again.idle();
    expect(await behind(again)).toEqual({ messages: 0, isCut: false });
  });

  it("is the whole of the log of an agent that was reset", async () => {
    const world = await createWorld({ "1": QUIET, scribe: scribeOf(obliging()) });
    await said(world, "1", "One", "Two");
    await world.stop();
    await rm(legionPaths(world.project).agent("1"), { recursive: true });
    const again = await world.restart({ "1": QUIET });
    await said(again, "1", "Three");
    expect(await behind(again)).toEqual({ messages: 1, isCut: false });
  });

  it("goes beyond what a running one reads ahead, and is told by `legion ps`", async () => {
    const stuck = createScriptedModel(() => new Promise(() => undefined));
    const world = await createWorld({ "1": QUIET, scribe: scribeOf(stuck) });
    const { close } = await serve(world);
    for (let n = 1; n <= 300; n++) await world.say("1", `Word ${n}`);
    await world.until((seen) => isEventOf(seen, "scribe", "prompted"));
    await world.until((seen) => isEventOf(seen, "1", "message") && JSON.stringify(seen).includes("Word 300"));
    const [, live] = (await legion(["ps", "--json"], { cwd: world.project })).json;
    await close();
    expect(live).toMatchObject({ id: "scribe", behind: 299 });
    world.legion.interrupt();
    await world.stop();
    const { json } = await legion(["ps", "--json"], { cwd: world.project });
    expect(json).toMatchObject([{ id: "1" }, { id: "scribe", state: "stopped", behind: 299 }]);
    expect(json[0]).not.toHaveProperty("behind");
    expect((await legion(["ps"], { cwd: world.project })).out).toMatch(/^ {3}299 behind$/m);
  });

  it("is counted no further than so many, however much there is", async () => {
    let read = 0;
    const reader = createFileReader((await createWorld({})).project);
    const events = async function* (agent: string): AsyncGenerator<Event> {
      const at = "2026-01-01T00:00:00.000Z";
      yield { kind: "opened", format: 1, log: `log of ${agent}`, seals: {}, seq: 1, epoch: 1, at };
      for (let n = 1; agent === "1"; n++) {
        read++;
        yield { kind: "message", ...letter("1", n, { from: "0" }), mail: n, seq: n + 1, epoch: 1, at };
      }
      const of = { agent: "1", log: "", seq: 0 };
      yield { kind: "observed", of, from: "", control: "observe", thread: "", n: 0, seq: 2, epoch: 1, at };
    };
    const known = () => Promise.resolve(["1", "scribe"]);
    const last = () => Promise.resolve(Infinity);
    const record = () => Promise.resolve({});
    const count = createBehindCount({ ...reader, events, known, last, record });
    const found = await count({ observer: "scribe", observe: "all" });
    expect(behindText(found)).toBe("10,000+");
    expect(read).toBeLessThan(11_000);
  });
});
