// Legions that spend from their person's purse.

import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClock, type Clock } from "../../../src/base/clock.ts";
import { createDisk } from "../../../src/base/files/disk.ts";
import { takeLock } from "../../../src/storage/folder/lock.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import { openPersonPurse, settleHome } from "../../../src/legion/opening/purse.ts";
import { readPersonConfig } from "../../../src/config/files/person-config.ts";
import { liveStatus } from "../../../src/legion/status.ts";
import type { Script, ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { openPersonFolder, type PersonFolder } from "../../../src/storage/folder/person/folder.ts";
import { createHandClock } from "../../hand-clock.ts";
import { NOOP } from "../../spending.ts";
import { strand, written } from "../../storage/folder/person/purse/purses.ts";
import { createTempProject } from "../../temp-project.ts";
import { byHand, openWorld, temporaryFolder, type World, type WorldAgent } from "../../world.ts";

/** A dollar for a million tokens. A call reserves its prompt, which is small, and all that it may answer: 20 cents. */
const PROFILE = { price: { input: 1, output: 1 }, window: 2_000_000, maxOutput: 200_000 };
const USAGE = { input: 0, output: 100_000 };

/** Never done, and each of its decisions costs 10 cents. */
function busy(_: unknown, index: number): ScriptedAnswer {
  return { calls: [{ action: "writeNote", parameters: { title: `n${index}`, content: "x" } }], usage: USAGE };
}

interface Person {
  readonly config: string;
  readonly folder: PersonFolder;
  say(settings: string): Promise<void>;
  open(agents: Readonly<Record<string, WorldAgent>>, project?: string): Promise<World>;
}

async function createPerson(settings: string, clock: Clock = createClock()): Promise<Person> {
  const config = await createTempProject();
  const folder = openPersonFolder({ XDG_CONFIG_HOME: config });
  const say = async (text: string): Promise<void> => {
    await mkdir(join(config, "ai-legion"), { recursive: true, mode: 0o700 });
    await writeFile(join(config, "ai-legion/config.yaml"), text, { mode: 0o600 });
  };
  await say(settings);
  return {
    config,
    folder,
    say,
    async open(agents, given) {
      const project = given ?? (await temporaryFolder());
      const { limits = {} } = await readPersonConfig(folder);
      const place = { person: folder, clock, home: project, reader: createFileReader(project) };
      return openWorld(project, agents, { clock, purse: await openPersonPurse(limits, place) });
    },
  };
}

describe("a purse over two projects", () => {
  it("is spent by the agents of both, each call from an account that the log names, and no further (G1)", async () => {
    const person = await createPerson("limits: { day: { cost: 2 } }");
    let begun = 0;
    const allHave = byHand();
    /** Nobody spends all of it before each of the four has begun. */
    const script: Script = async (request, index) => {
      if (index === 0 && ++begun === 4) allHave.resolve();
      await allHave.promise;
      return busy(request, index);
    };
    const team = { 1: { script, profile: PROFILE }, 2: { script, profile: PROFILE } };
    const worlds = [await person.open(team), await person.open(team)];
    for (const world of worlds) await world.say("all", "Go.");
    await Promise.all(worlds.map((world) => world.idle()));
    const spent = worlds.map(({ legion }) => legion.budget.spent().cost).reduce((a, b) => a + b);
    expect(spent).toBeLessThanOrEqual(2);
    expect(spent).toBeGreaterThan(1.5);
    const [notice] = await worlds[0]!.kinds("1", "notice");
    expect(notice).toMatchObject({
      reason: "parked-limit",
      content: expect.stringMatching(
        /^your agents in all projects may spend 2 USD a day, as your own config/,
      ),
      details: { limit: "cost", until: expect.any(String) },
    });
    for (const world of worlds) await world.stop();
    expect(written(person.config)).toMatchObject({ spent: expect.closeTo(spent, 9), allotted: 0 });
    const accounts = (await worlds[0]!.kinds("1", "prompted")).map(({ purse }) => purse);
    expect(new Set(accounts).size).toBe(1);
    expect(accounts[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("without one nothing of it is in the log, and no book is made", async () => {
    const person = await createPerson("limits: { cost: 1 }");
    const world = await person.open({ 1: { script: [NOOP], profile: PROFILE } });
    await world.say("1", "Go.");
    await world.idle();
    expect(await world.kinds("1", "prompted")).not.toHaveProperty("0.purse");
    expect(() => written(person.config)).toThrow("ENOENT");
  });
});

describe("what a killed program of another project had set aside", () => {
  /** It has spent 10 cents of 50 that it may spend. */
  async function killed() {
    const person = await createPerson("limits: { day: { cost: 0.6 } }");
    const world = await person.open({ 1: { script: [busy(0, 0), "Done."], profile: PROFILE } });
    await world.say("1", "Go.");
    await world.idle();
    const [{ purse = "" } = {}] = await world.kinds("1", "prompted");
    await world.stop();
    const { root, lock, tmp } = legionPaths(world.project);
    await strand(person.config, root, purse);
    return { person, home: root, open: () => takeLock(lock, createDisk(tmp), { role: "node", waitMs: 0 }) };
  }
  const stepsOf = async (person: Person): Promise<number> => {
    const world = await person.open({ 1: { script: busy, profile: PROFILE } });
    await world.say("1", "Go.");
    await world.idle();
    return world.agent("1").memory.ledger.spent.steps;
  };

  it("stays so while somebody has its home open", async () => {
    const { person, home, open } = await killed();
    const lock = await open();
    onTestFinished(() => lock.release());
    expect(await stepsOf(person)).toBe(0);
    expect(written(person.config, home)).toMatchObject({ spent: 0, allotted: expect.closeTo(0.5, 2) });
  });

  it("goes back, but for what its logs say, once nobody has", async () => {
    const { person, home } = await killed();
    expect(await stepsOf(person)).toBe(3);
    expect(written(person.config, home)).toMatchObject({ spent: expect.closeTo(0.1, 2), allotted: 0 });
  });

  it("goes back where its folder is gone", async () => {
    const { person, home } = await killed();
    await rename(home, `${home}-elsewhere`);
    expect(await stepsOf(person)).toBe(4);
    expect(written(person.config, home)).toMatchObject({ spent: 0, allotted: 0 });
  });

  it("goes back before its folder is deleted", async () => {
    const { person, home } = await killed();
    await settleHome(home, person.folder, Date.now());
    expect(written(person.config, home)).toMatchObject({ spent: expect.closeTo(0.1, 2), allotted: 0 });
  });
});

describe("an agent whose person's limit is reached", () => {
  it("goes on by itself when the day turns, and not for mail", async () => {
    const clock = createHandClock();
    const person = await createPerson("limits: { day: { cost: 0.25 } }", clock);
    const world = await person.open({ 1: { script: busy, profile: PROFILE } });
    await world.say("1", "Go.");
    await world.idle();
    await world.say("1", "Go on.");
    await world.idle();
    const { memory } = world.agent("1");
    expect(memory.ledger.spent.steps).toBe(1);
    const until = Date.parse(memory.conversation.halt!.until!);
    expect(liveStatus("1", world.legion.agents.get("1")!, "here")).toMatchObject({
      state: "parked",
      waitingFor: expect.stringMatching(/^2026-01-0\d, limit, resume$/),
    });
    const begun = world.until(
      (seen) => seen.kind === "event" && seen.event.kind === "decision" && seen.event.seq > 9,
    );
    while (clock.now() < until) clock.advance(Math.min(await clock.asleep(), until - clock.now()));
    await begun;
    await world.idle();
    expect((await world.kinds("1", "notice")).map(({ reason }) => reason)).toEqual([
      ...["parked-limit", "resumed", "parked-limit"],
    ]);
    expect(memory.ledger.spent.steps).toBe(2);
  });

  it("goes on at the next start on a later day, and not on the same", async () => {
    const clock = createHandClock();
    const person = await createPerson("limits: { day: { cost: 0.25 } }", clock);
    const agents = { 1: { script: busy, profile: PROFILE } };
    const world = await person.open(agents);
    await world.say("1", "Go.");
    await world.idle();
    await world.stop();
    const same = await person.open(agents, world.project);
    await same.idle();
    expect(same.agent("1").memory.ledger.spent.steps).toBe(1);
    await same.stop();
    clock.advance(86_400_000);
    const later = await person.open(agents, world.project);
    await later.idle();
    expect(later.agent("1").memory.ledger.spent.steps).toBe(2);
  });

  it("goes on when the person has raised it, and says so", async () => {
    const person = await createPerson("limits: { day: { cost: 0.25 } }");
    const world = await person.open({ 1: { script: busy, profile: PROFILE } });
    await world.say("1", "Go.");
    await world.idle();
    await person.say("limits: { day: { cost: 0.35 } }");
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    expect(world.agent("1").memory.ledger.spent.steps).toBe(2);
    // What is half written keeps the limit that there was.
    await person.say("limits: { day: { co");
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    expect(world.agent("1").standing.reason).toContain("may spend 0.35 USD a day");
  });

  it("is refused at the start where the limits cannot be read", async () => {
    const person = await createPerson("limits: { day: { cost: 1 } }");
    await writeFile(join(person.config, "ai-legion/purse.json"), "{}", { mode: 0o600 });
    await expect(person.open({ 1: {} })).rejects.toMatchObject({ code: "CONFIG" });
  });
});
