import { readdir } from "node:fs/promises";
import { expect, it } from "vitest";
import { createTempProject } from "../../../temp-project.ts";
import { legion } from "../../legion.ts";

const START = ["start", "--model", "offline", "--until-idle", "--tick", "0"];

it.each([
  ["4-6", ["4", "5", "6"]],
  ["2,5", ["2", "5"]],
  ["writer", ["writer"]],
  ["2, 4-5 ,4,writer-2", ["2", "4", "5", "writer-2"]],
])("hosts just the agents %j", async (agents, ids) => {
  const cwd = await createTempProject();
  expect(await legion([...START, "--agents", agents], { cwd })).toMatchObject({ exitCode: 0, err: "" });
  const { json } = await legion(["ps", "--json"], { cwd });
  expect(json.map((line) => (line as { id: string }).id)).toEqual(ids);
});

const WRONG: readonly (readonly [args: readonly string[], reason: RegExp])[] = [
  [["--agents", ""], /^legion: --agents: expected ids such as 4-6, 2,5 or writer, not "": "" is no name/],
  [["--agents", "2,,3"], /"" is no name for an agent/],
  [["--agents", "all"], /"all" is no name for an agent/],
  [["--agents", "0"], /"0" is no name for an agent/],
  [["--agents", "../x"], /"\.\.\/x" is no name for an agent/],
  [["--agents", "0-2"], /from 1 up/],
  [["--agents", "6-4"], /the lower number first/],
  [["--agents", "1-10001"], /at most 10000/],
  [["--agents", "1-6000,6001-12000"], /more than 10000 agents/],
  [["3", "--agents", "4-6"], /leave out the number/],
  [["--agents", "4-6", "--only", "4"], /--only says which agents; leave out .*--agents/],
  [["--name", "scouts"], /^legion: --name: only for a legion in Redis; add --bus/],
  [["--here"], /^legion: --here: only for a legion in Redis; add --bus/],
  [["--allow-volatile"], /^legion: --allow-volatile: only for a legion in Redis; add --bus/],
  [["--bus", "redis://h", "--name", "Scouts"], /^legion: --name: expected a name of a-z/],
];

it.each(WRONG)("refuses %j in one line, and writes nothing", async (args, reason) => {
  const cwd = await createTempProject();
  const { exitCode, out, err } = await legion(["start", ...args], { cwd });
  expect({ exitCode, out }, err).toEqual({ exitCode: 2, out: "" });
  expect(err).toMatch(/^legion: [^\n]+\n$/);
  expect(err).toMatch(reason);
  expect(await readdir(cwd)).toEqual([]);
});
