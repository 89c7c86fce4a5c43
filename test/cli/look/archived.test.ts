// `legion report` and `legion bill` of a file that `legion export` wrote: nothing of it comes into the legion that is here.

import { readdir, truncate, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../world.ts";
import { legion } from "../legion.ts";
import { night } from "./report/night.ts";

async function archived(): Promise<{ readonly project: string; readonly file: string }> {
  const { project, stop } = await night();
  await stop();
  const file = join(await temporaryFolder(), "night.legion");
  expect((await legion(["export", "--all", file], { cwd: project })).exitCode).toBe(0);
  return { project, file };
}

const leftBehind = async (): Promise<readonly string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith("legion-archive-"));

it("they are those of the legion that it was made of, and nothing is left behind", async () => {
  const { project, file } = await archived();
  const cwd = await temporaryFolder();
  const before = await leftBehind();
  const read = async (...argv: string[]) => {
    const { json, exitCode, err } = await legion(argv, { cwd });
    expect([exitCode, err]).toEqual([0, ""]);
    return json;
  };
  const lived = (await legion(["report", "--json"], { cwd: project })).json[0] as object;
  const [told] = await read("report", "--json", "--archive", file);
  const { since: _, until: __, ...own } = lived as Record<string, unknown>;
  expect(told).toMatchObject({ ...own, since: null });
  const bill = (await legion(["bill", "--json"], { cwd: project })).json;
  expect(await read("bill", "--json", "--archive", file)).toEqual(bill);
  expect(await leftBehind()).toEqual(before);
  expect(await readdir(cwd)).toEqual([]);
});

it("they need no legion: whatever the settings say of where it is", async () => {
  const { file } = await archived();
  const cwd = await temporaryFolder();
  const env = { LEGION_BUS: "redis://127.0.0.1:1", LEGION_RUN: "garden" };
  const { exitCode, err } = await legion(["bill", "--archive", file], { cwd, env });
  expect([exitCode, err]).toEqual([0, ""]);
});

it("what waits in it is done where it was taken in, and nobody is asked here", async () => {
  const { file } = await archived();
  const cwd = await temporaryFolder();
  const { out } = await legion(["report", "--archive", file], {
    cwd,
    columns: 200,
    at: "terminal",
    stdin: "",
  });
  expect(out).toContain(`legion import ${file} && legion approve 4.5`);
  expect(out).not.toContain("Enter: later");
  // The next page of the legion here does not go on from it.
  const { err } = await legion(["report", "--since", "last"], { cwd });
  expect(err).toContain("no page was shown before");
});

it("one that is torn or missing, or a legion beside it, is one line", async () => {
  const { file } = await archived();
  const cwd = await temporaryFolder();
  const refused = async (...argv: string[]) => {
    const { exitCode, err, out } = await legion(argv, { cwd });
    expect(out).toBe("");
    expect(err.trim().split("\n")).toHaveLength(1);
    return [exitCode, err];
  };
  const missing = await refused("report", "--archive", "nowhere.legion");
  expect(missing).toEqual([2, expect.stringContaining('--archive: there is no file "nowhere.legion"')]);
  const both = await refused("bill", "--archive", file, "--run", "garden");
  expect(both).toEqual([2, expect.stringContaining("--run")]);
  const last = await refused("report", "--archive", file, "--since", "last");
  expect(last).toEqual([2, expect.stringContaining("--since last")]);
  const before = await leftBehind();
  await truncate(file, (await stat(file)).size - 20);
  for (const command of ["report", "bill"]) {
    const [exitCode, err] = await refused(command, "--archive", file);
    expect([exitCode, err]).toEqual([
      expect.any(Number),
      expect.stringMatching(/night\.legion:\d+: the file ends in the middle/),
    ]);
    expect(exitCode).not.toBe(0);
  }
  expect(await leftBehind()).toEqual(before);
});
