import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import {
  asked,
  createTeam,
  decisionsOf,
  expectDone,
  goalsOf,
  idsTo,
  notesOf,
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
    expect(told).toMatch(/^The survey of "\." is done: 7 files, \d+ lines, 5 folders, 1 not read\./);
    const survey = await surveyOf(world);
    for (const path of SURVEYED) expect(survey).toContain(`- ${path}: `);
    expect(survey).toContain("- src/index.ts: 2 lines; exports start, version");
    expect(survey).toContain("- README.md: 3 lines; headings A project, How to run it");
    expect(survey).toContain("- src/deep/er/part.py: 2 lines; defines Part");
    expect(survey).toContain("- src/logo.png: not read, it is a PNG image (7 bytes)");
    expect(survey).not.toMatch(/left|HEAD|SURVEY|legion/);
    const withGoals = idsTo(n).filter((id) => goalsOf(world, id).length > 0);
    expect(withGoals).toHaveLength(Math.min(n, 5));
    for (const id of idsTo(n)) expect(await decisionsOf(world, id)).toBeLessThanOrEqual(12);
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
    expect(told).toContain("8 files");
    expect(await surveyOf(again)).toContain("- docs/new.md: 1 line; headings New");
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
    for (const path of Object.keys(files)) expect(await surveyOf(world)).toContain(path);
  });

  it("writes into the folder that it is about", async () => {
    const world = await createTeam(idsTo(2), PROJECT);
    await asked(world, "1", "survey src/");
    const survey = await surveyOf(world, "src");
    expect(survey).toMatch(/^# Survey of src$/m);
    expect(survey).toContain("- deep/er/part.py: 2 lines");
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
    expect(told).toContain("12 files, 11 lines, 1 folder, 1 not read");
    const survey = await surveyOf(world);
    expect(survey).not.toMatch(/[\u202e`<]/);
    expect(
      survey.split("\n").filter((line) => line.startsWith("- ") && line.includes("1 line")),
    ).toHaveLength(12);
  });

  it("does not follow links round in circles", async () => {
    const world = await createTeam(idsTo(1), { "src/a.ts": "export const a = 1;\n" });
    await symlink("..", join(world.project, "src/up"));
    await symlink("nowhere", join(world.project, "src/lost"));
    const [told] = await asked(world, "1", "survey .");
    expect(told).toContain("3 files, 1 line, 1 folder, 2 not read");
    expect(await surveyOf(world)).toContain("- src/up: not read, that path is the workspace itself");
  });

  it("names what is off-limits without reading it", async () => {
    const world = await createTeam(idsTo(1), { ".env": "SECRET=1\n", "deploy/id_rsa": "key\n" });
    await asked(world, "1", "survey .");
    const survey = await surveyOf(world);
    expect(survey).toContain("- .env: not read, that path is off-limits");
    expect(survey).toContain("- deploy/id_rsa: not read, that path is off-limits");
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
    for (const text of told) expect(text).toContain("7 files");
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

  it("names 500 files for each agent and counts the rest", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 1_560 }, (_, n) => [`d${n % 12}/${n % 7}/file-${n}.txt`, `${n}\n`]),
    );
    const world = await createTeam(idsTo(3), files);
    const [told] = await asked(world, "1", "survey .");
    expect(told).toContain("1560 files");
    const isFile = (line: string): boolean => /^- .*file-\d+\.txt: /.test(line);
    const survey = (await surveyOf(world)).split("\n");
    expect(survey.filter(isFile)).toHaveLength(1_500);
    expect(survey).toContain("- and 60 more files");
    for (const id of idsTo(3)) {
      expect(notesOf(world, id).map((note) => note.split("\n").filter(isFile).length)).toContain(500);
      expect(await decisionsOf(world, id)).toBeLessThanOrEqual(25);
    }
  });

  it("counts what a list does not show", async () => {
    const files = Array.from({ length: 1_100 }, (_, n) => [`many/${n}.txt`, ""]);
    const world = await createTeam(idsTo(1), Object.fromEntries(files));
    const [told] = await asked(world, "1", "survey .");
    expect(told).toContain("1100 files, 0 lines, 1 folder, 600 not read");
    expect((await asked(world, "1", "survey many"))[0]).toContain(
      "1100 files, 0 lines, 0 folders, 600 not read",
    );
  });

  it("stops reading, not naming, where long lines fill the view", async () => {
    const long = Array.from({ length: 8 }, (_, n) => [`a/${n}.js`, "x".repeat(60_000)]);
    const short = Array.from({ length: 60 }, (_, n) => [`b/${n}.js`, "export const b = 1;\n"]);
    const world = await createTeam(idsTo(1), Object.fromEntries([...long, ...short]));
    const [told] = await asked(world, "1", "survey .");
    await expectDone(world, idsTo(1));
    expect(told).toContain("68 files, 10 lines, 2 folders, 58 not read");
    const survey = await surveyOf(world);
    for (const [path] of [...long, ...short]) expect(survey).toContain(`- ${path}: `);
  });
});
