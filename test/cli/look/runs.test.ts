import { mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { chooseSession } from "../../../src/storage/files/sessions.ts";
import type { Script } from "../../../src/model/scripted/scripted.ts";
import { createHandClock } from "../../hand-clock.ts";
import { openWorld, temporaryFolder, type World } from "../../world.ts";
import { agent, deploy, questionOf, shop } from "../../agent/act/asking.ts";
import { TRAJECTORY_FORMATS } from "../../../src/past/trajectory/format.ts";
import { SCHEMAS } from "../../past/trajectory/schemas.ts";
import { legion } from "../legion.ts";
import { serveOverSocket } from "../../../src/control/socket/server.ts";
import { createService } from "../../../src/control/service.ts";

const HOUR_MS = 3_600_000;

async function openSession(project: string, name: string, script: Script, laterMs = 0): Promise<World> {
  const { home } = await chooseSession(project, { name });
  const clock = createHandClock();
  clock.advance(laterMs);
  return openWorld(project, { "1": { script } }, { home, clock });
}

async function talk(project: string, name: string, script: Script, laterMs = 0): Promise<void> {
  const world = await openSession(project, name, script, laterMs);
  await world.say("1", `Hello, ${name}.`);
  await world.idle();
  await world.stop();
}

describe("legion runs", () => {
  it("lists runs and sessions, newest first, and how they ended", async () => {
    const cwd = await temporaryFolder();
    await talk(cwd, "older", ["Done."]);
    await talk(cwd, "newer", ["Done."], HOUR_MS);
    await legion(["send", "1", "more", "--run", "older"], { cwd });
    await mkdir(join(cwd, ".ai-legion/runs/empty"));

    const { json, exitCode } = await legion(["runs", "--json"], { cwd });
    expect(exitCode).toBe(0);
    expect(json).toMatchObject([
      { run: "older", agent: null, model: "scripted", state: "unfinished", reason: "", steps: 1, cost: 0 },
      { run: "newer", state: "done", at: "2026-01-01T01:00:00.000Z", node: null },
    ]);
    const narrow = await legion(["runs"], { cwd, columns: 30 });
    expect(narrow.out).toMatch(/^RUN +STATE +NEWEST\nolder +unfinished +\w+\nnewer +done +\w+\n$/);
  });

  it("says of each its task, what it took, and its end in the words of all ends", async () => {
    const cwd = await temporaryFolder();
    await talk(cwd, "plain", ["Done."]);
    const ended = await openSession(cwd, "limited", ["Half."], HOUR_MS);
    await ended.say("1", "Mend the parser,\nand its tests.");
    await ended.idle();
    const details = { status: "LimitsExceeded", submission: "" };
    await ended.legion.agents
      .get("1")!
      .alone(({ memory }) =>
        memory.commit({ kind: "notice", reason: "ended", content: "no steps left", details }),
      );
    await ended.stop();
    const { json } = await legion(["runs", "--json"], { cwd });
    expect(json).toMatchObject([
      { run: "limited", state: "LimitsExceeded", end: "LimitsExceeded", task: "Mend the parser,", steps: 1 },
      { run: "plain", state: "done", end: "Submitted", task: "Hello, plain.", timeMs: expect.any(Number) },
    ]);
    const { out } = await legion(["runs"], { cwd, columns: 100 });
    expect(out.split("\n")[0]).toMatch(/^RUN +STATE +NEWEST +STEPS +COST +TIME +TASK +AGENT +MODEL$/);
    expect(out).toMatch(/^limited +LimitsExceeded .* Mend the parser, /m);
    await legion(["send", "1", "go on", "--run", "limited"], { cwd });
    const again = (await legion(["runs", "--json"], { cwd })).json;
    expect(again).toMatchObject([{ run: "limited", state: "unfinished", end: null }, { run: "plain" }]);
  });

  it("cuts a long task to the room there is before it leaves out what weighs more, and in a pipe only one without end", async () => {
    const cwd = await temporaryFolder();
    const task = `Mend the parser ${"and its tests ".repeat(9)}to the end.`;
    const endless = "x".repeat(10_000);
    const tasks = { "2026-01-01-101500-a1b2c3": task, short: "Sow.", endless };
    for (const [name, said] of Object.entries(tasks)) {
      const world = await openSession(cwd, name, ["Done."]);
      await world.say("1", said);
      await world.idle();
      await world.stop();
    }
    const at = async (columns?: number) =>
      (await legion(["runs"], { cwd, ...(columns && { columns }) })).out.trimEnd().split("\n");
    for (const [columns, shown] of [
      [80, /^RUN +STATE +NEWEST +STEPS +COST +TIME +TASK\n.* Mend the parser [a-z ]*…/],
      [60, /^RUN +STATE +NEWEST +TASK\n.* Mend the parser[a-z ]*…/],
      [44, /^RUN +STATE +NEWEST\n/],
    ] as const) {
      const lines = await at(columns);
      expect(lines.join("\n")).toMatch(shown);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    }
    expect((await at(80)).find((line) => line.startsWith("short"))).toMatch(/ Sow\.$/);
    const piped = await at();
    expect(piped).toContainEqual(expect.stringMatching(/to the end\. .* scripted$/));
    for (const line of piped) expect(line.length).toBeLessThan(300);
  });

  it("says how to make one where there is none", async () => {
    const { out, exitCode } = await legion(["runs"], { cwd: await temporaryFolder() });
    expect({ out, exitCode }).toEqual({
      out: 'There are no runs and sessions yet; `legion run "<task>"` makes one.\n',
      exitCode: 0,
    });
  });

  it("does not say that something was done in a session in which nothing was begun", async () => {
    const cwd = await temporaryFolder();
    await (await openSession(cwd, "garden", [])).stop();
    const { json } = await legion(["runs", "--json"], { cwd });
    expect(json).toMatchObject([{ run: "garden", state: "unused", steps: 0, at: null }]);
  });

  it("lists one that cannot be read, and says why", async () => {
    const cwd = await temporaryFolder();
    await talk(cwd, "whole", ["Done."]);
    await mkdir(join(cwd, ".ai-legion/runs/foreign/agents/1"), { recursive: true });
    await writeFile(join(cwd, ".ai-legion/runs/foreign/agents/1/goals.json"), '{"goals":[]}');
    const { json } = await legion(["runs", "--json"], { cwd });
    expect(json).toMatchObject([
      { run: "whole", state: "done" },
      {
        run: "foreign",
        state: "halted",
        reason: expect.stringContaining("not written on your machines"),
        at: null,
      },
    ]);
  });
});

describe("legion runs, of damaged ones", () => {
  const damage = {
    linked: (agent: string) => symlink("/etc/passwd", join(agent, "link")),
    filed: async (agent: string) => {
      await rm(dirname(agent), { recursive: true });
      await writeFile(dirname(agent), "no folder");
    },
    scrawled: async (agent: string) => {
      for (const name of await readdir(join(agent, "log"))) await writeFile(join(agent, "log", name), "??\n");
    },
    unlocked: async (agent: string) => {
      await rm(join(agent, "../../lock"), { recursive: true });
      await writeFile(join(agent, "../../lock"), "no folder");
    },
  };
  const why = {
    linked: ".ai-legion/runs/linked/agents/1/link is a link",
    filed: "not a directory",
    scrawled: "nothing of its log can be read; `legion doctor --run scrawled` says more",
    unlocked: "not a directory",
  };

  it("tells of each what is wrong with it, and lists the others", async () => {
    const cwd = await temporaryFolder();
    for (const name of ["whole", ...Object.keys(damage)]) await talk(cwd, name, ["Done."]);
    for (const [name, harm] of Object.entries(damage))
      await harm(join(cwd, ".ai-legion/runs", name, "agents/1"));
    const { json, exitCode } = await legion(["runs", "--json"], { cwd });
    expect(exitCode).toBe(0);
    expect(json).toHaveLength(5);
    expect(json).toContainEqual(expect.objectContaining({ run: "whole", state: "done", reason: "" }));
    for (const [run, reason] of Object.entries(why))
      expect(json).toContainEqual(
        expect.objectContaining({
          run,
          state: "damaged",
          end: null,
          reason: expect.stringContaining(reason),
        }),
      );
    const { out } = await legion(["runs"], { cwd, columns: 60 });
    expect(out).toMatch(/^linked +damaged/m);
    expect(out).toContain("\nRun linked: .ai-legion/runs/linked/agents/1/link is a link; ");
    for (const line of out.split("\n").slice(0, 6)) expect(line.length).toBeLessThanOrEqual(60);
  });

  it("says nothing of a folder in which legion made nothing", async () => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, ".ai-legion/runs/notes"), { recursive: true });
    await writeFile(join(cwd, ".ai-legion/runs/notes/a.txt"), "a");
    await symlink("/etc", join(cwd, ".ai-legion/runs/linked"));
    expect((await legion(["runs", "--json"], { cwd })).json).toEqual([]);
  });
});

