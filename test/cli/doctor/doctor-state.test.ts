import { chmod, chown, mkdir, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { judgeSpace } from "../../../src/cli/doctor/check-access.ts";
import type { DoctorFinding } from "../../../src/cli/doctor/finding.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import { restingLegion } from "../../storage/archive/archived.ts";
import { createTempProject } from "../../temp-project.ts";
import { createWorld } from "../../world.ts";
import { legion } from "../legion.ts";

async function examine(cwd: string) {
  const { exitCode, json } = await legion(["doctor", "--json"], { cwd });
  const findings = json as readonly DoctorFinding[];
  const wrong = findings.filter(({ status }) => status !== "ok" && status !== "missing");
  return { exitCode, wrong, of: (check: string) => findings.find((finding) => finding.check === check) };
}

describe("the disk", () => {
  const roomy = { bavail: 1_000_000, bsize: 4_096, files: 1_000_000, ffree: 900_000 };

  it.each([
    ["room", {}, "ok"],
    ["no room", { bavail: 0 }, "wrong"],
    ["hardly any room", { bavail: 4_000 }, "wrong"],
    ["no more files", { ffree: 0 }, "wrong"],
    ["no number of files at all", { files: 0, ffree: 0 }, "ok"],
  ])("with %s", (_, change, status) => {
    expect(judgeSpace({ ...roomy, ...change })).toMatchObject({ check: "disk", status });
  });

  it("is looked at where the project is", async () => {
    const { of } = await examine(await createTempProject());
    expect(of("disk")?.detail).toMatch(/^\d+ MiB free$/);
  });
});

describe("definitions and teams", () => {
  it("have modules that are there; none is loaded", async () => {
    const cwd = await createTempProject({
      "agents/good.md": "---\nmodules: [core, goals]\n---\nDo.",
      "agents/own.md": "---\nmodules: [core, ./own.mjs]\n---\nDo.",
      "own.mjs": `import { writeFileSync } from "node:fs"; writeFileSync("harm", "");`,
      "agents/lost.md": "---\nmodules: [core, ./gone.js]\n---\nDo.",
      "agents/team.yaml": "agents:\n  a: { agent: good }\n",
      "agents/other.yml": "agents:\n  a: { agent: goodd }\n",
      "agents/readme.txt": "",
    });
    const { of, exitCode } = await examine(cwd);
    expect(exitCode).toBe(0);
    expect(of("agents/good.md")).toMatchObject({ status: "ok" });
    expect(of("agents/lost.md")).toMatchObject({
      status: "wrong",
      detail: expect.stringContaining("gone.js"),
    });
    expect(of("agents/team.yaml")).toMatchObject({ status: "ok" });
    expect(of("agents/other.yml")).toMatchObject({
      status: "wrong",
      detail: expect.stringContaining("good"),
    });
    expect(of("agents/readme.txt")).toBeUndefined();
    expect(of("agents/own.md")).toMatchObject({ status: "ok" });
    expect(await readdir(cwd)).toEqual(["agents", "own.mjs"]);
  });
});

describe("agents that wait for a person", () => {
  it("are named with the reason and the way out", async () => {
    const world = await createWorld({ "1": {}, "2": {} });
    await world.legion.agents.get("1")!.pause("lunch");
    await world.agent("2").memory.commit({ kind: "notice", reason: "parked", content: "No key." });
    await world.stop();
    const { of, exitCode } = await examine(world.project);
    expect(exitCode).toBe(0);
    expect(of("agent 1")).toMatchObject({
      status: "ok",
      detail: expect.stringMatching(/^paused since .*lunch/),
    });
    expect(of("agent 2")).toMatchObject({
      status: "wrong",
      detail: expect.stringMatching(/^parked since .*No key\.; `legion resume 2`/),
    });
  });
});

describe("what does not belong", () => {
  it("is named wherever it lies, except files of editors and systems", async () => {
    const { project } = await restingLegion();
    const root = join(project, ".ai-legion");
    for (const name of ["homes", "set-aside"]) await mkdir(join(root, name), { recursive: true });
    for (const name of ["x", "lock/x", "agents/X!", "agents/2/log/x", "agents/2/log/.swp", ".DS_Store"])
      await writeFile(join(root, name), "");
    const { wrong, exitCode } = await examine(project);
    expect(exitCode).toBe(0);
    expect(wrong.map(({ check }) => check)).toEqual([
      ".ai-legion/x",
      ".ai-legion/lock/x",
      ".ai-legion/agents/X!",
      ".ai-legion/agents/2/log/x",
    ]);
  });

  it("is told of a folder in place of agent.json, which would keep the agent from starting", async () => {
    const { project } = await restingLegion();
    const path = join(project, ".ai-legion/agents/2/agent.json");
    await rm(path, { force: true });
    await mkdir(path);
    const { of, exitCode } = await examine(project);
    expect(of(".ai-legion/agents/2/agent.json")).toMatchObject({ status: "damaged" });
    expect(exitCode).toBe(1);
  });

  it("is told of a file in place of a folder", async () => {
    const cwd = await createTempProject({ ".ai-legion/agents": "x" });
    expect((await examine(cwd)).wrong.map(({ check }) => check)).toContain(".ai-legion/agents");
  });
});

describe("what a dead process left", () => {
  it("is a lock, temporary files and agents on their way", async () => {
    const { project } = await restingLegion();
    const paths = legionPaths(project);
    const dead = { pid: 2 ** 22 + 1, start: "1", boot: "", pidns: "", host: "here", role: "node" };
    await rm(paths.lock, { recursive: true });
    await mkdir(paths.lock);
    await writeFile(join(paths.lock, "7"), JSON.stringify({ ...dead, boot: "another" }));
    await utimes(join(paths.lock, "7"), 0, 0);
    await mkdir(paths.tmp, { recursive: true });
    await writeFile(join(paths.tmp, "x"), "");
    await mkdir(join(paths.arrivals, "9"), { recursive: true });
    const { of, exitCode } = await examine(project);
    expect(exitCode).toBe(0);
    expect(of("lock")?.detail).toMatch(/^left by process 4194305 on here, which is gone/);
    expect(of("tmp")?.detail).toMatch(/^1 left/);
    expect(of("arrivals")?.detail).toMatch(/9/);
  });
});

it("names files that this user, root as well, is not meant to write", async () => {
  const { project } = await restingLegion();
  const folder = join(project, ".ai-legion/agents/2/log");
  const [name] = await readdir(folder);
  await chmod(join(folder, name!), 0o400);
  expect((await examine(project)).of("owner")).toMatchObject({ status: "wrong" });
});

it("a folder of an agent that lacks its log, or whose record is broken, is told of", async () => {
  const { project } = await restingLegion();
  const { of } = await examine(project);
  expect(of(".ai-legion/agents/2/agent.json")).toBeUndefined();
  const folder = legionPaths(project).agent("2");
  await writeFile(join(folder, "agent.json"), "{");
  await rm(join(folder, "log"), { recursive: true });
  await writeFile(join(folder, "goals.json"), "{}");
  const broken = await examine(project);
  expect(broken.of(".ai-legion/agents/2/agent.json")).toMatchObject({ status: "damaged" });
  expect(broken.of(".ai-legion/agents/2/log")?.detail).toMatch(/^gone; .*waits for your word/);
  expect(broken.exitCode).toBe(1);
  await legion(["doctor", "--repair"], { cwd: project });
  expect((await examine(project)).of(".ai-legion/agents/2/agent.json")).toBeUndefined();
  // What may be somebody else's is taken on by the person alone.
  expect((await examine(project)).exitCode).toBe(1);
  const again = ["start", "--agents", "2", "--trust", "--model", "offline", "--until-idle"];
  expect((await legion(again, { cwd: project })).exitCode).toBe(0);
  expect((await examine(project)).exitCode).toBe(0);
});

it("goals that cannot be read are damage, and put right by --repair", async () => {
  const { project } = await restingLegion();
  const path = join(legionPaths(project).agent("2"), "goals.json");
  await writeFile(path, "{");
  const broken = await examine(project);
  expect(broken.of(".ai-legion/agents/2/goals.json")).toMatchObject({ status: "damaged" });
  expect(broken.exitCode).toBe(1);
  await legion(["doctor", "--repair"], { cwd: project });
  expect((await examine(project)).exitCode).toBe(0);
});

it("takes what lies in the homes of agents, whatever its modes, for no fault", async () => {
  const { project } = await restingLegion();
  await mkdir(join(project, ".ai-legion/homes/2/empty"), { recursive: true, mode: 0o700 });
  await chmod(join(project, ".ai-legion/homes/2/empty"), 0o400);
  expect((await examine(project)).of("owner")).toBeUndefined();
});

it.runIf(process.getuid?.() === 0)("root is told of files of other users, and of modes", async () => {
  const { project } = await restingLegion();
  expect((await examine(project)).of("owner")).toBeUndefined();
  await chown(join(project, ".ai-legion/agents/2/agent.json"), 12_345, 12_345);
  expect((await examine(project)).of("owner")).toMatchObject({
    status: "wrong",
    detail: expect.stringContaining(".ai-legion/agents/2/agent.json;"),
  });
  await chmod(join(project, ".ai-legion/agents"), 0o500);
  expect((await examine(project)).of("folder")).toMatchObject({
    status: "wrong",
    detail: expect.stringMatching(/mode of .*agents forbids it/),
  });
});
