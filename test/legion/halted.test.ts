import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LegionError } from "../../src/base/errors.ts";
import type { Inspection } from "../../src/domain/inspection.ts";
import { createDisk, type Disk } from "../../src/base/files/disk.ts";
import { toLine } from "../../src/storage/folder/line.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { ownAuthorship } from "../signed-record.ts";
import { createHandClock, type HandClock } from "../hand-clock.ts";
import { watchDisk, type DiskCall } from "../storage/files/watched-disk.ts";
import { openWorld, temporaryFolder, type World, type WorldAgent } from "../world.ts";

const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };
const goal = (text: string): ScriptedAnswer => ({
  calls: [{ action: "addGoal", parameters: { goal: text } }],
});

/** A disk that refuses what `fails` names, with the words of the real one. */
function refusing(project: string, fails: (call: DiskCall) => boolean): Disk {
  return watchDisk(createDisk(join(project, ".ai-legion", "tmp")), (call) => {
    if (!fails(call)) return;
    const reason = `ENOSPC: no space left on device, ${call.op}`;
    const cause = Object.assign(new Error(reason), { code: "ENOSPC", syscall: call.op });
    throw new LegionError("STORAGE", `${call.path}: ${reason}`, { cause });
  });
}

interface Trouble {
  readonly world: World;
  readonly clock: HandClock;
  /** Whether the disk fails at this moment. */
  isOn: boolean;
}

async function withTrouble(
  agents: Readonly<Record<string, WorldAgent>>,
  fails: (call: DiskCall) => boolean,
  { isOn = false } = {},
): Promise<Trouble> {
  const project = await temporaryFolder();
  const clock = createHandClock();
  const state = { isOn };
  const disk = refusing(project, (call) => state.isOn && fails(call));
  const world = await openWorld(project, agents, { clock, disk, durability: "disk" });
  return Object.assign(state, { world, clock });
}

const writes = ({ op }: DiskCall): boolean => op === "write" || op === "create" || op === "replace";
const ofAgent =
  (id: string, part = "") =>
  (call: DiskCall): boolean =>
    call.path.includes(join("agents", id, part)) && (writes(call) || call.op === "sync");
const becomes =
  (agent: string, state: string) =>
  (seen: Inspection): boolean =>
    seen.kind === "live:state" && seen.agent === agent && seen.state === state;

/** Resolves when somebody waits ten seconds for the next try. */
async function waiting(clock: HandClock): Promise<void> {
  while (!clock.sleeping().includes(10_000)) await new Promise(setImmediate);
}

/** Lets ten seconds pass: the next try. */
async function tryAgain(clock: HandClock): Promise<void> {
  await waiting(clock);
  clock.advance(10_000);
}

/** The cause is gone: resolves when agent 1 has found out, and has done what there is to do. */
async function mend(trouble: Trouble): Promise<void> {
  const { world, clock } = trouble;
  trouble.isOn = false;
  await tryAgain(clock);
  await world.until(
    (seen) => seen.kind === "event" && seen.event.kind === "notice" && seen.event.reason === "restarted",
  );
  await world.idle();
}

async function toldControl(world: World): Promise<readonly string[]> {
  return (await world.kinds("0", "message")).map(({ message }) => message.content);
}

