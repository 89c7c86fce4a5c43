import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import {
  asked,
  createTeam,
  decisionsOf,
  expectDone,
  filesIn,
  goalsOf,
  idsTo,
  offlineAgents,
  PROJECT,
  SURVEYED,
  surveyOf,
  toldControl,
  writeFiles,
  type Files,
} from "./offline-world.ts";

describe("a survey", () => {
  it.each([1, 3, 20])("is shared among %i agents, merged, written down and told once", async (n) => {
    const world = await createTeam(idsTo(n), PROJECT);
    await world.say("1", "survey .");
    await world.idle();

    const told = await expectDone(world, idsTo(n));
    expect(told).toMatch(/^The survey of "\." is done: 9 files, \d+ lines, 5 folders, 1 not read\./);
    const files = await filesIn(world);
    expect([...files.keys()].toSorted()).toEqual(SURVEYED);
    expect(files.get("src/index.ts")).toBe("2 lines; exports start, version");
    expect(files.get("README.md")).toBe("8 lines; A project");
    expect(files.get("src/deep/er/part.py")).toBe("2 lines; defines Part");
    expect(files.get("src/logo.png")).toBe("not read, it is a PNG image (7 bytes)");
    expect(await surveyOf(world)).not.toMatch(/node_modules|dist|HEAD|SURVEY|legion/);
    const withGoals = idsTo(n).filter((id) => goalsOf(world, id).length > 0);
    expect(withGoals).toHaveLength(Math.min(n, 6));
    for (const id of idsTo(n)) expect(await decisionsOf(world, id)).toBeLessThanOrEqual(12);
  });

  it("says what the project is, how it is laid out, where to start, and what stands out", async () => {
    const world = await createTeam(idsTo(2), PROJECT);
    await asked(world, "1", "survey .");
    const [opening] = (await surveyOf(world)).split("## Files");
    expect(opening).toMatchInlineSnapshot(`
      "# Survey of a-project

      > It keeps the time for *gardens*.

      9 files, 18 lines, 5 folders, 1 not read. What git ignores is left out.

      ## How it is laid out

      - docs/: 1 file
      - src/: 4 files
      - test/: 1 file

      ## Where to start

      - README.md: 8 lines; A project
      - src/index.ts: 2 lines; exports start, version
      - to run: npm test, npm run grow

      ## The largest files

      - README.md: 8 lines; A project
      - .gitignore: 3 lines
      - src/index.ts: 2 lines; exports start, version
      - src/deep/er/part.py: 2 lines; defines Part
      - package.json: 1 line
      - docs/guide.md: 1 line; Guide
      - test/index.test.ts: 1 line

      ## The most imported files

      - src/index.ts: imported by 1; exports start, version

      "
    `);
  });

  it("is the same text whenever the files and the agents are the same", async () => {
    const world = await createTeam(idsTo(3), PROJECT);
    await asked(world, "1", "survey .");
    const first = await surveyOf(world);
    await asked(world, "1", "survey .");
    expect(await surveyOf(world)).toBe(first);
  });

  it("that comes again shows what has changed, and leaves no goal behind", async () => {
    const world = await createTeam(idsTo(3), PROJECT);
    await asked(world, "1", "survey .");
    const again = await world.restart(offlineAgents(idsTo(2)));
    await writeFiles(again.project, { "docs/new.md": "# New\n" });
    const [told] = await asked(again, "1", "survey .");
    expect(told).toContain("10 files");
    expect((await filesIn(again)).get("docs/new.md")).toBe("1 line; New");
    for (const id of idsTo(3)) expect(goalsOf(again, id).every(({ complete }) => complete)).toBe(true);
  });

  it.each([
    ["an empty folder", {}, "0 files"],
    ["a single file", { "only.txt": "one\ntwo\n" }, "1 file, 2 lines"],
    [
      "a single binary file",
      { "only.bin": new Uint8Array([1, 0, 2]) },
      "1 file, 0 lines, 0 folders, 1 not read",
    ],
    ["nothing but folders", { "a/b/c/.keep": "" }, "1 file, 0 lines, 3 folders, 0 not read"],
  ] satisfies [string, Files, string][])("works on %s", async (_, files, counts) => {
    const world = await createTeam(idsTo(3), files);
    await asked(world, "1", "survey .");
    expect(await expectDone(world, idsTo(3))).toContain(counts);
    expect([...(await filesIn(world)).keys()]).toEqual(Object.keys(files));
  });

  it("writes into the folder that it is about", async () => {
    const world = await createTeam(idsTo(2), PROJECT);
    await asked(world, "1", "survey src/");
    const survey = await surveyOf(world, "src");
    expect(survey).toMatch(/^# Survey of src$/m);
    expect((await filesIn(world, "src")).get("deep/er/part.py")).toMatch(/^2 lines/);
    expect(survey).not.toContain("README");
  });

  it("names files whatever they are called", async () => {
    const names = [
      "a b.txt",
      'say "hi".txt',
      '"quoted"',
      "semi;colon: and, comma",
      "new\nline.txt",
      "- dash.md",
      "name [directory]",
      "übung-日本.md",
      "__proto__",
      "back\\slash",
      "`tick` <b>.md",
      "right\u202eleft.txt",
    ];
    const world = await createTeam(idsTo(3), Object.fromEntries(names.map((name) => [`odd/${name}`, "x\n"])));
    const [told] = await asked(world, "1", "survey .");
    expect(told).toContain("12 files, 12 lines, 1 folder, 0 not read");
    expect(await surveyOf(world)).not.toMatch(/[\u202e`<]/);
    const files = await filesIn(world);
    expect(files.size).toBe(12);
    for (const [path, says] of files) expect([path, says]).toEqual([path, "1 line"]);
  });

  it("does not follow links round in circles", async () => {
    const world = await createTeam(idsTo(1), { "src/a.ts": "export const a = 1;\n" });
    await symlink("..", join(world.project, "src/up"));
    await symlink("nowhere", join(world.project, "src/lost"));
    const [told] = await asked(world, "1", "survey .");
    expect(told).toContain("3 files, 1 line, 1 folder, 2 not read");
    expect((await filesIn(world)).get("src/up")).toBe("not read, it is a link");
  });

  it("names what is off-limits without reading it", async () => {
    const world = await createTeam(idsTo(1), { ".env": "SECRET=1\n", "deploy/id_rsa": "key\n" });
    await asked(world, "1", "survey .");
    const files = await filesIn(world);
    expect(files.get(".env")).toBe("not read, that path is off-limits");
    expect(files.get("deploy/id_rsa")).toBe("not read, that path is off-limits");
  });

  it("says why it cannot be done, and gives the goal up", async () => {
    const world = await createTeam(idsTo(2), PROJECT);
    for (const dir of ["nothing/here", "../elsewhere", "README.md", ".git"]) {
      const [told, another] = await asked(world, "1", `survey ${dir}`);
      expect(told).toMatch(/^The survey of ".*" has failed: [^.]+\.$/);
      expect(another).toBeUndefined();
    }
    expect(goalsOf(world, "1").filter(({ complete }) => !complete)).toEqual([]);
    expect(await decisionsOf(world, "2")).toBe(0);
  });

  it("that was asked for by an agent is told to it and to Control", async () => {
    const world = await createTeam(idsTo(3), PROJECT);
    await asked(world, "1", "tell 2 survey docs");
    await expectDone(world, []);
    const mail = (await world.kinds("1", "message")).map(({ message }) => message.content);
    expect(mail.at(-1)).toMatch(/^The survey of "docs" is done: 1 file/);
  });

  it("can be asked of everybody at once", async () => {
    const world = await createTeam(idsTo(4), PROJECT);
    await world.say("all", "survey .");
    await world.idle();
    const told = await toldControl(world);
    expect(told).toHaveLength(4);
    for (const text of told) expect(text).toContain("9 files");
    for (const id of idsTo(4)) expect(goalsOf(world, id).every(({ complete }) => complete)).toBe(true);
  });

  it("leaves agents out that do not run", async () => {
    const world = await createTeam(idsTo(3), PROJECT);
    await world.idle();
    const smaller = await world.restart(offlineAgents(idsTo(2)));
    await asked(smaller, "1", "survey .");
    await expectDone(smaller, idsTo(2));
    expect(await surveyOf(smaller)).not.toContain("Agent 3");
  });

  it("names as many files as there is room for, and counts the rest", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 4_000 }, (_, n) => [`d${n % 2}/${n % 7}/file-${n}.txt`, `${n}\n`]),
    );
    const world = await createTeam(idsTo(2), files);
    const [told] = await asked(world, "1", "survey .");
    expect(told).toContain("4000 files, 4000 lines, 16 folders, 0 not read");
    const named = (await filesIn(world)).size;
    expect(named).toBeGreaterThan(2_000);
    const survey = await surveyOf(world);
    expect(survey.split("\n")).toContain(`- and ${4_000 - named} more files`);
    expect(survey.length).toBeLessThan(64_000);
    for (const id of idsTo(2)) expect(await decisionsOf(world, id)).toBeLessThanOrEqual(12);
  });

  it("counts what a list does not show", async () => {
    const world = await createTeam(
      idsTo(1),
      Object.fromEntries(Array.from({ length: 1_100 }, (_, n) => [`${n}.txt`, ""])),
    );
    expect((await asked(world, "1", "survey ."))[0]).toContain(
      "1100 files, 0 lines, 0 folders, 101 not read",
    );
  });

  it("costs little: what it sees and writes for each file is a line", async () => {
    const text = "// Says what it is for.\n" + "x();\n".repeat(200);
    const files = Array.from({ length: 600 }, (_, n) => [`d${n % 9}/${n % 5}/file-${n}.ts`, text]);
    const world = await createTeam(idsTo(3), { "README.md": "# Many\n", ...Object.fromEntries(files) });
    await asked(world, "1", "survey .");
    const decisions = (await Promise.all(idsTo(3).map((id) => world.kinds(id, "decision")))).flat();
    const tokens = decisions.reduce((sum, { usage }) => sum + usage!.input + usage!.output, 0);
    expect((await filesIn(world)).get("d3/2/file-12.ts")).toBe("201 lines; Says what it is for");
    expect(decisions.length).toBeLessThanOrEqual(15);
    expect(tokens).toBeLessThan(150_000);
  });

  it("is finished also where a folder holds more than fits into the view", async () => {
    const name = "n".repeat(200);
    const files = Array.from({ length: 900 }, (_, n) => [`${n % 9}/${name}/${name}-${n}.txt`, "x\n"]);
    const world = await createTeam(idsTo(1), Object.fromEntries(files));
    const [told] = await asked(world, "1", "survey .");
    await expectDone(world, idsTo(1));
    expect(told).toContain("900 files, 900 lines, 18 folders, 0 not read");
  });
});
