import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { linesIn, restingLegion } from "../../storage/archive/archived.ts";
import { temporaryFolder } from "../../world.ts";
import { legion } from "../legion.ts";

it("writes one agent to a file of its name, for its owner alone", async () => {
  const { project } = await restingLegion();
  const { exitCode, out } = await legion(["export", "2"], { cwd: project });
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^wrote 2\.legion: Agent 2, \d+ events\n$/);
  expect((await linesIn(join(project, "2.legion")))[0]).toMatchObject({ format: 1, agents: ["2"] });
  expect((await stat(join(project, "2.legion"))).mode & 0o777).toBe(0o600);
  expect(await readdir(project)).toEqual([".ai-legion", "2.legion"]);
});

it("writes everybody with --all, and says what it wrote as JSON", async () => {
  const { project } = await restingLegion();
  const cwd = await temporaryFolder();
  const { json } = await legion(["export", "--all", "team.legion", "--dir", project, "--json"], { cwd });
  expect(json).toMatchObject([{ file: join(cwd, "team.legion"), agents: ["0", "1", "2"], unread: 0 }]);
  expect(await readdir(cwd)).toEqual(["team.legion"]);
});

it("replaces no file", async () => {
  const { project } = await restingLegion();
  await writeFile(join(project, "2.legion"), "mine");
  const { exitCode, err } = await legion(["export", "2"], { cwd: project });
  expect(exitCode).toBe(2);
  expect(err).toBe("legion: 2.legion is there already; name another file, or move it away\n");
  expect(await readFile(join(project, "2.legion"), "utf8")).toBe("mine");
});

it("is not for a terminal", async () => {
  const { project } = await restingLegion();
  const { exitCode, err } = await legion(["export", "2", "-"], { cwd: project, columns: 80 });
  expect(exitCode).toBe(2);
  expect(err).toMatch(/not for a terminal/);
});

it.each([
  [[], /name an agent, or --all and a file/],
  [["--all"], /--all takes a file and no agent/],
  [["--all", "2", "x"], /--all takes a file and no agent/],
  [["9"], /there is no agent "9"; known: 1, 2/],
  [["2", "no/such/x.legion"], /there is no folder/],
])("refuses %j in one line, and writes nothing", async (args, text) => {
  const { project } = await restingLegion();
  const { exitCode, err } = await legion(["export", ...args], { cwd: project });
  expect(exitCode).toBe(2);
  expect(err).toMatch(text);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
  expect(await readdir(project)).toEqual([".ai-legion"]);
});

it("says so where there is nobody", async () => {
  const cwd = await temporaryFolder();
  const { exitCode, err } = await legion(["export", "--all", "x.legion"], { cwd });
  expect(exitCode).toBe(2);
  expect(err).toMatch(/there is no agent here yet/);
});

it("names on standard error what it left out", async () => {
  const { project } = await restingLegion();
  await mkdir(join(project, ".ai-legion/agents/2/deep/deeper"), { recursive: true });
  await writeFile(join(project, ".ai-legion/agents/2/.hidden"), "");
  const { exitCode, err } = await legion(["export", "2"], { cwd: project });
  expect(exitCode).toBe(0);
  expect(err).toMatch(/left out \.ai-legion\/agents\/2\/\.hidden/);
  expect(err).toMatch(/left out \.ai-legion\/agents\/2\/deep\/deeper/);
});