describe("an agent whose disk fails", () => {
  it("is halted with the reason while others go on, and goes on by itself when the cause is gone", async () => {
    const model = createScriptedModel([goal("one"), goal("two"), NOOP]);
    const trouble = await withTrouble({ 1: { model }, 2: { script: [NOOP] } }, ofAgent("1", "log"));
    const { world, clock } = trouble;
    trouble.isOn = true;
    await world.say("all", "Go.");
    await world.until(becomes("1", "halted"));
    await world.until(becomes("2", "idle"));
    expect(world.legion.agents.get("1")!.standing.reason).toContain("ENOSPC: no space left on device");
    await tryAgain(clock);
    await waiting(clock);
    expect(world.legion.agents.get("1")!.standing.state).toBe("halted");
    await mend(trouble);
    expect(world.agent("1").memory.state.modules.get("goals")).toBeDefined();
    expect(await world.kinds("1", "message")).toHaveLength(1);
    const [notice, ...more] = await world.kinds("1", "notice");
    expect(more).toEqual([]);
    expect(notice).toMatchObject({ reason: "restarted" });
    expect(notice!.content).toMatch(/^It was halted for 20s: .*ENOSPC/);
    await world.stop();
    expect(await toldControl(world)).toEqual([
      expect.stringMatching(/^Agent 1 is halted, and goes on once this is over: .*ENOSPC/),
      `Agent 1 goes on. ${notice!.content}`,
    ]);
  });

  it("never counts what was not acknowledged: it is asked again, and the call that was made is charged", async () => {
    const model = createScriptedModel([goal("lost"), goal("kept"), NOOP]);
    let syncs = 0;
    // The mail is taken in with the first flush; the decision goes down with the second.
    const fails = (call: DiskCall): boolean =>
      call.op === "sync" && call.path.includes(join("agents", "1", "log")) && ++syncs >= 2;
    const trouble = await withTrouble({ 1: { model } }, fails, { isOn: true });
    const { world } = trouble;
    await world.say("1", "Go.");
    await world.until(becomes("1", "halted"));
    await mend(trouble);
    const decisions = await world.kinds("1", "decision");
    expect(decisions.map(({ calls }) => calls[0]?.parameters)).toEqual([{ goal: "kept" }, {}]);
    expect(world.agent("1").memory.ledger.spent.steps).toBe(3);
    const seqs = (await world.events("1")).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    const again = await world.restart();
    expect(again.agent("1").memory.ledger.spent.steps).toBe(3);
  });

  it("has the files of its state completed when the disk works again", async () => {
    const model = createScriptedModel([goal("one"), NOOP]);
    const trouble = await withTrouble(
      { 1: { model } },
      (call) => writes(call) && call.path.endsWith("goals.json"),
      {
        isOn: true,
      },
    );
    const { world } = trouble;
    await world.say("1", "Go.");
    await world.until(becomes("1", "halted"));
    await mend(trouble);
    const disk = createDisk(join(world.project, "tmp"));
    const goals = await disk.read(join(world.project, ".ai-legion", "agents", "1", "goals.json"));
    expect(JSON.parse(goals!.toString())).toEqual({ goals: [{ text: "one", complete: false }] });
    expect(await world.kinds("1", "edited")).toEqual([]);
    expect(await world.kinds("1", "result")).toHaveLength(2);
  });

  it("is told to Control together with all that stand still for the same reason, and so is that it goes on", async () => {
    const ids = ["1", "2", "3", "4"];
    const agents = Object.fromEntries(ids.map((id) => [id, { script: [NOOP] }]));
    const trouble = await withTrouble(agents, (call) => ids.some((id) => ofAgent(id, "log")(call)));
    const { world, clock } = trouble;
    trouble.isOn = true;
    await world.say("all", "Go.");
    for (const id of ids) await world.until(becomes(id, "halted"));
    trouble.isOn = false;
    await tryAgain(clock);
    for (const id of ids) await world.until(becomes(id, "idle"));
    await world.stop();
    const reason = "ENOSPC: no space left on device";
    const others = expect.stringMatching(/^Agent \d, Agent \d, Agent \d were stopped for the same reason: /);
    const told = await toldControl(world);
    expect(told).toEqual([
      expect.stringMatching(/^Agent \d is halted, /),
      expect.stringMatching(/^Agent \d goes on\. /),
      others,
      others,
    ]);
    expect(told.slice(2).map((text) => text.replace(/^.*?: /, ""))).toEqual([
      reason,
      `${reason}, which is over`,
    ]);
  });

  it("has Control go on with its next word", async () => {
    const agents = Object.fromEntries(["1", "2", "3"].map((id) => [id, { script: [NOOP] }]));
    const trouble = await withTrouble(agents, writes);
    const { world, clock } = trouble;
    await world.say("all", "Go.");
    await world.idle();
    trouble.isOn = true;
    await expect(world.say("all", "More.")).rejects.toThrow("ENOSPC");
    trouble.isOn = false;
    await world.say("all", "Still there?");
    await world.idle();
    expect((await world.kinds("0", "notice")).map(({ content }) => content)).toEqual(["Go.", "Still there?"]);
    expect(await world.kinds("3", "message")).toHaveLength(2);
    await world.stop();
    expect(clock.sleeping()).toEqual([]);
  });

  it("refuses a person's word with the reason, and takes it when it is whole again", async () => {
    const trouble = await withTrouble({ 1: { script: [NOOP] } }, ofAgent("1", "log"));
    const { world, clock } = trouble;
    trouble.isOn = true;
    await world.say("1", "Go.");
    await world.until(becomes("1", "halted"));
    const supervised = world.legion.agents.get("1")!;
    await expect(supervised.pause("lunch")).rejects.toThrow(/Agent 1 is halted: .*ENOSPC/);
    await clock.asleep(10_000);
    trouble.isOn = false;
    await supervised.pause("lunch");
    await world.until(becomes("1", "paused"));
    expect(supervised.standing).toMatchObject({ state: "paused", reason: "lunch" });
  });

  it("is found out when a person's word cannot be kept while it rests, and takes the next one", async () => {
    const trouble = await withTrouble({ 1: { script: [NOOP] } }, ofAgent("1", "log"));
    const { world } = trouble;
    await world.say("1", "Go.");
    await world.idle();
    trouble.isOn = true;
    const supervised = world.legion.agents.get("1")!;
    await expect(supervised.pause("lunch")).rejects.toThrow("ENOSPC");
    await world.until(becomes("1", "halted"));
    trouble.isOn = false;
    await supervised.pause("lunch");
    await world.until(becomes("1", "paused"));
  });

  it("does not keep the node from ending", async () => {
    const trouble = await withTrouble({ 1: { script: [NOOP] } }, writes);
    const { world } = trouble;
    await world.say("1", "Go.");
    await world.idle();
    trouble.isOn = true;
    await world.say("1", "More.").catch(() => undefined);
    await world.stop().catch(() => undefined);
    expect(world.legion.agents.get("1")!.standing.state).toBe("stopped");
  });

  it("is over for whoever waits until nobody has anything left to do", async () => {
    const trouble = await withTrouble({ 1: { script: [NOOP] }, 2: { script: [NOOP] } }, ofAgent("1", "log"));
    const { world } = trouble;
    trouble.isOn = true;
    await world.say("all", "Go.");
    await world.until(becomes("1", "halted"));
    await world.idle();
    expect(world.legion.agents.get("1")!.standing.state).toBe("halted");
    expect(await world.kinds("2", "decision")).toHaveLength(1);
  });
});

