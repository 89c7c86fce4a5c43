import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { serve } from "../../control/serve.ts";
import { createWorld, openWorld, readEvents, type World, type WorldAgent } from "../../world.ts";
import { signRecord } from "../../signed-record.ts";
import { legion } from "../legion.ts";

const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };
const goal = (text: string): ScriptedAnswer => ({
  calls: [{ action: "addGoal", parameters: { goal: text } }],
});
const note = (title: string): ScriptedAnswer => ({
  calls: [{ action: "writeNote", parameters: { title, content: title } }],
});
const script = [goal("one"), note("plan"), goal("two"), NOOP, note("later"), NOOP];

/** An agent at rest that made three steps; `results` are the numbers of what came of them. */
async function resting(agent: WorldAgent = { script }): Promise<{
  readonly world: World;
  readonly project: string;
  readonly results: readonly number[];
}> {
  const world = await createWorld({ 1: agent });
  await world.say("1", "Go.");
  await world.idle();
  const results = (await world.kinds("1", "result")).map(({ seq }) => seq);
  return { world, project: world.project, results };
}

const goalsFile = (project: string, agent = "1"): string =>
  join(project, `.ai-legion/agents/${agent}/goals.json`);
const textsIn = async (project: string, agent = "1"): Promise<readonly string[]> =>
  (JSON.parse(await readFile(goalsFile(project, agent), "utf8")) as { goals: { text: string }[] }).goals.map(
    ({ text }) => text,
  );
const notesIn = (project: string): Promise<readonly string[]> =>
  readdir(join(project, ".ai-legion/agents/1/notes")).catch(() => []);

describe("legion fork", () => {
  it("takes an agent that rests back to an event: its goals, notes and files are those of then", async () => {
    const { world, project: cwd, results } = await resting();
    await world.stop();
    const { exitCode, out, err } = await legion(["fork", "1", "--at", String(results[0])], { cwd });
    expect([exitCode, err]).toEqual([0, ""]);
    expect(out).toContain(`Agent 1 goes on from event ${results[0]}, on a new branch.`);
    expect([await textsIn(cwd), await notesIn(cwd)]).toEqual([["one"], []]);
    expect((await legion(["goals", "1"], { cwd })).out).toBe("1 [ ] one\n");
    expect((await legion(["notes", "1"], { cwd })).out).toBe("Agent 1 has no notes.\n");
    const { out: prompt } = await legion(["prompt", "1", "--at", String(results[2]! - 1)], { cwd });
    expect(prompt).toContain("plan");
  });

  it("keeps what a person changed by hand, and says so; also twice in a row", async () => {
    const { world, project: cwd, results } = await resting();
    await world.stop();
    await writeFile(goalsFile(cwd), JSON.stringify({ goals: [{ text: "mine", complete: false }] }));
    const first = await legion(["fork", "1", "--at", String(results[1])], { cwd });
    expect(first.out).toContain("Changed by hand, and left so: goals.");
    expect([await textsIn(cwd), await notesIn(cwd)]).toEqual([["mine"], ["plan.txt"]]);
    const second = await legion(["fork", "1", "--at", String(results[0])], { cwd });
    expect(second.out).not.toContain("by hand");
    expect([await textsIn(cwd), await notesIn(cwd)]).toEqual([["one"], []]);
    const events = await readEvents(cwd, "1");
    expect(events.filter(({ kind }) => kind === "edited")).toMatchObject([{ module: "goals" }]);
  });

  it("goes through the node that runs", async () => {
    const { world, project: cwd, results } = await resting();
    await serve(world);
    const { out } = await legion(["fork", "1", "--at", String(results[0])], { cwd });
    expect(out).toContain(`Agent 1 goes on from event ${results[0]}`);
    await world.idle();
    expect([await textsIn(cwd), await notesIn(cwd)]).toEqual([["one"], ["later.txt"]]);
    const copied = await legion(["fork", "1", "--at", String(results[2]), "--as", "1b"], { cwd });
    expect(copied.out).toContain("`legion start --only 1b`");
    expect(await textsIn(cwd, "1b")).toEqual(["one", "two"]);
    const { out: ids } = await legion(["send", "1b", "hello"], { cwd });
    expect(ids).toBe("0>1b#1\n");
  });

  it("says that the agent rested at that moment, and how to let it go on", async () => {
    const { world, project: cwd } = await resting();
    await world.legion.agents.get("1")!.pause("by Control");
    const { last } = world.agent("1").memory.ledger;
    await world.stop();
    const { out } = await legion(["fork", "1", "--at", String(last), "--as", "1b"], { cwd });
    expect(out).toContain("paused at that moment");
    expect(out).toContain("`legion resume 1b`");
    expect((await legion(["ps"], { cwd })).out).toMatch(/^1b +paused/m);
  });

  it.each<[string, readonly string[], RegExp]>([
    ["no event", ["1"], /--at: say which event/],
    ["what is no number", ["1", "--at", "x"], /--at: expected a number/],
    [
      "an event that is not there",
      ["1", "--at", "999"],
      /there is no event 999: the log of Agent 1 ends at \d+$/m,
    ],
    ["an unknown agent", ["7", "--at", "1"], /there is no agent "7"; known: 1$/m],
    ["the person", ["0", "--at", "1"], /0 is you; name an agent/],
    ["an id that is taken", ["1", "--at", "2", "--as", "1"], /--as: there is an agent "1" already/],
    ["an id that cannot be one", ["1", "--at", "2", "--as", "../x"], /cannot be the id of an agent/],
  ])("refuses %s in one line, and writes nothing", async (_, argv, expected) => {
    const { world, project: cwd } = await resting();
    await world.stop();
    const before = await readEvents(cwd, "1");
    const { exitCode, out, err } = await legion(["fork", ...argv], { cwd });
    expect([exitCode, out]).toEqual([2, ""]);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(err).toMatch(expected);
    expect(await readEvents(cwd, "1")).toEqual(before);
    expect(await readdir(join(cwd, ".ai-legion/agents"))).toEqual(["0", "1"]);
  });
});

