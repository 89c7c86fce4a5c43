import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { archiveOf, eventsOf, restingLegion } from "../../storage/archive/archived.ts";
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

it("takes the memory of an agent of the original, and keeps what it did not understand", async () => {
  const cwd = await temporaryFolder();
  const entries = [
    { type: "decision", actionText: "noop" },
    { type: "message", message: { type: "agentToAgent", source: { type: "agent", id: "0" }, content: "Hi" } },
    "\u001b[2Jwhat?",
  ];
  await writeFile(join(cwd, "Old.json"), JSON.stringify(entries));
  const { exitCode, out, err } = await legion(["import", "Old.json"], { cwd });
  expect(exitCode).toBe(0);
  expect(out).toBe("old has the past of Old.json: 3 events, as history\n");
  expect(err).toMatch(
    /entry 2 was not understood: "\\u001b\[2Jwhat\?"\n.*1 not understood; kept in \.ai-legion\/corrupt\/old-/s,
  );
  expect(await readdir(join(cwd, ".ai-legion/corrupt"))).toEqual(["old-import.json"]);
  const kinds = (await eventsOf(cwd, "old")).map(({ kind }) => kind);
  expect(kinds).toEqual(["opened", "decision", "result", "message", "opened", "branch"]);
  expect((await legion(["log", "old"], { cwd })).out).toContain("Control: Hi");
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