describe("a log that failed at a note", () => {
  it("takes the next word all the same: Control's", async () => {
    let writes = 0;
    // The first write is what Control says; the second notes that it was delivered.
    const fails = ({ op, path }: DiskCall): boolean =>
      op === "write" && path.includes(join("agents", "0", "log")) && ++writes === 2;
    const { world } = await withTrouble({ 1: { script: () => NOOP } }, fails, { isOn: true });
    await world.say("1", "Go.");
    await world.idle();
    expect(writes).toBe(2);
    await world.say("1", "More.");
    await world.idle();
    expect((await world.kinds("0", "notice")).map(({ content }) => content)).toEqual(["Go.", "More."]);
    expect(await world.kinds("1", "message")).toHaveLength(2);
  });
});

describe("an agent that cannot be opened", () => {
  it("is halted alone, and begins by itself when it can be", async () => {
    const fails = ({ path, op }: DiskCall): boolean =>
      op === "replace" && path.endsWith(join("1", "agent.json"));
    const trouble = await withTrouble({ 1: { script: [NOOP] }, 2: { script: [NOOP] } }, fails, {
      isOn: true,
    });
    const { world } = trouble;
    await world.say("all", "Go.");
    await world.until(becomes("2", "idle"));
    const supervised = world.legion.agents.get("1")!;
    expect(supervised.agent).toBeUndefined();
    expect(supervised.standing.state).toBe("halted");
    await expect(supervised.pause("x")).rejects.toThrow("Agent 1 is halted");
    await mend(trouble);
    expect(await world.kinds("1", "decision")).toHaveLength(1);
  });

  it.each<[string, object]>([
    ["an event that is not what its kind holds", { kind: "decision" }],
    ["a damage that is none", { kind: "notice", reason: "gap", content: "", details: { lost: 5 } }],
  ])("keeps no other from starting: %s", async (_, event) => {
    const project = await temporaryFolder();
    const folder = join(project, ".ai-legion", "agents", "1", "log");
    await mkdir(folder, { recursive: true });
    const stamp = { epoch: 1, at: "2026-01-01T00:00:00.000Z" };
    const mac = (await ownAuthorship()).sign("a", 1);
    const opened = { seq: 1, ...stamp, kind: "opened", format: 1, log: "a", seals: {}, mac };
    const lines = [opened, { seq: 2, ...stamp, ...event }].map(toLine);
    await writeFile(join(folder, "00000001-000.jsonl"), lines.join(""));
    const world = await openWorld(project, { 1: { script: [NOOP] }, 2: { script: [NOOP] } });
    await world.say("2", "Go.");
    await world.idle();
    expect(await world.kinds("2", "decision")).toHaveLength(1);
  });
});
