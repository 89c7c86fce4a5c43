import { chmod, lstat, mkdir, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DoctorFinding } from "../../../src/cli/doctor/finding.ts";
import type { Repair } from "../../../src/cli/doctor/repair.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import { eventsOf, restingLegion } from "../../storage/archive/archived.ts";
import { createWorld, openWorld, temporaryFolder } from "../../world.ts";
import { legion } from "../legion.ts";

async function repaired(cwd: string) {
  const { exitCode, json, err } = await legion(["doctor", "--repair", "--json"], { cwd });
  const repairs = json.filter(
    (line): line is Repair => typeof line === "object" && line !== null && "repair" in line,
  );
  return { exitCode, err, repairs, names: repairs.map(({ repair }) => repair) };
}

async function examined(cwd: string) {
  const findings = (await legion(["doctor", "--json"], { cwd })).json as readonly DoctorFinding[];
  return { of: (check: string) => findings.find((finding) => finding.check === check) };
}

async function logFile(project: string): Promise<string> {
  const folder = join(project, ".ai-legion/agents/2/log");
  return join(folder, (await readdir(folder))[0]!);
}

it("has nothing to do where all is well, and makes nothing", async () => {
  const cwd = await temporaryFolder();
  expect((await repaired(cwd)).repairs).toEqual([]);
  expect(await readdir(cwd)).toEqual([]);
  const { project } = await restingLegion();
  const before = await eventsOf(project, "2");
  expect((await repaired(project)).repairs).toEqual([]);
  expect(await eventsOf(project, "2")).toEqual(before);
  expect((await legion(["doctor", "--repair"], { cwd: project })).out).toMatch(/^Nothing to repair\.\n/);
});

it("is refused while a node runs, and touches nothing", async () => {
  const world = await createWorld({ "1": {} });
  const path = join(world.project, ".ai-legion/agents");
  await chmod(path, 0o755);
  const { exitCode, err, repairs } = await repaired(world.project);
  expect([exitCode, repairs]).toEqual([1, []]);
  expect(err).toMatch(/^legion: .*`legion stop` ends it\.\n$/);
  expect((await lstat(path)).mode & 0o777).toBe(0o755);
});

describe("a bad line", () => {
  it("is copied, told to the agent, and no damage any more; the log itself stays as it is", async () => {
    const { project } = await restingLegion();
    const file = await logFile(project);
    const text = (await readFile(file, "utf8")).replace("Work", "Wurk");
    await writeFile(file, text);
    expect((await legion(["doctor"], { cwd: project })).exitCode).toBe(1);

    const { exitCode, names, repairs } = await repaired(project);
    expect(exitCode).toBe(0);
    expect(names).toEqual(["agent 2", "corrupt"]);
    expect(repairs[0]!.detail).toMatch(/^told: 1 event of your past is damaged or gone/);
    expect(await readFile(file, "utf8")).toBe(text);
    const [copy] = await readdir(join(project, ".ai-legion/corrupt"));
    expect(await readFile(join(project, ".ai-legion/corrupt", copy!), "utf8")).toContain("Wurk");
    expect((await eventsOf(project, "2")).at(-1)).toMatchObject({ kind: "notice", reason: "gap" });

    expect((await repaired(project)).repairs).toEqual([]);
    const { out } = await legion(["doctor"], { cwd: project });
    expect(out).toMatch(/log 2 +1 damaged before, set aside and reported/);
  });

  it("that is gone is told, too", async () => {
    const { project } = await restingLegion();
    const file = await logFile(project);
    const lines = (await readFile(file, "utf8")).split("\n");
    await writeFile(file, lines.toSpliced(2, 1).join("\n"));
    expect((await legion(["doctor"], { cwd: project })).exitCode).toBe(1);
    expect((await repaired(project)).names).toEqual(["agent 2"]);
    expect((await legion(["doctor"], { cwd: project })).exitCode).toBe(0);
  });
});

it("brings files up to what the log says, and takes a person's edit into it", async () => {
  const { project } = await restingLegion();
  const folder = join(project, ".ai-legion/agents/2");
  await writeFile(join(folder, "goals.json"), '{"goals":[]}');
  const { repairs } = await repaired(project);
  expect(repairs).toMatchObject([{ repair: "agent 2", detail: expect.stringContaining("change of goals") }]);
  expect((await eventsOf(project, "2")).at(-1)).toMatchObject({ kind: "edited", module: "goals", value: [] });
});