describe("legion start --only", () => {
  it("hosts the agents that it names, each as it was last started", async () => {
    const { world, project: cwd, results } = await resting({ script: [...script] });
    await world.stop();
    await writeFile(join(cwd, "script.yaml"), "- calls: [{ action: noop }]\n");
    await mkdir(join(cwd, "agents"));
    await writeFile(join(cwd, "agents/x.md"), "---\nname: x\ndescription: Is tried out.\n---\nDo it.\n");
    const record = join(cwd, ".ai-legion/agents/1/agent.json");
    const { limits, ...facts } = JSON.parse(await readFile(record, "utf8")) as Readonly<
      Record<string, unknown>
    >;
    const changed = { ...facts, limits, definition: "x", model: "scripted:script.yaml" };
    await signRecord("1", changed, dirname(record));
    await legion(["fork", "1", "--at", String(results[1]), "--as", "1b"], { cwd });
    const { exitCode, out, err } = await legion(["start", "--only", "1b", "--tick", "0", "--until-idle"], {
      cwd,
    });
    expect([exitCode, err]).toEqual([0, ""]);
    expect(out).toContain("scripted:script.yaml (its last start says so)");
    expect(out).toContain("1b: x. Is tried out.");
    expect((await readEvents(cwd, "1b")).at(-1)).toMatchObject({ kind: "result" });
    const again = await openWorld(cwd, { 1: {} });
    expect(again.agent("1").memory.ledger.last).toBeGreaterThan(0);
  });

  it.each<[readonly string[], RegExp]>([
    [["--only", "9"], /there is no agent "9"; known: 1$/m],
    [["2", "--only", "1"], /--only says which agents; leave out the number, --agents, --team and --agent/],
  ])("refuses %j", async (argv, expected) => {
    const { world, project: cwd } = await resting();
    await world.stop();
    const { exitCode, err } = await legion(["start", ...argv], { cwd });
    expect(exitCode).toBe(2);
    expect(err).toMatch(expected);
  });
});

describe("legion log --tree", () => {
  it("shows each branch under the one that it left, in 80 columns, and which one goes on", async () => {
    const { world, project: cwd, results } = await resting();
    await world.stop();
    for (const at of [results[1], results[0], results[2]])
      await legion(["fork", "1", "--at", String(at)], { cwd });
    const { out } = await legion(["log", "1", "--tree"], { cwd, columns: 80 });
    const lines = out.trimEnd().split("\n");
    expect(lines.map((line) => line.replace(/ {2}\d{4}-\d\d-\d\d \d\d:\d\d/, ""))).toEqual([
      expect.stringMatching(/^- 1-\d+ {2}4 decisions {2}addGoal$/),
      expect.stringMatching(new RegExp(`^ {2}- from ${results[1]}: \\d+-\\d+ {2}0 decisions$`)),
      expect.stringMatching(new RegExp(`^ {2}- from ${results[0]}: \\d+-\\d+ {2}0 decisions$`)),
      expect.stringMatching(new RegExp(`^ {2}\\* from ${results[2]}: \\d+-\\d+ {2}0 decisions$`)),
    ]);
    const { json } = await legion(["log", "1", "--tree", "--json"], { cwd });
    expect(json).toMatchObject([
      { branch: 1, from: null, parent: null, first: 1, decisions: 4, active: false },
      { branch: 2, from: results[1], parent: 1, active: false },
      { branch: 3, from: results[0], parent: 1, active: false },
      { branch: 4, from: results[2], parent: 1, active: true },
    ]);
    const ranges = json as readonly { readonly first: number; readonly last: number }[];
    const { length } = await readEvents(cwd, "1");
    expect(ranges.map(({ first, last }) => last - first + 1).reduce((a, b) => a + b)).toBe(length);
  });
});
