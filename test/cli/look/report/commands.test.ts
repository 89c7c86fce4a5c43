// What commands changed, as the report tells it: real commands in a repository, each way that the page is shown.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reportSchema, type Report } from "../../../../src/legion/report/report.ts";
import { bubblewrapIsThere } from "../../../environment/opened.ts";
import {
  createRepositoryYard,
  gate,
  run,
  untilPrinted,
  untilResult,
} from "../../../legion/undo/repository-yard.ts";
import { edit, REST } from "../../../legion/undo/yard.ts";
import { createWorld, temporaryFolder, type World } from "../../../world.ts";
import { legion } from "../../legion.ts";
import { calls, says, worker } from "./night.ts";

async function told(cwd: string, ...argv: string[]): Promise<Report> {
  return reportSchema.parse((await legion(["report", "--json", "--all", ...argv], { cwd })).json[0]);
}

/** As one line, without colours. */
async function shown(cwd: string, columns = 110): Promise<string> {
  const { out } = await legion(["report"], { cwd, columns });
  return out.replace(/\u001b\[\d+m/g, "").replace(/\s+/g, " ");
}

async function markdown(cwd: string): Promise<string> {
  return (await legion(["report", "--md"], { cwd })).out;
}

/** An agent that edits and runs commands, when it is done. */
async function worked(): Promise<World> {
  const world = await createRepositoryYard(
    { "a.txt": "a\n", "b.txt": "b\n" },
    {
      1: [
        {
          calls: [
            edit("a.txt", "a", "A"),
            run("sed -i s/A/B/ a.txt; rm b.txt"),
            run("echo x > c.txt; exit 3"),
          ],
        },
        { calls: [run("cat a.txt"), run("cat a.txt")] },
        { calls: [run("echo y >> c.txt"), run("echo y >> c.txt")] },
        { calls: [run("git commit -qam two")] },
        REST,
      ],
    },
  );
  await world.say("1", "Tidy up.");
  await world.idle();
  await world.stop();
  return world;
}

describe.runIf(bubblewrapIsThere)("what commands changed in a repository", () => {
  it("is among the files that were changed, with the command, and each command says what is known of it", async () => {
    const { project } = await worked();
    const { changed, commands, asked } = await told(project);
    const seqs = changed.items.map(({ commandSeq }) => commandSeq);
    expect(changed.items.map(({ path, does, times, commands: by }) => [path, does, times, by])).toEqual([
      ["c.txt", "created", 3, 3],
      ["a.txt", "changed", 2, 1],
      ["b.txt", "deleted", 1, 1],
    ]);
    expect(changed.items[1]).toMatchObject({
      ...{ command: "sed -i s/A/B/ a.txt; rm b.txt", commandSeq: seqs[2], isShared: false },
      ...{ added: 1, removed: 1, diff: expect.stringContaining("+A") as string },
    });
    expect(changed.items[2]).toMatchObject({ diff: "", cause: asked.items[0]?.root, asked: "Tidy up." });
    expect(asked.items[0]).toMatchObject({ files: 3, commands: 7 });
    expect(
      commands.items.map(({ command, files, times, unknown }) => [command, files, times, unknown]),
    ).toEqual([
      ["git commit -qam two", null, 1, "branches or other refs were moved"],
      ["echo y >> c.txt", 1, 2, null],
      ["cat a.txt", 0, 2, null],
      ["echo x > c.txt; exit 3", 1, 1, null],
      ["sed -i s/A/B/ a.txt; rm b.txt", 2, 1, null],
    ]);
    expect((await legion(["undo", `1.${seqs[2]}`, "--dry-run"], { cwd: project })).out).toContain("b.txt");
  });

  it("stands on a terminal and in Markdown, and why something is not known stands there once", async () => {
    const { project } = await worked();
    const page = await shown(project);
    expect(page).toMatch(
      /FILE DID LINES COMMAND BY .* b\.txt deleted sed -i s\/A\/B\/ a\.txt; rm b\.txt Agent 1/,
    );
    expect(page).toMatch(/COMMAND CAME TO CHANGED TIMES .*git commit -qam two ok not known 1 Agent 1/);
    for (const row of ["ok 1 file each 2 Agent 1", "ok nothing 2 Agent 1", "exit 3 1 file 1", "ok 2 files 1"])
      expect(page).toContain(row);
    expect(page.split("not known: branches or other refs were moved")).toHaveLength(2);
    const md = await markdown(project);
    expect(md).toContain("- `b.txt` deleted · by `sed -i s/A/B/ a.txt; rm b.txt` · Agent 1");
    expect(md).toContain("- `cat a.txt` ok · 2 times · changed nothing · Agent 1");
    expect(md).toContain("- `git commit -qam two` ok · changes not known · Agent 1");
    expect(md).toMatch(/^not known: branches or other refs were moved$/m);
    for (const columns of [110, 80, 60, 40])
      for (const row of (await legion(["report"], { cwd: project, columns })).out.split("\n"))
        expect(row.replace(/\u001b\[\d+m/g, ""), row).toMatch(new RegExp(`^.{0,${columns}}$`));
  });

  it("is a move where it is one, and taken back as that", async () => {
    const world = await createRepositoryYard(
      { "a/x.txt": "x\n", "a/y.txt": "y\n" },
      { 1: [{ calls: [run("git mv a b; echo more >> b/y.txt")] }, REST, REST] },
    );
    const [id] = await world.say("1", "Move it.");
    await world.idle();
    const read = async () =>
      (await told(world.project)).changed.items
        .map(({ path, from, does, takenBack }) => `${from ?? ""} ${path} ${does} ${takenBack}`)
        .sort();
    expect(await read()).toEqual([" a/y.txt deleted 0", " b/y.txt created 0", "a/x.txt b/x.txt moved 0"]);
    expect(await shown(world.project)).toContain("a/x.txt -> b/x.txt moved git mv a b;");
    await world.legion.undo(id!);
    expect(await read()).toEqual([" a/y.txt deleted 1", " b/y.txt created 1", "a/x.txt b/x.txt moved 1"]);
    await world.stop();
  });

  it("is told of an archive, and where it was taken in, as it is here", async () => {
    const { project } = await worked();
    const file = join(await temporaryFolder(), "agents.tgz");
    expect((await legion(["export", "1", file], { cwd: project })).exitCode).toBe(0);
    const elsewhere = await temporaryFolder();
    const here = await told(project);
    const looked = await told(elsewhere, "--archive", file);
    expect((await legion(["import", file], { cwd: elsewhere })).exitCode).toBe(0);
    for (const there of [looked, await told(elsewhere)]) {
      expect(there.changed.items).toEqual(here.changed.items);
      expect(there.commands.items).toEqual(here.commands.items);
    }
  });

  it("says of what changed beside other commands that nobody knows which of them did it", async () => {
    const world = await createRepositoryYard(
      { "a.txt": "a\n" },
      {
        1: [{ calls: [run(`echo A > a.txt; ${gate("gate")}`)] }, REST],
        2: [{ calls: [run("echo B > b.txt")] }, REST],
      },
    );
    await world.say("1", "Go.");
    await untilPrinted(world, "1", "at gate");
    await world.say("2", "Go.");
    await untilResult(world, "2");
    writeFileSync(join(world.project, "gate"), "go\n");
    await world.idle();
    await world.stop();
    const { changed, commands } = await told(world.project);
    const shared = changed.items.map(({ agent, path, isShared }) => `${agent} ${path} ${isShared}`);
    expect(shared.sort()).toEqual(["1 a.txt true", "1 b.txt true", "2 b.txt true"]);
    const many = commands.items.map(({ agent, files, isShared }) => `${agent} ${files} ${isShared}`);
    expect(many.sort()).toEqual(["1 2 true", "2 1 true"]);
    const page = await shown(world.project);
    expect(page).toContain("b.txt created, shared");
    expect(page).toContain("2 files, shared");
    expect(page.split("shared: other commands ran meanwhile")).toHaveLength(3);
  });

  it("counts at least so many files where one command changed more than are listed", async () => {
    const many = run("mkdir n; cd n; seq 103 | xargs touch");
    const world = await createRepositoryYard({ "a.txt": "a\n" }, { 1: [{ calls: [many] }, REST] });
    await world.say("1", "Go.");
    await world.idle();
    await world.stop();
    const { changed, commands, asked } = await told(world.project);
    expect([changed.total, changed.isMore, commands.items[0]?.files]).toEqual([100, true, 103]);
    expect(changed.items.every(({ besides }) => besides === 0)).toBe(true);
    expect(asked.items[0]).toMatchObject({ files: 100, moreFiles: 3 });
    expect(await shown(world.project)).toContain("at least 100 files changed, 1 command; to take back");
    expect(await shown(world.project)).toContain("Files that were changed (at least 100)");
  });

  it("is one line where it is more than five files that nothing else changed, and all of them where all is asked for", async () => {
    const world = await createRepositoryYard(
      { "a.txt": "a\n", "b.txt": "b\n" },
      {
        1: [
          { calls: [run("touch n1 n2 n3 n4 n5 n6; rm b.txt"), run("touch m1 m2 m3 m4 m5")] },
          { calls: [edit("a.txt", "a", "A"), run("echo x > n1")] },
          REST,
        ],
      },
    );
    await world.say("1", "Go.");
    await world.idle();
    await world.stop();
    const { project } = world;
    const read = async (...argv: string[]): Promise<Report> =>
      reportSchema.parse((await legion(["report", "--json", ...argv], { cwd: project })).json[0]);
    const { changed, asked } = await read();
    const lines = changed.items.map(({ path, does, besides }) => `${path} ${does} ${besides}`);
    const single = ["m1", "m2", "m3", "m4", "m5", "n1"].map((path) => `${path} created 0`);
    expect(lines.sort()).toEqual(["a.txt changed 0", "b.txt changed 5", ...single]);
    expect([changed.total, asked.items[0]?.files]).toEqual([13, 13]);
    expect(await shown(project)).toMatch(/ b\.txt and 5 more changed .* 5 more: legion report --all/);
    expect(await markdown(project)).toContain("- `b.txt` and 5 more changed · by `touch n1");
    const all = await read("--all");
    expect([all.changed.items.length, all.changed.total]).toEqual([13, 13]);
    expect(all.changed.items.find(({ path }) => path === "b.txt")).toMatchObject({
      does: "deleted",
      besides: 0,
    });
  });

  it.each([
    "\u001b]0;owned\u0007",
    "<img src=x onerror=alert(1)>",
    "a\nb",
    "`x` **b** [x](javascript:1)",
    "\u202egnp.exe",
    "| a | b |",
  ])("a file that is called %j is text, on a terminal and in Markdown", async (name) => {
    const make = `printf x > "$(printf '${[...Buffer.from(name)].map((byte) => `\\${byte.toString(8)}`).join("")}')"`;
    const world = await createRepositoryYard(
      { "make.sh": make },
      { 1: [{ calls: [run("sh make.sh")] }, REST] },
    );
    await world.say("1", "Go.");
    await world.idle();
    await world.stop();
    const { project } = world;
    expect((await told(project)).changed.items).toMatchObject([{ path: name, does: "created" }]);
    const terminal = (await legion(["report"], { cwd: project, columns: 80 })).out.replace(
      /\u001b\[\d+m/g,
      "",
    );
    const md = await markdown(project);
    for (const text of [terminal, md]) {
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      expect(text).not.toMatch(/^b/m);
    }
    expect(md.replace(/(`+)(?!`).*?[^`]\1(?!`)/g, "")).not.toMatch(/<img|\*\*b|\[x\]/);
  });
});

it("says of commands that nobody looked after, as of those of earlier versions, that it is not known, without a reason", async () => {
  const world = await createWorld({
    1: worker([calls("executeCommand", { command: "echo built" }), says("Done.")]),
  });
  await world.say("1", "Build.");
  await world.idle();
  await world.stop();
  const { commands, changed } = await told(world.project);
  expect(commands.items).toMatchObject([{ files: null, unknown: null, isShared: false }]);
  expect(changed.total).toBe(0);
  expect(await shown(world.project)).toMatch(
    /echo built ok 1 Agent 1 .* What they changed is not known\. ?$/,
  );
  expect(await markdown(world.project)).toMatch(
    /^- `echo built` ok · Agent 1 [^]*^What they changed is not known\.$/m,
  );
  expect(await shown(world.project)).not.toContain("not known:");
});