describe("--run", () => {
  it("makes any command one about the agents of that run", async () => {
    const cwd = await temporaryFolder();
    await (await openWorld(cwd, { "1": {}, "2": {} })).stop();
    await talk(cwd, "garden", ["Sown."]);
    const ids = async (...argv: readonly string[]) =>
      ((await legion([...argv, "--json"], { cwd })).json as { id: string }[]).map(({ id }) => id);
    expect(await ids("ps")).toEqual(["1", "2"]);
    expect(await ids("ps", "--run", "garden")).toEqual(["1"]);
    expect((await legion(["inbox", "--run", "garden"], { cwd })).out).toContain("Sown.");
    expect((await legion(["log", "1", "--run", "garden"], { cwd })).out).toContain("Hello, garden.");
    for (const format of TRAJECTORY_FORMATS) {
      const { out } = await legion(["log", "1", "--format", format, "--run", "garden"], { cwd });
      expect(JSON.stringify(SCHEMAS[format].parse(JSON.parse(out)))).toMatch(/Hello, garden\..*Sown\./);
    }
    expect((await legion(["inbox"], { cwd })).out).not.toContain("Sown.");
    await writeFile(join(cwd, ".ai-legion/runs/garden/trajectory.json"), "{}");
    const examined = await legion(["doctor", "--run", "garden"], { cwd });
    expect(examined).toMatchObject({ exitCode: 0, out: expect.not.stringContaining("does not belong here") });
  });

  it("is part of every command that is advised", async () => {
    const cwd = await temporaryFolder();
    const { home } = await chooseSession(cwd, { name: "garden" });
    const world = await openWorld(cwd, { "1": agent([deploy("prod")], shop()) }, { home });
    await world.say("1", "go");
    const question = await questionOf(world);
    await world.stop();
    const typed = async (...argv: string[]) => {
      const { out, err } = await legion([...argv, "--run", "garden"], { cwd });
      return out + err;
    };
    const ways = `\n(?:  )?legion approve ${question} --run garden, or legion deny ${question} --run garden and why\n`;
    expect(await typed("approvals")).toMatch(new RegExp(ways));
    expect(await typed("inbox")).toMatch(new RegExp(ways));
    expect(await typed("pause", "1")).toBe("Agent 1: paused until `legion resume 1 --run garden`.\n");
    expect(await typed("doctor")).toContain("; `legion resume 1 --run garden` lets it go on");
    expect(await typed("fork", "1", "--at", "2", "--as", "1b")).toContain(
      "\n`legion start --only 1b --run garden` runs it, `legion start --only 1,1b --run garden` both.\n",
    );
    expect(await typed("resend", "1@99")).toContain("`legion inbox --dead --run garden` lists them");
  });

  it("reaches the process that has the run open", async () => {
    const cwd = await temporaryFolder();
    const world = await openSession(cwd, "garden", ["First.", "Second."]);
    const service = createService({ legion: world.legion, onStop: () => undefined });
    const socket = join(cwd, ".ai-legion/runs/garden/legion.sock");
    const server = await serveOverSocket({ service, inspector: world.legion.inspector }, socket);
    const answer = await legion(["send", "1", "Hello", "--wait", "--run", "garden"], { cwd });
    expect(answer).toMatchObject({ exitCode: 0, out: expect.stringMatching(/First\.\n$/) });
    expect((await legion(["ps", "--json", "--run", "garden"], { cwd })).json).toMatchObject([
      { id: "1", node: expect.stringContaining(`${process.pid}@`) },
    ]);
    await server.close();
  });

  it.each([
    ["gardne", [], "there is no run or session `gardne` here; there is garden"],
    ["../garden", [], 'there is no batch in "../garden"'],
    ["garden", ["--bus", "memory"], "a run is kept in files; leave out --bus and --name"],
    ["garden", ["--name", "x"], "a run is kept in files; leave out --bus and --name"],
  ])("is refused for %j with %j", async (run, more, why) => {
    const cwd = await temporaryFolder();
    await talk(cwd, "garden", ["Sown."]);
    const refused = await legion(["ps", "--run", run, ...more], { cwd });
    expect(refused).toMatchObject({ exitCode: 2, err: expect.stringContaining(why) });
    expect(refused.err.trimEnd()).not.toContain("\n");
  });
});
