// What the log says of the files that a command changed: by real git, in the results of real commands.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Script } from "../../../src/model/scripted/scripted.ts";
import { bubblewrapIsThere } from "../../environment/opened.ts";
import { repository } from "../../environment/workspace/trees.ts";
import { temporaryFolder, type World } from "../../world.ts";
import { createRepositoryYard, gate, run, untilPrinted, untilResult } from "./repository-yard.ts";
import { createYard, REST, SECRET, write } from "./yard.ts";

/** What each command of an agent is told to have changed. */
async function toldOf(world: World, agent = "1") {
  const results = await world.kinds(agent, "result");
  return results.flatMap(({ changed }) => changed ?? []);
}

describe.runIf(bubblewrapIsThere)("the result of a command in a repository", () => {
  it("says which files came, changed and went, relative to the workspace, also of one that failed, and that others changed none", async () => {
    const world = await createRepositoryYard(
      { "a.txt": "a\n", "b/c.txt": "c\n" },
      {
        1: [
          {
            calls: [
              run("sed -i s/a/A/ a.txt; rm -r b; mkdir d; echo n > d/new.txt; exit 3"),
              run("cat a.txt"),
            ],
          },
          { calls: [write("by-hand.txt", "x\n")] },
          REST,
        ],
      },
    );
    await world.say("1", "Go.");
    await world.idle();
    expect(await toldOf(world)).toEqual([
      {
        files: [
          { path: "a.txt", does: "changed" },
          { path: "b/c.txt", does: "deleted" },
          { path: "d/new.txt", does: "created" },
        ],
      },
      { files: [] },
    ]);
  });

  it("says why it is not known, and no more than so much of very many files", async () => {
    const world = await createRepositoryYard(
      { "a.txt": "a\n" },
      {
        1: [
          { calls: [run("echo A > a.txt; git commit -qam two")] },
          { calls: [run("mkdir n; cd n; seq 2001 | xargs touch"), run("rm -r n")] },
          { calls: [run("mkdir m; cd m; seq 130 | xargs touch")] },
          REST,
        ],
      },
    );
    await world.say("1", "Go.");
    await world.idle();
    const told = await toldOf(world);
    expect(told.map(({ files, more, unknown }) => [files.length, more, unknown])).toEqual([
      [0, undefined, "branches or other refs were moved"],
      [0, undefined, "it changed 2001 files, and at most 2000 are kept"],
      [0, undefined, "it changed 2001 files, and at most 2000 are kept"],
      [100, 30, undefined],
    ]);
  });

  it("says of what changed beside other commands that nobody can tell it apart, and nothing of another agent's file actions", async () => {
    const world = await createRepositoryYard(
      { "a.txt": "a\n", "b.txt": "b\n" },
      {
        1: [{ calls: [run(`echo A > a.txt; ${gate("gate")}`)] }, REST],
        2: [{ calls: [write("b.txt", "by 2\n")] }, { calls: [run("echo C > c.txt")] }, REST],
      },
    );
    await world.say("1", "Go.");
    await untilPrinted(world, "1", "at gate");
    await world.say("2", "Go.");
    await untilResult(world, "2");
    await world.until(
      (seen) =>
        seen.kind === "event" && seen.agent === "2" && seen.event.kind === "result" && !!seen.event.changed,
    );
    writeFileSync(join(world.project, "gate"), "go\n");
    await world.idle();
    expect(await toldOf(world)).toEqual([
      {
        files: [
          { path: "a.txt", does: "changed" },
          { path: "c.txt", does: "created" },
        ],
        isShared: true,
      },
    ]);
    expect(await toldOf(world, "2")).toEqual([
      { files: [{ path: "c.txt", does: "created" }], isShared: true },
    ]);
  });

  it("is shown to its model without a word of that, and holds no secret that is the name of a file", async () => {
    const requests: unknown[] = [];
    const script: Script = (request, index) => {
      requests.push(JSON.stringify(request));
      return index === 0 ? { calls: [run("sh make.sh")] } : REST;
    };
    const make = `touch unforeseen.txt ${SECRET}.txt\n`;
    const world = await createRepositoryYard({ "make.sh": make }, { 1: script });
    await world.say("1", "Go.");
    await world.idle();
    const paths = (await toldOf(world))[0]!.files.map(({ path }) => path);
    expect(paths).toHaveLength(2);
    expect(paths).toContain("unforeseen.txt");
    expect(JSON.stringify(await world.events("1"))).not.toContain(SECRET);
    expect(requests.length).toBeGreaterThan(1);
    expect(requests.join()).not.toContain("unforeseen");
  });
});

it("a result says nothing of it where nobody looked: without a sandbox, or where nothing is to be kept", async () => {
  const script: Script = [{ calls: [run("echo A > a.txt")] }, REST];
  const open = await createYard(
    {},
    { 1: script },
    { project: repository(await temporaryFolder(), { ".gitignore": "/.ai-legion\n" }) },
  );
  await open.say("1", "Go.");
  await open.idle();
  const [result] = await open.kinds("1", "result");
  expect([result?.outcome, result?.changed]).toEqual(["ok", undefined]);
  if (!bubblewrapIsThere) return;
  const off = await createRepositoryYard({ "a.txt": "a\n" }, { 1: script }, { undo: "off" });
  await off.say("1", "Go.");
  await off.idle();
  expect(await toldOf(off)).toEqual([]);
});
