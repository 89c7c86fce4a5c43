import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Event } from "../../../src/domain/event/event.ts";
import { createTempProject } from "../../temp-project.ts";
import { openWorld } from "../../world.ts";
import { legion } from "../legion.ts";

const FILES = {
  "a.md": "# A\n\nText.\n",
  "b.md": "# B\n",
  "agents/surveyor.md": "---\ndescription: Surveys\n---\nSurvey what you are asked to.\n",
};
const START = ["start", "2", "--agent", "surveyor", "--until-idle", "--tick", "0"];

/** A project in which two offline agents did a survey. */
async function recordSurvey(): Promise<string> {
  const project = await createTempProject(FILES);
  const { exitCode, err } = await legion([...START, "--model", "offline", "--task", "survey ."], {
    cwd: project,
  });
  expect([exitCode, err]).toEqual([0, ""]);
  return project;
}

async function changeBrief(project: string): Promise<void> {
  await writeFile(join(project, "agents/surveyor.md"), "---\ndescription: Surveys\n---\nSurvey slowly.\n");
}

describe("legion replay", () => {
  it("says that an agent does the same today, also while a node runs", async () => {
    const project = await recordSurvey();
    await openWorld(project, { 7: {} });
    const seen = await legion(["replay", "1"], { cwd: project });
    expect(seen).toMatchObject({ exitCode: 0, err: "" });
    expect(seen.out).toMatch(/^Agent 1: \d+ decisions, identical\.\n$/);
    const first = await legion(["replay", "1", "--to", "8", "--json"], { cwd: project });
    expect(first.json).toEqual([{ agent: "1", decisions: expect.any(Number) as number }]);
  });

  it("shows both sides of the first difference, and ends with 1", async () => {
    const project = await recordSurvey();
    await changeBrief(project);
    const { exitCode, out } = await legion(["replay", "2"], { cwd: project });
    expect(exitCode).toBe(1);
    expect(out).toMatch(
      /^Agent 2, decision \d+: system prompt, line 5 .*:\n- Survey what you are asked to\.\n\+ Survey slowly\.\n$/,
    );
    const { json } = await legion(["replay", "2", "--json"], { cwd: project });
    expect(json).toMatchObject([
      { agent: "2", decisions: 0, difference: { part: expect.any(String) as string } },
    ]);
  });

  it("refuses an agent or an event that is not there", async () => {
    const project = await recordSurvey();
    expect(await legion(["replay", "9"], { cwd: project })).toMatchObject({ exitCode: 2, out: "" });
    const late = await legion(["replay", "1", "--to", "9999"], { cwd: project });
    expect(late).toMatchObject({ exitCode: 2, out: "" });
    expect(late.err).toMatch(/^legion: there is no event 9999: the log of Agent 1 ends at \d+\n$/);
  });
});

describe("an agent that was forked", () => {
  it("is replayed over all of its branches, alone and in its legion, and so is what became of its past", async () => {
    const cwd = await recordSurvey();
    const run = async (...argv: readonly string[]): Promise<string> => {
      const { exitCode, out, err } = await legion(argv, { cwd });
      expect([exitCode, err]).toEqual([0, ""]);
      return out;
    };
    await run("fork", "1", "--at", "12");
    await run("start", "--only", "1,2", "--until-idle", "--tick", "0");
    await run("fork", "1", "--at", "20");
    await run("fork", "1", "--at", "16", "--as", "1b");
    await run("start", "--only", "1,2,1b", "--until-idle", "--tick", "0");
    const counts: Record<string, number> = {};
    for (const id of ["1", "2", "1b"])
      counts[id] = Number(/: (\d+) decisions, identical\.\n$/.exec(await run("replay", id))![1]);
    const log = (await legion(["log", "1", "--json"], { cwd })).json as readonly Event[];
    expect(log.filter(({ kind }) => kind === "branch")).toHaveLength(2);
    expect(log.filter(({ kind }) => kind === "decision")).toHaveLength(counts["1"]!);
    expect(await run("replay", "1", "--to", "14")).toMatch(/identical/);
    await run("export", "--all", "forked.tape");
    const fresh = await createTempProject(FILES);
    const again = ["start", "--agents", "1,2,1b", "--agent", "surveyor", "--until-idle", "--tick", "0"];
    const seen = await legion([...again, "--model", `replay:${join(cwd, "forked.tape")}`], { cwd: fresh });
    const all = counts["1"]! + counts["2"]! + counts["1b"]!;
    expect(seen).toMatchObject({ exitCode: 0, err: "" });
    expect(seen.out).toContain(`3 agents: ${all} decisions, identical.`);
    expect(await legion(["replay", "1b"], { cwd: fresh })).toMatchObject({ exitCode: 0 });
  });
});

describe("legion start --model replay:", () => {
  it("does again what an earlier legion did, and says so", async () => {
    const recorded = await recordSurvey();
    const cwd = await createTempProject(FILES);
    for (const place of [recorded, join(recorded, ".ai-legion")]) {
      const project = await createTempProject(FILES);
      const seen = await legion([...START, "--model", `replay:${place}`], { cwd: project });
      expect(seen).toMatchObject({ exitCode: 0, err: "" });
      expect(seen.out).toMatch(/2 agents: \d+ decisions, identical\./);
      expect(await legion(["replay", "1"], { cwd: project })).toMatchObject({ exitCode: 0 });
    }
    const file = join(recorded, "tape.jsonl");
    expect(await legion(["export", "--all", file], { cwd: recorded })).toMatchObject({ exitCode: 0 });
    const seen = await legion([...START, "--model", `replay:${file}`, "--json"], { cwd });
    expect(seen.exitCode).toBe(0);
    expect(seen.err).toContain("identical.");
  });

  it("ends with 1 and shows both sides where something is different today", async () => {
    const recorded = await recordSurvey();
    const cwd = await createTempProject(FILES);
    await changeBrief(cwd);
    const { exitCode, out, err } = await legion([...START, "--model", `replay:${recorded}`], { cwd });
    expect(exitCode).toBe(1);
    expect(out).toContain("- Survey what you are asked to.\n+ Survey slowly.\n");
    expect(err).toMatch(/^legion: Agent \d is not as it was recorded: decision \d+: system prompt\n$/);
  });

  it("is refused before anything is written where it cannot be a replay", async () => {
    const recorded = await recordSurvey();
    const cwd = await createTempProject(FILES);
    const refusal = async (...argv: readonly string[]): Promise<string> => {
      const { exitCode, err } = await legion(argv, { cwd });
      expect(exitCode).toBe(2);
      return err;
    };
    const model = ["--model", `replay:${recorded}`];
    expect(await refusal(...START, ...model, "--task", "x")).toContain("a replay says what was said");
    expect(await refusal("start", "3", ...model)).toContain("the recording has no agent 3; it has: 1, 2");
    expect(await refusal(...START, "--model", "replay:nowhere")).toContain("there is no recorded legion at");
    const again = await legion([...START, ...model], { cwd: recorded });
    expect(again).toMatchObject({ exitCode: 2 });
    expect(again.err).toContain("Agent 1 has a past here");
    expect(await legion(["ps"], { cwd })).toMatchObject({ exitCode: 0 });
    expect((await legion(["ps", "--json"], { cwd })).json).toEqual([]);
  });
});
