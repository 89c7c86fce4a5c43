import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { legion } from "../../legion.ts";
import { buildProgram, run } from "../../program.ts";
import { DENIED, HELP, projectWith } from "./project.ts";

const NOTE = "- calls: [{ action: writeNote, parameters: { title: plan, content: walk } }]\n";
const AGAIN = "- calls: [{ action: writeNote, parameters: { title: plan, content: run } }]\n";
const RESUME = ["run", ...DENIED, "--resume", "garden"];

/** A run that ended at its limit. */
async function limited(limits = "steps=1"): Promise<string> {
  const cwd = await projectWith(NOTE.repeat(9));
  const argv = ["run", ...HELP, "--limits", limits, "--session", "garden", "note it"];
  expect((await legion(argv, { cwd })).exitCode).toBe(1);
  await writeFile(join(cwd, "script.yaml"), `${AGAIN}- Noted.\n`);
  return cwd;
}

async function logOf(cwd: string): Promise<readonly Record<string, unknown>[]> {
  const { json } = await legion(["log", "1", "--json", "--run", "garden"], { cwd });
  return json as Record<string, unknown>[];
}

const said = async (cwd: string) =>
  (await logOf(cwd)).flatMap(({ message }) => (message ? [(message as { content: string }).content] : []));

/** As if the process had been killed before it could write the end. */
async function withoutEnd(cwd: string): Promise<void> {
  const folder = join(cwd, ".ai-legion/runs/garden/agents/1/log");
  const newest = join(folder, (await readdir(folder)).toSorted().at(-1)!);
  const lines = (await readFile(newest, "utf8")).trimEnd().split("\n");
  const last = lines.findLastIndex((line) => line.includes('"reason":"ended"'));
  expect(last).toBe(lines.length - 1);
  await writeFile(newest, `${lines.slice(0, last).join("\n")}\n`);
}

