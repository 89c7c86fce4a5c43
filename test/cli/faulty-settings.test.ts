import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openWorld, temporaryFolder } from "../world.ts";
import { serve } from "../control/serve.ts";
import { legion } from "./legion.ts";

const FAULT = 'legion: .ai-legion/config.yaml:1: unknown key "modell"; did you mean "model"?';
const WARNING = `${FAULT} (this goes on with the defaults, a start would not)\n`;

async function faultyProject(yaml = "modell: offline\n") {
  const project = await temporaryFolder();
  await writeFile(join(project, "README.md"), "# Garden\n");
  await legion(["start", "2", "--task", "note a: b", "--until-idle", "--tick", "0"], { cwd: project });
  await mkdir(join(project, ".ai-legion"), { recursive: true });
  await writeFile(join(project, ".ai-legion/config.yaml"), yaml);
  return project;
}

it.each([
  "ps",
  "ps --json",
  "goals 1",
  "notes 1",
  "log 1",
  "inbox",
  "prompt 1",
  "send 1 hello",
  "pause 1",
  "resume 1",
  "export 1",
  "fork 1 --at 4 --as 3",
])("legion %s is told of a mistake in config.yaml in one line, and goes on", async (words) => {
  const { exitCode, out, err } = await legion(words.split(" "), { cwd: await faultyProject() });
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: WARNING });
  expect(out).not.toBe("");
});

it("a node is stopped in spite of a mistake that was made after its start", async () => {
  const project = await faultyProject();
  const world = await openWorld(project, { "1": {} });
  const { asked } = await serve(world);
  const { exitCode, err } = await legion(["stop", "1"], { cwd: project });
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: WARNING });
  const stopping = legion(["stop"], { cwd: project });
  await asked;
  await world.stop();
  expect((await stopping).exitCode).toBe(0);
});

it.each(["start", "start --only 1", "replay 1"])("legion %s is refused in one line", async (words) => {
  const { exitCode, out, err } = await legion(words.split(" "), { cwd: await faultyProject() });
  expect({ exitCode, out, err }).toEqual({ exitCode: 2, out: "", err: `${FAULT}\n` });
});

it.each(["ps", "send 1 hello", "stop", "log 1", "pause 1"])(
  "legion %s does not take these files for a legion that is said to be elsewhere, in a way that cannot be read",
  async (words) => {
    const project = await faultyProject("buss: redis://127.0.0.1:1\n");
    const files = async () => (await readdir(join(project, ".ai-legion"), { recursive: true })).sort();
    const before = await files();
    const { exitCode, out, err } = await legion(words.split(" "), { cwd: project });
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toMatch(/^legion: \S+:1: unknown key "buss"; did you mean "bus"\? \([^\n]* say --bus\)\n$/);
    expect(await files()).toEqual(before);
    const there = await legion([...words.split(" "), "--bus", "memory"], { cwd: project });
    expect(there.err).toContain("goes on with the defaults");
  },
);

it("KEY: value in .env is refused with its line by a start, and its value is not shown", async () => {
  const project = await temporaryFolder();
  await writeFile(join(project, ".env"), "# keys\nOPENAI_API_KEY: sk-secret\n");
  const { exitCode, err } = await legion(["start"], { cwd: project });
  expect({ exitCode, err }).toEqual({
    exitCode: 2,
    err: "legion: .env:2: expected OPENAI_API_KEY=<value>, with = after the name\n",
  });
  const { out } = await legion(["doctor"], { cwd: project });
  expect(out).toMatch(/^wrong +config +\.env:2: expected OPENAI_API_KEY=<value>/m);
});