it("makes state private again, and leaves settings, and what a mark of an editor leads to, alone", async () => {
  const { project } = await restingLegion();
  const root = join(project, ".ai-legion");
  await writeFile(join(root, "config.yaml"), "", { mode: 0o644 });
  await writeFile(join(project, "outside"), "", { mode: 0o644 });
  await writeFile(join(project, ".env"), "X=1", { mode: 0o644 });
  await symlink(join(project, "outside"), join(root, "agents/2/.#goals.json"));
  await chmod(join(root, "agents/2/goals.json"), 0o644);
  await chmod(join(root, "agents"), 0o755);
  expect((await repaired(project)).names.sort()).toEqual([
    ".ai-legion/agents",
    ".ai-legion/agents/2/goals.json",
    ".env",
  ]);
  expect((await lstat(join(project, "outside"))).mode & 0o777).toBe(0o644);
  expect((await lstat(join(root, "config.yaml"))).mode & 0o777).toBe(0o644);
  expect((await lstat(join(root, "agents/2/goals.json"))).mode & 0o777).toBe(0o600);
});

it.each(["", "runs/2026-11-23-101500-a1b2c3/"])(
  "leaves what agents made, and what is for people, as it is in .ai-legion/%s",
  async (run) => {
    const { project } = await restingLegion();
    const home = join(project, ".ai-legion", run);
    const modes = { "homes/1/etc/hosts": 0o644, "workspaces/1/build.sh": 0o755, "set-aside/x": 0o444 };
    const made = {
      ...modes,
      "trajectory.json": 0o644,
      "plants/plants.traj.json": 0o644,
      "preds.json": 0o644,
    };
    for (const [name, mode] of Object.entries(made)) {
      await mkdir(dirname(join(home, name)), { recursive: true, mode: 0o700 });
      await writeFile(join(home, name), "", { mode });
    }
    await mkdir(join(home, "homes/1/empty"), { mode: 0o400 });
    await chmod(join(home, "homes"), 0o755);
    const { of } = await examined(project);
    expect(of("owner")).toBeUndefined();
    expect((await repaired(project)).names).toEqual([`.ai-legion/${run}homes`]);
    for (const [name, mode] of Object.entries(made))
      expect((await lstat(join(home, name))).mode & 0o777).toBe(mode);
    expect((await lstat(join(home, "homes/1/empty"))).mode & 0o777).toBe(0o400);
  },
);

it("clears away what a dead node left, and what stands in the way of a start", async () => {
  const { project } = await restingLegion();
  const paths = legionPaths(project);
  await writeFile(paths.socket, "left", { mode: 0o600 });
  await mkdir(paths.tmp, { recursive: true, mode: 0o700 });
  await writeFile(join(paths.tmp, "x"), "");
  await mkdir(join(paths.arrivals, "9"), { recursive: true, mode: 0o700 });
  await rm(join(paths.agent("2"), "agent.json"), { force: true });
  await mkdir(join(paths.agent("2"), "agent.json"), { mode: 0o700 });
  await writeFile(join(paths.agent("2"), "agent.json/kept"), "", { mode: 0o600 });
  const { names } = await repaired(project);
  expect(names).toEqual(["tmp", "arrivals", "socket", ".ai-legion/agents/2/agent.json"]);
  const [aside] = await readdir(paths.corrupt);
  expect(await readdir(join(paths.corrupt, aside!))).toEqual(["kept"]);
  expect(await readdir(paths.agents)).toContain("9");
  const world = await openWorld(project, { "2": {} });
  await world.stop();
});

it("leaves a log of a newer version untouched, and says so", async () => {
  const { project } = await restingLegion();
  const { toLine } = await import("../../../src/storage/folder/line.ts");
  const file = await logFile(project);
  const text = toLine({ seq: 1, epoch: 1, at: "", kind: "opened", format: 3, log: "x", seals: {} });
  await writeFile(file, text);
  const { exitCode, repairs } = await repaired(project);
  expect(exitCode).toBe(1);
  expect(repairs).toMatchObject([{ status: "failed", detail: expect.stringContaining("newer version") }]);
  expect(await readFile(file, "utf8")).toBe(text);
});
