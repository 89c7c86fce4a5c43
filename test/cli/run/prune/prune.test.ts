import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Io } from "../../../../src/cli/kit/command.ts";
import { command } from "../../../../src/cli/run/prune/prune.ts";
import { everythingIn, write } from "../../../environment/workspace/trees.ts";
import { strand, written } from "../../../storage/folder/person/purse/purses.ts";
import { createHandClock } from "../../../hand-clock.ts";
import { openWorld, temporaryFolder } from "../../../world.ts";
import { legion } from "../../legion.ts";
import { buildProgram, runToEnd } from "../../program.ts";
import { createTerminal } from "../../screen.ts";
import { agents, agentsIn, openRun, prune, run, runsIn } from "./kit.ts";

describe("legion prune", () => {
  it("deletes runs and agents that are done and old, after showing them, and nothing else", async () => {
    const cwd = await temporaryFolder();
    await agents(cwd, ["writer"]);
    await run(cwd, "older");
    await run(cwd, "newer", "now");
    fs.mkdirSync(join(cwd, ".ai-legion/homes/writer/home"), { recursive: true });
    // What its log came to, which quotes it.
    const digests = join(cwd, ".ai-legion/cache/digests");
    for (const kept of ["writer.json", "other.json", "at/writer/1.deflated"]) {
      fs.mkdirSync(dirname(join(digests, kept)), { recursive: true });
      fs.writeFileSync(join(digests, kept), "kept");
    }
    // What was told of all agents.
    const toldOf = join(cwd, ".ai-legion/cache/together/standings");
    fs.mkdirSync(dirname(toldOf));
    fs.writeFileSync(toldOf, "kept");
    const { exitCode, out } = await prune(cwd, "--yes");
    expect(exitCode).toBe(0);
    expect(out.split("\n")[0]).toMatch(/^DELETES +NAME +USED +SIZE +STATE$/);
    expect(out).toMatch(/^run +older .* done$/m);
    expect(out).toMatch(/^agent +writer .* done$/m);
    expect(out).toMatch(
      /^Keeps 1 used since; --older says since when\.\nDeleted 1 run, 1 agent \(.* kB\)\.$/m,
    );
    expect(runsIn(cwd)).toEqual(["newer"]);
    expect(agentsIn(cwd)).toEqual(["0"]);
    expect(fs.existsSync(join(cwd, ".ai-legion/homes/writer"))).toBe(false);
    expect([fs.readdirSync(digests), fs.readdirSync(join(digests, "at"))]).toEqual([
      ["at", "other.json"],
      [],
    ]);
    expect(fs.existsSync(toldOf)).toBe(false);
    expect(fs.readdirSync(join(cwd, ".ai-legion/tmp"))).toEqual([]);
    expect((await prune(cwd, "--yes")).out).toBe(
      "There is nothing to delete.\nKeeps 1 used since; --older says since when.\n",
    );
    expect((await prune(cwd, "--yes", "--older", "0")).out).toContain("Deleted 1 run ");
    const again = await openWorld(cwd, { writer: { script: ["Anew."] } });
    expect(await again.events("writer").then((events) => events.length)).toBeLessThan(3);
    await again.stop();
  });

  it("gives back what the purse has set aside for a run that it deletes, but for what was spent (G12)", async () => {
    const cwd = await temporaryFolder();
    const config = process.env["XDG_CONFIG_HOME"]!;
    await run(cwd, "older");
    const home = join(cwd, ".ai-legion/runs/older");
    await strand(config, home, "of-the-run");
    expect(written(config, home)).toMatchObject({ allotted: 0.5 });
    expect((await prune(cwd, "--yes")).out).toContain("Deleted 1 run ");
    expect(written(config, home)).toMatchObject({ allotted: 0, spent: 0 });
  });

  it("keeps what could be gone on with, unless that is asked for", async () => {
    const cwd = await temporaryFolder();
    await run(cwd, "waits");
    await legion(["send", "1", "more", "--run", "waits"], { cwd });
    const world = await openRun(cwd, "limited", "old", ["Half."]);
    await world.say("1", "work");
    await world.idle();
    const details = { status: "LimitsExceeded", submission: "" };
    await world.legion.agents
      .get("1")!
      .alone(({ memory }) => memory.commit({ kind: "notice", reason: "ended", content: "", details }));
    await world.stop();
    const kept = await prune(cwd, "--yes", "--older", "0");
    expect(kept.out).toContain("There is nothing to delete.");
    for (const name of ["waits", "limited"])
      expect(kept.out).toContain(`Keeps run ${name}: it can be gone on with; --unfinished deletes it, too.`);
    expect((await prune(cwd, "--yes", "--older", "0", "--unfinished")).out).toContain("Deleted 2 runs ");
    expect(runsIn(cwd)).toEqual([]);
  });

  it("keeps what has a log that cannot be read, unless that is asked for", async () => {
    const cwd = await temporaryFolder();
    await run(cwd, "scrawled");
    await agents(cwd, ["writer"]);
    for (const home of ["runs/scrawled/agents/1", "agents/writer"]) {
      const log = join(cwd, ".ai-legion", home, "log");
      for (const name of fs.readdirSync(log)) fs.writeFileSync(join(log, name), "??\n");
    }
    const { out } = await prune(cwd, "--yes", "--older", "0");
    for (const what of ["run scrawled", "agent writer"])
      expect(out).toContain(`Keeps ${what}: nothing of its log can be read; --unfinished deletes it, too.`);
    expect((await prune(cwd, "--yes", "--older", "0", "--unfinished")).out).toContain(
      "Deleted 1 run, 1 agent ",
    );
  });

  it("never deletes what legion did not make, and says what that is", async () => {
    const cwd = await temporaryFolder();
    for (const name of ["plain", "guest", "deep"]) await run(cwd, name);
    write(join(cwd, ".ai-legion/runs"), {
      ...{ "guest/mine.txt": "m", "guest/data/x": "x", "deep/agents/Mine.txt": "m" },
      ...{ "notes/a.txt": "a", "plain/.DS_Store": "", "plain/trajectory.json": "{}" },
    });
    fs.mkdirSync(join(cwd, ".ai-legion/runs/empty"));
    const { out } = await prune(cwd, "--yes", "--older", "0", "--unfinished");
    expect(out).toContain("Keeps run guest: it holds what legion did not make: data, mine.txt.");
    expect(out).toContain("Keeps run deep: it holds what legion did not make: agents/Mine.txt.");
    expect(out).toContain("Keeps folder notes: it is no run: legion made nothing in it.");
    expect(out).toContain("Deleted 2 runs ");
    expect(runsIn(cwd)).toEqual(["deep", "guest", "notes"]);
  });

  it("deletes what an agent lets nobody read", async () => {
    await buildProgram();
    const [cwd, config] = [await temporaryFolder(), await temporaryFolder()];
    await run(cwd, "older");
    const home = join(cwd, ".ai-legion/runs/older/homes/1/home");
    write(home, { "shut/x": "x", "listed/x": "x" });
    fs.chmodSync(join(home, "shut"), 0o000);
    fs.chmodSync(join(home, "listed"), 0o400);
    const nobody = process.getuid?.() === 0 ? { uid: 65_534 } : {};
    if (nobody.uid !== undefined) execFileSync("chown", ["-R", String(nobody.uid), cwd, config]);
    const argv = ["prune", "--yes", "--older", "0", "--unfinished"];
    const pruned = await runToEnd(argv, { cwd, ...nobody, env: { XDG_CONFIG_HOME: config } });
    expect(pruned).toMatchObject({ code: 0, err: "", out: expect.stringContaining("Deleted 1 run ") });
    expect(runsIn(cwd)).toEqual([]);
  }, 120_000);

  it("never deletes what a process has open", async () => {
    const cwd = await temporaryFolder();
    const open = await openRun(cwd, "open", "old", []);
    const legionOpen = await openWorld(cwd, { "1": { script: [] } }, { clock: createHandClock() });
    const { out } = await prune(cwd, "--yes", "--older", "0", "--unfinished");
    expect(out).toContain(`Keeps run open: process ${process.pid} has it open.`);
    expect(out).toContain(`Keeps agent 1: process ${process.pid} has it open.`);
    await legionOpen.stop();
    await open.stop();
    expect(runsIn(cwd)).toEqual(["open"]);
    expect(agentsIn(cwd)).toContain("1");
  });

  it("without a terminal needs --yes, and shows what it would delete", async () => {
    const cwd = await temporaryFolder();
    await run(cwd, "older");
    const before = everythingIn(cwd);
    const plain = await prune(cwd);
    expect(plain).toMatchObject({ exitCode: 2, out: expect.stringMatching(/^run +older/m) });
    expect(plain.err).toBe(
      "legion: nothing was deleted: nobody can be asked here; --yes deletes without a question\n",
    );
    const json = await prune(cwd, "--json");
    expect(json.exitCode).toBe(2);
    expect(json.json).toMatchObject([
      {
        kind: "run",
        name: "older",
        state: "done",
        at: "2026-01-01T00:00:00.000Z",
        deleted: false,
        why: null,
      },
    ]);
    expect(everythingIn(cwd)).toEqual(before);
    expect((await prune(cwd, "--json", "--yes")).json).toMatchObject([
      { kind: "run", name: "older", deleted: true, why: null, path: join(cwd, ".ai-legion/runs/older") },
    ]);
    expect(runsIn(cwd)).toEqual([]);
  });

  it.each([
    ["y", []],
    ["n", ["older"]],
    ["", ["older"]],
  ])("asks at a terminal, and takes %j for what it is", async (answer, left) => {
    const cwd = await temporaryFolder();
    await run(cwd, "older");
    const terminal = createTerminal(100);
    const stdin: Readable = Object.assign(terminal.stdin, { isTTY: true });
    const stdout = Object.defineProperty(terminal.stdout, "isTTY", { value: true });
    onTestFinished(() => void stdin.pause());
    const write = stdout.write.bind(stdout) as (text: string) => boolean;
    let rows: readonly string[] = [];
    const asked = new Promise<void>((resolve) => {
      stdout.write = (text: string | Uint8Array) => {
        const isTaken = write(String(text));
        rows = terminal.rows();
        if (/^Delete 1 run \(.*\), for good\? \[y\/N\]/.test(rows.at(-1) ?? "")) resolve();
        return isTaken;
      };
    });
    const { signal } = new AbortController();
    const env = { XDG_CONFIG_HOME: process.env["XDG_CONFIG_HOME"] ?? "" };
    const person = { stdin: stdin as Io["stdin"], stdout: stdout as Io["stdout"], stderr: process.stderr };
    const io: Io = { env, cwd, ...person, commands: [], signal };
    const ended = command.run({ args: [], options: {} }, io);
    await asked;
    expect(rows.some((row) => /^run +older /.test(row))).toBe(true);
    await terminal.type(`${answer}\r`);
    expect(await ended).toBe(0);
    expect(runsIn(cwd)).toEqual(left);
  });

  it.each([
    [["--older", "soon"], '--older: "soon" is no age; write 30d, 2w, 12h or 0'],
    [["--older", "30"], '--older: "30" is no age'],
    [["--older", "-1d"], '--older: "-1d" is no age'],
    [["--force"], "unknown option '--force'"],
    [["all"], "usage: legion prune"],
    [["--dir", "nowhere"], "there is no folder"],
  ])("refuses %j in one line, with exit 2 and nothing written", async (typed, why) => {
    const cwd = await temporaryFolder();
    await run(cwd, "older");
    const before = everythingIn(cwd);
    const { exitCode, out, err } = await prune(cwd, ...typed, "--yes");
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toContain(why);
    expect(err.trimEnd()).not.toContain("\n");
    expect(everythingIn(cwd)).toEqual(before);
  });

  it("writes nothing where there is nothing", async () => {
    const cwd = await temporaryFolder();
    expect(await prune(cwd, "--yes")).toMatchObject({ exitCode: 0, out: "There is nothing to delete.\n" });
    expect(fs.readdirSync(cwd)).toEqual([]);
  });
});