describe("a run that is gone on with", () => {
  it("has more steps, and its agent is told nothing", async () => {
    const cwd = await limited();
    const { exitCode, out, err } = await legion([...RESUME, "--limits", "steps=+3"], { cwd });
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: "Noted.\n" });
    expect(err).toMatch(/^Submitted · 3 steps · /);
    expect(await said(cwd)).toEqual(["note it"]);
  });

  it("ends at once where its limit leaves no room, and costs nothing", async () => {
    const cwd = await limited();
    const { exitCode, err } = await legion(RESUME, { cwd });
    expect(exitCode).toBe(1);
    expect(err).toMatch(/LimitsExceeded · 1 step · /);
  });

  it("keeps the limits that were typed, but for those that are typed anew", async () => {
    const cwd = await limited("steps=1,tokens=123456789");
    await legion([...RESUME, "--limits", "steps=+3"], { cwd });
    const record = join(cwd, ".ai-legion/runs/garden/agents/0/agent.json");
    expect(JSON.parse(await readFile(record, "utf8"))).toMatchObject({
      lastStart: { flags: { limits: "steps=4,tokens=123456789" } },
    });
  });

  it("takes no limits from the project's files that nobody typed", async () => {
    const cwd = await limited();
    const record = join(cwd, ".ai-legion/runs/garden/agents/0/agent.json");
    await writeFile(record, (await readFile(record, "utf8")).replace('"steps=1"', '"steps=100000"'));
    const { exitCode, err } = await legion(RESUME, { cwd });
    expect({ exitCode, err }).toEqual({
      exitCode: 2,
      err: expect.stringContaining("not written on your machines"),
    });
  });

  it("keeps to limits that the person typed, however lax", async () => {
    const cwd = await projectWith("- error: { code: MODEL_REFUSED, message: no key }\n");
    await legion(["run", ...HELP, "--limits", "steps=100000", "--session", "garden", "note it"], { cwd });
    await writeFile(join(cwd, "script.yaml"), "- Noted.\n");
    const { exitCode, err } = await legion(RESUME, { cwd });
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: expect.stringMatching(/^Submitted/) });
  });

  /** A run under a rule, with a file for its trajectory, that ended at its limit before it wrote anything. */
  async function ruled(): Promise<string> {
    const write = "- calls: [{ action: writeFile, parameters: { path: a.txt, content: a } }]\n";
    const cwd = await projectWith(`${NOTE}${write}`);
    const rule = ["--policy", "deny write a.txt", "--output", "own.traj.json"];
    const argv = ["run", ...HELP, ...rule, "--limits", "steps=1", "--session", "garden", "write it"];
    expect((await legion(argv, { cwd })).exitCode).toBe(1);
    await writeFile(join(cwd, "script.yaml"), `${write}- Written.\n`);
    return cwd;
  }

  it("keeps to the rules that were typed, and to the file of its trajectory", async () => {
    const cwd = await ruled();
    const { exitCode, err } = await legion([...RESUME, "--limits", "steps=+3"], { cwd });
    expect(exitCode).toBe(0);
    expect(err).toMatch(/^Submitted · 3 steps · .* · own\.traj\.json\n$/);
    expect(await readdir(cwd)).not.toContain("a.txt");
    expect(JSON.parse(await readFile(join(cwd, "own.traj.json"), "utf8"))).toMatchObject({
      info: { exit_status: "Submitted", submission: "Written." },
    });
    await writeFile(join(cwd, "own.traj.json"), "{}");
    const { err: refused } = await legion(RESUME, { cwd });
    expect(refused).toContain("garden");
    expect(JSON.parse(await readFile(join(cwd, "own.traj.json"), "utf8"))).toMatchObject({
      info: { exit_status: "Submitted" },
    });
  });

  it("has other rules where those are typed", async () => {
    const cwd = await ruled();
    const rule = ["--policy", "deny write b.txt"];
    await legion([...RESUME, "--limits", "steps=+3", ...rule], { cwd });
    expect(await readdir(cwd)).toContain("a.txt");
  });

  it("takes a task as what its agent is told next", async () => {
    const cwd = await limited();
    // It goes on as soon as it may: on a busy machine it has taken steps before it reads that.
    await writeFile(join(cwd, "script.yaml"), `${AGAIN}- Noted.\n- Noted.\n`);
    expect((await legion([...RESUME, "--limits", "steps=+3", "in short"], { cwd })).exitCode).toBe(0);
    expect(await said(cwd)).toEqual(["note it", "in short"]);
  });

  it("is listed with what its person asked, also where its agent had to be told to go on", async () => {
    const cwd = await projectWith('- ""\n');
    await legion(["run", ...HELP, "--session", "garden", "note it"], { cwd });
    await writeFile(join(cwd, "script.yaml"), "- Noted.\n");
    expect((await legion(RESUME, { cwd })).exitCode).toBe(0);
    expect(await said(cwd)).toContain("Go on with your task.");
    expect((await legion(["runs", "--json"], { cwd })).json).toMatchObject([{ task: "note it" }]);
  });

  it("has the end that its log comes to, which is said then", async () => {
    const cwd = await projectWith(`${NOTE}- Noted.\n`);
    await legion(["run", ...HELP, "--session", "garden", "note it"], { cwd });
    await withoutEnd(cwd);
    const { exitCode, out, err } = await legion(RESUME, { cwd });
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: "Noted.\n" });
    expect(err).toMatch(/^Submitted · 2 steps · /);
    expect((await logOf(cwd)).filter(({ reason }) => reason === "ended")).toHaveLength(1);
    expect((await legion(RESUME, { cwd })).exitCode).toBe(2);
  });

  it("is refused, with its end, once it is done", async () => {
    const cwd = await projectWith("- Noted.\n");
    await legion(["run", ...HELP, "--session", "garden", "note it"], { cwd });
    const before = await logOf(cwd);
    expect(await legion(RESUME, { cwd })).toMatchObject({
      exitCode: 2,
      out: "",
      err: 'legion: the run garden is over: Submitted; legion run --session garden "<task>" gives its agent a new task\n',
    });
    const { exitCode, json } = await legion([...RESUME, "--json"], { cwd });
    expect(exitCode).toBe(2);
    expect(json).toMatchObject([
      { kind: "end", run: "garden", end: "Submitted", submission: "Noted.", steps: 1 },
    ]);
    expect(await logOf(cwd)).toEqual(before);
  });

  it("has its whole trajectory once it is done, as if it had been killed before that was written", async () => {
    const cwd = await projectWith("- Noted.\n");
    await legion(["run", ...HELP, "--session", "garden", "note it"], { cwd });
    const path = join(cwd, ".ai-legion/runs/garden/trajectory.json");
    const whole = await readFile(path, "utf8");
    await writeFile(path, JSON.stringify({ ...JSON.parse(whole), messages: [] }));
    expect((await legion(RESUME, { cwd })).exitCode).toBe(2);
    expect(await readFile(path, "utf8")).toBe(whole);
  });

  it("is refused where nothing was begun, unless there is a task by now", async () => {
    const cwd = await projectWith("- Noted.\n");
    await mkdir(join(cwd, ".ai-legion/runs/garden"), { recursive: true });
    expect(await legion(RESUME, { cwd })).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining("nothing was begun in the run garden"),
    });
    expect((await legion([...RESUME, ...HELP, "note it"], { cwd })).exitCode).toBe(0);
  });

  it.each([
    [
      "a run that is not there",
      ["--resume", "gardne"],
      "there is no run or session `gardne` here; there is garden",
    ],
    ["two of them", ["--resume", "garden", "--session", "house"], "leave out --session and --continue"],
    ["limits that are none", ["--resume", "garden", "--limits", "steps=+x"], '"x" is no limit'],
    [
      "more of what there is no limit of",
      ["--resume", "garden", "--limits", "hops=+1"],
      '"hops=1" is no limit',
    ],
    ["a sum where nothing was spent", ["--limits", "steps=+1", "x"], '"+1" is no limit'],
  ])("is refused for %s, and nothing is written", async (_, argv, why) => {
    const cwd = await limited();
    const before = await logOf(cwd);
    const refused = await legion(["run", ...argv], { cwd });
    expect(refused).toMatchObject({ exitCode: 2, out: "", err: expect.stringContaining(why) });
    expect(refused.err.trimEnd()).not.toContain("\n");
    expect(await logOf(cwd)).toEqual(before);
    expect(await readdir(join(cwd, ".ai-legion/runs"))).toEqual(["garden"]);
  });
});

describe("a run that is gone on with, as a process", () => {
  beforeAll(buildProgram, 120_000);

  it("is refused while it runs, naming the process", async () => {
    const cwd = await projectWith(
      `- calls: [{ action: executeCommand, parameters: { command: "touch begun; sleep 1000" } }]\n`,
    );
    const first = run(["run", ...HELP, "--yes", "--session", "garden", "work"], { cwd });
    await expect.poll(async () => (await readdir(cwd)).includes("begun"), { timeout: 20_000 }).toBe(true);
    const { exitCode, err } = await legion(RESUME, { cwd });
    expect({ exitCode, err }).toEqual({
      exitCode: 1,
      err: expect.stringContaining(`process ${first.child.pid}`),
    });
    first.child.kill("SIGKILL");
  });
});
