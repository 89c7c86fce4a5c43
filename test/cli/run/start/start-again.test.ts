import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { legionPaths } from "../../../../src/storage/folder/paths.ts";
import { redisIsThere, startRedis, type Server } from "../../../storage/redis/servers.ts";
import { signRecord } from "../../../signed-record.ts";
import { createTempProject } from "../../../temp-project.ts";
import { legion } from "../../legion.ts";

const END = ["--until-idle", "--tick", "0"];
const SAID = "those of the last start; a number, --agent or --team hosts others";

/** A project and what `legion start ...` says in it, first of all which agents on which model. */
async function project(files: Readonly<Record<string, string>> = {}) {
  const cwd = await createTempProject(files);
  const start = async (...args: readonly string[]) => {
    const { exitCode, out, err } = await legion(["start", ...args, ...END], { cwd });
    return { exitCode, out, err, head: out.split("\n")[0] };
  };
  return { cwd, start };
}

it("a start without a number hosts one agent the first time, then those of the last start, and says so", async () => {
  const { start } = await project();
  const first = await start();
  expect(first.head).toMatch(/^1 agent on offline/);
  expect(first.out).not.toContain("last start");
  await start("3");
  const again = await start();
  expect(again).toMatchObject({ exitCode: 0, head: expect.stringMatching(/^3 agents on offline/) });
  expect(again.out).toContain(`1 to 3: legionnaire. A generalist`);
  expect(again.out).toContain(`\n            ${SAID}.\n`);
});

it.each([
  [["2"], /^2 agents/],
  [["--agent", "roamer"], /^1 agent on/],
  [["--agents", "5-6"], /^2 agents/],
  [["--only", "2"], /^1 agent on/],
])("hosts with %j what that says", async (args, head) => {
  const { start } = await project();
  await start("3");
  const { out, head: seen } = await start(...args);
  expect(seen).toMatch(head);
  expect(out).not.toContain("those of the last start");
});

it("hosts them by the definition of then, and names the agents that it leaves out", async () => {
  const { start, cwd } = await project({ "agents/gardener.md": "---\ndescription: Digs.\n---\nDig." });
  await start("3");
  await legion(["fork", "3", "--at", "1", "--as", "3b"], { cwd });
  await start("2", "--agent", "gardener");
  const { out, head } = await start();
  expect(head).toMatch(/^2 agents/);
  expect(out).toContain("1, 2: gardener. Digs.");
  expect(out).toContain(`${SAID}; there are 3 besides: --only names them.`);
});

it("keeps --model and --limits of then until others are typed, and never --yes", async () => {
  const script = JSON.stringify([{ calls: [{ action: "noop" }] }]);
  const { start } = await project({ "a.json": script, "b.json": script });
  await start("2", "--model", "scripted:a.json", "--limits", "steps=7", "--yes");
  const again = await start();
  expect(again.head).toMatch(/^2 agents on scripted:a\.json/);
  expect(again.out).toContain("those of the last start with its --model scripted:a.json --limits steps=7;");
  expect(again.out).toContain("7 steps for each agent");
  expect(again.out).toMatch(/commands +there is no sandbox, so you are asked/);
  expect((await start("--model", "scripted:b.json")).head).toMatch(/^2 agents on scripted:b\.json/);
  expect((await start()).head).toMatch(/^2 agents on scripted:b\.json/);
});

it("hosts a team as its file says today, and only the same part of it", async () => {
  const { start, cwd } = await project({
    "crew.yaml":
      "agents:\n  a: { agent: roamer }\n  b: { agent: roamer, brief: Be b. }\n  c: { agent: roamer }\n",
  });
  await start("--team", "crew.yaml", "--agents", "b,c");
  expect((await start()).out).toContain("b, c: roamer.");
  await writeFile(join(cwd, "crew.yaml"), "agents:\n  b: { agent: legionnaire }\n  c: { agent: roamer }\n");
  expect((await start()).out).toContain("b: legionnaire.");
  await rm(join(cwd, "crew.yaml"));
  const { exitCode, out, err } = await start();
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(err).toBe(`legion: there is no file "crew.yaml" (the agents are ${SAID})\n`);
});

it("begins an agent anew whose folder was deleted, as what it was", async () => {
  const { start, cwd } = await project();
  await start("2", "--agent", "roamer", "--task", "note a: b");
  await rm(legionPaths(cwd).agent("1"), { recursive: true });
  expect((await start()).out).toContain("1, 2: roamer.");
  expect((await legion(["notes", "1"], { cwd })).out).toBe("Agent 1 has no notes.\n");
  await rm(legionPaths(cwd).agents, { recursive: true });
  expect((await start()).head).toMatch(/^1 agent on/);
});

it("says what is missing where the definition is gone", async () => {
  const { start, cwd } = await project({ "agents/gardener.md": "---\ndescription: Digs.\n---\nDig." });
  await start("2", "--agent", "gardener");
  await rm(join(cwd, "agents/gardener.md"));
  const { exitCode, err } = await start();
  expect(exitCode).toBe(2);
  expect(err).toMatch(
    /^legion: there is no agent "gardener"; .*\(the agents are those of the last start; [^\n]*\)\n$/,
  );
});

it("hosts agents that came in an archive, as they were", async () => {
  const { start, cwd } = await project();
  await start("2", "--agent", "roamer", "--task", "note a: b");
  await legion(["export", "2", "two.legion"], { cwd });
  const other = await project();
  await legion(["import", join(cwd, "two.legion")], { cwd: other.cwd });
  const { out } = await other.start();
  expect(out).toContain("2: roamer.");
  expect(out).toContain("those that are here, each as it was last started;");
});

it.each([
  "{",
  "[]",
  '{"lastStart":{"agents":[]}}',
  '{"lastStart":{"agents":[{"id":"../x","agent":"roamer"}]}}',
  '{"lastStart":{"agents":[{"id":"0","agent":"roamer"}]}}',
  '{"lastStart":{"agents":[{"id":"9","agent":7}]}}',
])("does not believe %j", async (record) => {
  const { start, cwd } = await project();
  const folder = legionPaths(cwd).agent("0");
  await mkdir(folder, { recursive: true });
  if (record.includes(":")) await signRecord("0", JSON.parse(record) as object, folder);
  else await writeFile(join(folder, "agent.json"), record);
  expect((await start()).head).toMatch(/^1 agent on/);
  expect(await readFile(join(folder, "agent.json"), "utf8")).toContain('"agent": "legionnaire"');
});

describe.runIf(redisIsThere)("a legion in Redis", () => {
  let server: Server;
  beforeAll(async () => void (server = await startRedis()));
  afterAll(() => server.stop());

  it("is hosted again as it was last started, from any folder", async () => {
    const there = ["--bus", server.url];
    const [one, two] = [await project(), await project()];
    expect((await two.start(...there)).head).toMatch(/^1 agent on/);
    await one.start("2", "--agent", "roamer", ...there);
    const { exitCode, out } = await two.start(...there);
    expect(exitCode).toBe(0);
    expect(out).toContain("1, 2: roamer.");
    expect(out).toContain(SAID);
    expect((await two.start(...there, "--name", "other")).head).toMatch(/^1 agent on/);
  });
});
