import { link, mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { archiveOf, eventsOf, restingLegion } from "../../storage/archive/archived.ts";
import { createTempProject } from "../../temp-project.ts";
import { createWorld, temporaryFolder } from "../../world.ts";
import { legion } from "../legion.ts";

it("moves an agent: what export wrote, import takes in, and says what that means", async () => {
  const { project } = await restingLegion();
  const cwd = await temporaryFolder();
  await legion(["export", "2", join(cwd, "2.legion")], { cwd: project });
  const { exitCode, out } = await legion(["import", "2.legion"], { cwd });
  expect(exitCode).toBe(0);
  expect(out).toMatch(
    /^Agent 2: \d+ events, 0 unread messages\nmoved here; do not start what it was made from/,
  );
  expect(await eventsOf(cwd, "2")).toEqual(await eventsOf(project, "2"));
  const again = await legion(["import", "2.legion"], { cwd });
  expect(again.exitCode).toBe(1);
  expect(again.err).toMatch(/^legion: already in this project: Agent 2; `--as <id>`/);
  const named = await legion(["import", "2.legion", "--as", "twin", "--json"], { cwd });
  expect(named.json).toMatchObject([{ agents: ["twin"], unread: 0 }]);
  expect((await legion(["ps"], { cwd })).out).toMatch(/^2 .*\n(.*\n)*?twin /m);
});

it("says that a copy of a running agent has a life of its own", async () => {
  const world = await createWorld({ "2": {} });
  await world.say("2", "Work");
  await world.idle();
  const cwd = await temporaryFolder();
  const { out } = await legion(["import", await archiveOf(world.project, ["2"])], { cwd });
  expect(out).toMatch(/copied while running/);
});

it("is refused while a node runs, in one line that says what to do", async () => {
  const { project } = await restingLegion();
  const file = await archiveOf(project, ["2"]);
  const world = await createWorld({ "1": {} });
  const { exitCode, err } = await legion(["import", file], { cwd: world.project });
  expect(exitCode).toBe(1);
  expect(err).toMatch(/^legion: .*`legion stop` ends it\.\n$/);
});

it("takes nothing of a damaged file", async () => {
  const { project } = await restingLegion();
  const file = await archiveOf(project, ["2"]);
  await writeFile(file, (await readFile(file, "utf8")).slice(0, -20));
  const cwd = await temporaryFolder();
  const { exitCode, err } = await legion(["import", file], { cwd });
  expect(exitCode).toBe(1);
  expect(err).toMatch(
    /^legion: .*a\.legion:\d+: the file ends in the middle; copy it again; nothing of it was taken\n$/,
  );
  expect((await legion(["ps", "--json"], { cwd })).json).toEqual([]);
});

const said = (type: string, content: string, source: object = { type: "system" }) => ({
  type: "message",
  message: { type, source, targetAgentIds: ["1"], content },
});
const decided = (actionText: string) => ({ type: "decision", decision: { actionText } });
const REMEMBERED = [
  decided("listDirectory\npath: ./"),
  said("standard", "Here are the contents of ./:"),
  said("agentToAgent", "Who are you?", { type: "agent", id: "0" }),
  decided("I am Agent 1."),
  said("error", "Your action could not be parsed."),
];

it("takes the memory of an agent of the original, and keeps what it did not understand", async () => {
  const cwd = await createTempProject({
    "Old.json": JSON.stringify([...REMEMBERED, "\u001b[2Jwhat?", { type: "\u001b[2Jdream" }, 42]),
  });
  const { exitCode, out, err } = await legion(["import", "Old.json"], { cwd });
  expect(exitCode).toBe(0);
  expect(out).toBe("old has the past of Old.json: 5 events, as history\n");
  const [first] = err.split("\n");
  expect(first).toBe(
    'legion: 3 not understood (2 of no type, 1 of type "\\u001b[2Jdream"); kept in .ai-legion/corrupt/old-import.json',
  );
  const events = await eventsOf(cwd, "old");
  expect(events.map(({ kind }) => kind)).toEqual([
    "opened",
    ...["decision", "result", "message", "decision", "result"],
    ...["opened", "branch"],
  ]);
  expect((await legion(["log", "old"], { cwd })).out).toContain("Control: Who are you?");
});

describe("an agent's folder in the store of the original", () => {
  it.each([
    ["as it is written", ".store/1", "goals", "notes/a%2fb", [{ text: "Read", complete: true }]],
    [
      "with extensions",
      "old/1",
      "goals.json",
      "notes/a%2Fb.txt",
      { goals: [{ text: "Read", complete: true }] },
    ],
  ])("%s: goals and notes come along, and a start is not needed to see them", async (...row) => {
    const [, folder, goalsFile, note, goals] = row;
    const cwd = await createTempProject({
      [`${folder}/${goalsFile.replace("goals", "memory")}`]: JSON.stringify(REMEMBERED),
      [`${folder}/${goalsFile}`]: JSON.stringify(goals),
      [`${folder}/${note}`]: "The way.",
    });
    const { exitCode, out } = await legion(["import", folder, "--trust"], { cwd });
    expect(exitCode).toBe(0);
    expect(out).toBe(`Agent 1 has the past of ${folder}: 5 events, 1 goal, 1 note, as history\n`);
    const prompt = await legion(["prompt", "1"], { cwd });
    expect(prompt.exitCode, prompt.err).toBe(0);
    for (const text of ["Who are you?", '1) "Read" [COMPLETE]', "- a/b", "Your action could not be parsed."])
      expect(prompt.out).toContain(text);
    expect((await legion(["goals", "1"], { cwd })).out).toContain("Read");
    const argv = ["start", "--only", "1", "--model", "offline", "--tick", "0", "--until-idle"];
    expect((await legion([...argv, "--task", "say hello"], { cwd })).exitCode).toBe(0);
    expect((await legion(["notes", "1", "a/b"], { cwd })).out).toContain("The way.");
  });

  it("brings no file along that lies elsewhere, and nothing that is no text", async () => {
    const cwd = await createTempProject({
      "1/memory": JSON.stringify(REMEMBERED),
      "1/notes/good": "yes",
      "1/notes/bell\u0007": "no",
      "1/notes/long": "x".repeat(1_048_577),
      secret: '[{ "text": "secret" }]',
    });
    await symlink("../../secret", join(cwd, "1/notes/link"));
    await link(join(cwd, "secret"), join(cwd, "1/notes/name"));
    await symlink("../secret", join(cwd, "1/goals"));
    await writeFile(join(cwd, "1/notes/picture"), Buffer.from([0xff, 0xd8]));
    const { exitCode, out, err } = await legion(["import", "1/memory", "--json"], { cwd });
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ agents: ["1"], events: 5, goals: 0, notes: 1, strange: [] });
    expect(err).toMatch(/^legion: 6 not understood \(5 of its notes, 1 of its goals\); kept in/);
    const kept = await readFile(join(cwd, ".ai-legion/corrupt/1-import.json"), "utf8");
    expect(kept).not.toContain("secret");
  });

  it("has no memory and no notes that are links", async () => {
    const cwd = await createTempProject({ "1/memory": JSON.stringify(REMEMBERED), "home/a": "secret" });
    await symlink("../home", join(cwd, "1/notes"));
    const { json } = await legion(["import", "1", "--json"], { cwd });
    expect(json).toMatchObject([{ notes: 0 }]);
    await mkdir(join(cwd, "2"));
    await symlink("../1/memory", join(cwd, "2/memory"));
    expect((await legion(["import", "2"], { cwd })).err).toMatch(/there is no file "2"/);
  });
});

it.each([
  [["nothing.json"], /there is no file/],
  [["."], /there is no file/],
  [["text.txt"], /is neither a file of `legion export` nor a memory/],
  [["empty.json"], /is neither a file of `legion export` nor a memory/],
  [["0.json"], /does not tell the agent's name; say it with --as <id>/],
  [["text.txt", "--as", "../x"], /is no name for an agent/],
  [["text.txt", "--as", "all"], /is no name for an agent/],
])("refuses %j in one line, and writes nothing", async (args, text) => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "text.txt"), "Hello");
  await writeFile(join(cwd, "empty.json"), "[]");
  await writeFile(join(cwd, "0.json"), '[{"type":"decision","actionText":"noop"}]');
  const { exitCode, err } = await legion(["import", ...args], { cwd });
  expect(exitCode).toBe(2);
  expect(err).toMatch(text);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
  expect(await readdir(cwd)).toEqual(["0.json", "empty.json", "text.txt"]);
});
