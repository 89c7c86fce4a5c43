import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Script } from "../../../src/model/scripted/scripted.ts";
import { bubblewrapIsThere } from "../../environment/opened.ts";
import { temporaryFolder } from "../../world.ts";
import { createRepositoryYard, gate, run, untilPrinted, untilResult } from "./repository-yard.ts";
import { createYard, put, REST, SECRET, treeOf, write } from "./yard.ts";

const filesOf = (project: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(treeOf(project)).filter(([path]) => !path.startsWith(".git/")));

describe.runIf(bubblewrapIsThere)("an undo of commands in a repository", () => {
  it("says of a command that was killed with its process why nobody knows what it changed", async () => {
    const world = await createRepositoryYard(
      { "a.txt": "a\n" },
      { 1: [{ calls: [run("echo A >> a.txt; echo begun; sleep 1000")] }, REST] },
    );
    const [id] = await world.say("1", "Go.");
    await untilPrinted(world, "1", "begun");
    const left = join(await temporaryFolder(), "left");
    cpSync(world.project, left, { recursive: true });
    const lock = join(left, ".ai-legion/lock/1");
    writeFileSync(lock, JSON.stringify({ ...JSON.parse(readFileSync(lock, "utf8")), released: true }));
    const again = await createYard({}, { 1: [REST] }, { project: left });
    await again.idle();
    expect(await again.legion.undo(id!)).toMatchObject({
      done: [],
      beyond: [{ what: "commands (their process ended before they did)" }],
    });
  });

  it("puts back what they changed, with what file actions changed in between, and can be taken back (U0)", async () => {
    const world = await createRepositoryYard(
      { "a.txt": "a\n", "b/c.txt": "c\n", "run.sh": "run\n" },
      {
        1: [
          { calls: [run("echo A >> a.txt; rm -r b; echo n > new.txt"), write("a.txt", "by hand\n")] },
          { calls: [run("sed -i s/hand/sed/ a.txt; rm run.sh; ln -s a.txt run.sh; false")] },
          REST,
        ],
      },
    );
    put(world.project, "a.txt", "by the person\n");
    const before = filesOf(world.project);
    const [id] = await world.say("1", "Go.");
    await world.idle();
    const after = filesOf(world.project);
    expect(after).toMatchObject({ "a.txt": "by sed\n", "new.txt": "n\n", "run.sh": "(no file)" });
    const report = await world.legion.undo(id!);
    expect(report).toMatchObject({ left: [], shared: [], beyond: [] });
    expect(filesOf(world.project)).toEqual(before);
    await world.legion.undo(`0.${report.event}`);
    expect(filesOf(world.project)).toEqual({ ...after, "b/": "" });
    expect(execFileSync("git", ["-C", world.project, "diff", "--cached"]).toString()).toBe("");
  });

  it("leaves what was changed since, what holds a secret, and what is not known, and says so", async () => {
    const world = await createRepositoryYard(
      { "a.txt": "a\n", "b.txt": "b\n", secret: `${SECRET}\n` },
      {
        1: [
          { calls: [run("echo A > a.txt; echo B > b.txt; echo none > secret")] },
          { calls: [run("git commit -qam two"), run("echo x > ignored")] },
          REST,
        ],
      },
    );
    const [id] = await world.say("1", "Go.");
    await world.idle();
    put(world.project, "b.txt", "by the person\n");
    const report = await world.legion.undo(id!);
    expect(report.done.map(({ path }) => path)).toEqual(["a.txt"]);
    expect(report.left).toMatchObject([
      { path: "secret", why: "what stood there is not kept: it holds a secret" },
      { path: "b.txt", why: "it was changed since" },
    ]);
    const results = await world.kinds("1", "result");
    expect(results[0]).toMatchObject({ unkept: [{ path: "secret", why: "it holds a secret" }] });
    expect(report.beyond).toEqual([
      { what: "commands (branches or other refs were moved)", events: [`1.${results[1]!.seq}`] },
    ]);
  });

  it("leaves to others what they wrote meanwhile", async () => {
    const world = await createRepositoryYard(
      { "a.txt": "a\n", "b.txt": "b\n" },
      {
        1: [{ calls: [run(`echo A > a.txt; ${gate("gate")}`)] }, REST],
        2: [{ calls: [write("b.txt", "by 2\n")] }, REST],
      },
    );
    const [id] = await world.say("1", "Go.");
    await untilPrinted(world, "1", "at gate");
    await world.say("2", "Go.");
    await untilResult(world, "2");
    writeFileSync(join(world.project, "gate"), "go\n");
    await world.idle();
    const report = await world.legion.undo(id!);
    expect(report).toMatchObject({ done: [{ path: "a.txt" }], left: [], shared: [], beyond: [] });
    expect(filesOf(world.project)).toMatchObject({ "a.txt": "a\n", "b.txt": "by 2\n" });
  });

  it("leaves and lists what commands changed that ran beside others, also in the background", async () => {
    const world = await createRepositoryYard(
      { "a.txt": "a\n", "b.txt": "b\n" },
      {
        1: [{ calls: [run(`echo A > a.txt; ${gate("gate")}`)] }, REST],
        2: [
          { calls: [run("echo B > b.txt")] },
          { calls: [{ action: "startCommand", parameters: { command: gate("other") } }] },
          { calls: [run("echo C > c.txt")] },
          REST,
        ],
      },
    );
    const [first] = await world.say("1", "Go.");
    await untilPrinted(world, "1", "at gate");
    const [second] = await world.say("2", "Go.");
    await untilResult(world, "2");
    writeFileSync(join(world.project, "gate"), "go\n");
    await world.idle();
    writeFileSync(join(world.project, "other"), "go\n");
    const reports = [await world.legion.undo(first!), await world.legion.undo(second!)];
    expect(reports.map(({ done }) => done)).toEqual([[], []]);
    expect(reports[0]!.shared.map(({ path }) => path)).toEqual(["a.txt", "b.txt"]);
    expect(reports[1]!.shared.map(({ path }) => path)).toEqual(["b.txt", "c.txt"]);
    expect(filesOf(world.project)).toMatchObject({ "a.txt": "A\n", "b.txt": "B\n", "c.txt": "C\n" });
    expect(await world.legion.undo(reports[1]!.shared[0]!.event)).toMatchObject({
      done: [{ path: "b.txt" }],
    });
  });

  it("knows nothing where nothing is to be kept, and leaves nothing behind in the home when it ends", async () => {
    const script: Script = [{ calls: [run("echo A > a.txt")] }, REST];
    const off = await createRepositoryYard({ "a.txt": "a\n" }, { 1: script }, { undo: "off" });
    const [id] = await off.say("1", "Go.");
    await off.idle();
    expect(await off.legion.undo(id!)).toMatchObject({ done: [], beyond: [{ what: "commands" }] });
    expect(existsSync(join(off.project, ".ai-legion/tmp/snapshots"))).toBe(false);
    const on = await createRepositoryYard({ "a.txt": "a\n" }, { 1: script });
    await on.say("1", "Go.");
    await on.idle();
    expect(readdirSync(join(on.project, ".ai-legion/tmp/snapshots"))).toHaveLength(1);
    await on.stop();
    expect(existsSync(join(on.project, ".ai-legion/tmp/snapshots"))).toBe(false);
  });
});
