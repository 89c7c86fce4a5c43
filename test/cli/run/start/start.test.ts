import { chmod, chown, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createTempProject } from "../../../temp-project.ts";
import { legion } from "../../legion.ts";
import { buildProgram, run, runToEnd } from "../../program.ts";

beforeAll(buildProgram, 120_000);

const SCRIPTED = ["--model", "scripted:script.yaml", "--tick", "0"];
/** Waits for the file `go`. */
const WAIT = `- calls: [{ action: executeCommand, parameters: { command: "until [ -e go ]; do sleep 0.02; done; touch finished" } }]`;

const projectWith = (script: string): Promise<string> => createTempProject({ "script.yaml": script });

describe("legion start", () => {
  it("says who is there, on what and within which limits, then what happens, and ends when all is done", async () => {
    const cwd = await projectWith(`
- thoughts: A note it is.
  calls: [{ action: writeNote, parameters: { title: plan, content: walk } }]
- I wrote it down.`);
    const { code, out, err } = await runToEnd(
      ["start", "2", ...SCRIPTED, "--task", "note it", "--until-idle"],
      { cwd },
    );
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out.split("\n")).toEqual([
      "2 agents on scripted:script.yaml (--model)",
      "  agents    1, 2: legionnaire. A generalist that works in the project folder, alone or with others.",
      "  limits    none; set some with --limits steps=100,tokens=2000000,cost=2.50,time=8h",
      "  commands  they run in bubblewrap, without questions: they reach the workspace, and no network",
      "  web       agents read pages; `legion doctor` says what it takes to let them search",
      `  files     ${cwd}/.ai-legion/agents/<id>: goals.json, notes/, log/`,
      "",
      "Agent 1  ← Control: note it",
      "Agent 1  ~ A note it is.",
      "Agent 1  ▸ writeNote title: plan, content: walk",
      expect.stringContaining("Agent 1  ✓ "),
      "Agent 1  “ I wrote it down.",
      "Agent 1  → sent to Control",
      expect.stringMatching(/^Agent 1  · waits for mail \(2 steps, [\d.k]+ tokens\)$/),
      "",
      "Agent 1: I wrote it down.",
      "See more with: legion inbox, legion goals 1, legion notes 1, legion log 1",
      expect.stringMatching(
        /^Done: nobody has anything left to do. 2 agents in this run: 2 steps, .* tokens, free\.$/,
      ),
      "",
    ]);
    expect(await readFile(join(cwd, ".ai-legion/agents/1/notes/plan.txt"), "utf8")).toBe("walk");
  });

  it("surveys a folder with three agents, without any key, and picks up where it left off", async () => {
    const cwd = await createTempProject({
      "README.md": "# Hello\n",
      "src/a.js": "export const a = 1;\n",
      "docs/b.md": "# B\n",
    });
    const args = ["start", "3", "--task", "survey .", "--until-idle", "--tick", "0"];
    const first = await runToEnd(args, { cwd });
    expect(first.code, first.err).toBe(0);
    expect(first.out).toMatch(
      /^3 agents on offline \(no ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL is set\)\n/,
    );
    expect(first.out).toContain("→ Control: ");
    expect(await readFile(join(cwd, "SURVEY.md"), "utf8")).toContain("src/a.js");
    const second = await runToEnd(args, { cwd });
    expect(second.code, second.err).toBe(0);
    const goals = JSON.parse(await readFile(join(cwd, ".ai-legion/agents/1/goals.json"), "utf8")) as {
      goals: { complete: boolean }[];
    };
    expect(goals.goals.length).toBeGreaterThan(1);
    expect(goals.goals.every(({ complete }) => complete)).toBe(true);
  });

  it("ends with 1 and the reason if an agent could not go on", async () => {
    const cwd = await projectWith("- error: { code: MODEL_REFUSED, message: The key is wrong. }");
    const { code, out, err } = await runToEnd(["start", ...SCRIPTED, "--task", "go", "--until-idle"], {
      cwd,
    });
    expect(code).toBe(1);
    expect(err).toBe("legion: Agent 1 is parked: The key is wrong.\n");
    expect(out).toContain("Agent 1  ! parked: The key is wrong. (legion resume 1)");
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "finishes what runs at a first %s and ends with 0",
    async (signal) => {
      const cwd = await projectWith(WAIT);
      const node = run(["start", ...SCRIPTED, "--yes", "--task", "go"], { cwd });
      await node.until("▸ executeCommand");
      node.child.kill(signal);
      await node.until("what runs is finished first");
      await writeFile(join(cwd, "go"), "");
      expect(await node.ended).toMatchObject({ code: 0, err: "" });
      expect(node.out()).toMatch(/✓ Command executed successfully[^]*\nEnded\. Agent 1 in this run: 1 step/);
      expect(await readdir(cwd)).toContain("finished");
    },
  );

  it("stops at once at the second signal and ends with 130", async () => {
    const cwd = await projectWith(WAIT);
    const node = run(["start", ...SCRIPTED, "--yes", "--task", "go"], { cwd });
    await node.until("▸ executeCommand");
    node.child.kill("SIGINT");
    await node.until("what runs is finished first");
    node.child.kill("SIGINT");
    expect(await node.ended).toMatchObject({ code: 130, err: "" });
    expect(node.out()).toContain("Stopped at once.");
    expect(await readdir(cwd)).not.toContain("finished");
  });

  it("takes lines from a pipe, and goes on when they end", async () => {
    const cwd = await projectWith("[]");
    const node = run(["start", "2", ...SCRIPTED], {
      cwd,
      stdin: "2: only you\n\nall of you\n/goals 2\n/nonsense\n1:2: both?\n",
    });
    await node.until("Agent 2  ← Control: only you");
    await node.until("Agent 1  ← Control: all of you");
    await node.until("Agent 2  ← Control: all of you");
    await node.until("Agent 2 has no goals.");
    await node.until("legion: there is no command /nonsense");
    await node.until("Agent 1  ← Control: 2: both?");
    expect(node.child.exitCode).toBe(null);
    node.child.kill("SIGTERM");
    expect(await node.ended).toMatchObject({ code: 0, err: "" });
    expect(node.out()).not.toContain("Agent 1  ← Control: only you");
  });

  it("does what lines from a pipe ask for before it counts as idle", async () => {
    const cwd = await projectWith("[]");
    const { code, out } = await runToEnd(["start", "2", ...SCRIPTED, "--until-idle"], {
      cwd,
      stdin: "1: one\n2: two",
    });
    expect(code).toBe(0);
    expect(out).toContain("Agent 1  ← Control: one");
    expect(out).toContain("Agent 2  ← Control: two");
  });

  it("prints nothing but JSON for programs: log events with their agent, and live ones", async () => {
    const cwd = await projectWith("- { text: A, calls: [{ action: addGoal, parameters: { goal: b } }] }");
    const args = ["start", ...SCRIPTED, "--json", "--task", "go", "--until-idle"];
    const { code, out, err } = await runToEnd(args, { cwd, stdin: "/ps\nhello\n" });
    expect(code).toBe(0);
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { agent: string; kind: string; seq?: number; phase?: string });
    for (const { agent, kind, seq } of lines) {
      expect(["0", "1"]).toContain(agent);
      if (!kind.startsWith("live:")) expect(seq).toBeGreaterThan(0);
    }
    expect(lines.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["message", "decision", "result", "live:state", "live:delta"]),
    );
    const phases = lines.filter(({ kind }) => kind === "live:call").map(({ phase }) => phase);
    expect(phases.slice(0, 3)).toEqual(["written", "running", "ended"]);
    expect(err).toMatch(/^1 agent on scripted:script\.yaml/);
  });

  it("ends in order when nobody reads its output any more", async () => {
    const cwd = await projectWith("[]");
    const node = run(["start", ...SCRIPTED], { cwd });
    await node.until("files");
    node.child.stdout.destroy();
    node.child.stdin.write("are you there?\n");
    expect(await node.ended).toMatchObject({ code: 0, err: "" });
    const again = await runToEnd(["start", ...SCRIPTED, "--until-idle"], { cwd });
    expect(again.code, again.err).toBe(0);
  });

  it("refuses a second node in the same folder in one line that names the first", async () => {
    const cwd = await projectWith("[]");
    const node = run(["start", ...SCRIPTED], { cwd });
    await node.until("files");
    const second = await runToEnd(["start"], { cwd });
    expect(second).toMatchObject({ code: 1, out: "" });
    expect(second.err).toMatch(new RegExp(`^legion: .*process ${node.child.pid}\\b.*\\n$`));
  });

  it("says in one line that a folder cannot be written to", async () => {
    const cwd = await projectWith("[]");
    await chmod(cwd, 0o555);
    const nobody = process.getuid?.() === 0 ? { uid: 65_534 } : {};
    if (nobody.uid !== undefined) await chown(cwd, nobody.uid, -1);
    const { code, out, err } = await runToEnd(["start", ...SCRIPTED], { cwd, ...nobody });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^legion: nothing can be written to .*\/\.ai-legion: EACCES.*\n$/);
  });

  it("writes one diagnostics file for each run, and no more than brief facts", async () => {
    const cwd = await projectWith("- a secret answer");
    await runToEnd(["start", ...SCRIPTED, "--task", "a secret question", "--until-idle"], { cwd });
    const [file, ...others] = await readdir(join(cwd, ".ai-legion/logs"));
    expect(others).toEqual([]);
    const text = await readFile(join(cwd, ".ai-legion/logs", file!), "utf8");
    const entries = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { msg: string });
    expect(entries.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(["start", "message", "decision", "end"]),
    );
    expect(text).not.toContain("secret");
  });

  it("ends with one line on what a module breaks outside of any action", async () => {
    const cwd = await createTempProject({
      "agents/breaker.md": "---\nmodules: [core, ./breaker.mjs]\n---\n",
      "breaker.mjs": `
        import { defineModule } from "ai-legion";
        setTimeout(() => Promise.reject(new Error("boom")), 1_000);
        export default defineModule({ name: "breaker", actions: {} });`,
    });
    const { code, err } = await run(["start", ...SCRIPTED.slice(2), "--agent", "breaker", "--trust"], { cwd })
      .ended;
    expect({ code, err }).toEqual({ code: 1, err: "legion: boom\n" });
  });

  it("runs a module of a user's own", async () => {
    const cwd = await createTempProject({
      "script.yaml": "- calls: [{ action: askSky, parameters: { place: Bern } }]",
      "agents/forecaster.md": "---\nmodules: [core, ./weather.js]\n---\nYou know the weather.\n",
      "weather.js": `
        import { defineAction, defineModule, ok, z } from "ai-legion";
        export const weather = defineModule({
          name: "weather",
          actions: {
            askSky: defineAction({
              description: "Look up",
              touches: [],
              parameters: { place: z.string() },
              effects: "none",
              execute({ place }, { state }) {
                state.set("asked", place);
                return ok(\`Sunny in \${place}.\`);
              },
            }),
          },
        });`,
      "package.json": `{ "type": "module" }`,
    });
    const { code, out, err } = await runToEnd(
      ["start", ...SCRIPTED, "--agent", "forecaster", "--trust", "--task", "go", "--until-idle"],
      { cwd },
    );
    expect(code, err).toBe(0);
    expect(out).toContain("Agent 1  ▸ askSky place: Bern\nAgent 1  ✓ Sunny in Bern.\n");
  });
});

describe("bad input of legion start", () => {
  const WRONG: readonly (readonly [args: string, reason: RegExp])[] = [
    ["0", /from 1 to 10000, not "0"/],
    ["10001", /from 1 to 10000/],
    ["two", /from 1 to 10000, not "two"/],
    ["2 3", /too many arguments.*usage: legion start \[n\]/],
    ["--modle offline", /unknown option '--modle'; did you mean --model\?/],
    ["--model gpt-5", /did you mean openai\/gpt-5\?/],
    ["--model openai/gpt-5", /set OPENAI_API_KEY/],
    ["--model scripted:nowhere.yaml", /nowhere\.yaml/],
    ["--agent legionaire", /did you mean "legionnaire"\?/],
    ["--team workshp", /did you mean "workshop"\?/],
    ["3 --team workshop", /leave out the number/],
    ["--agent builder --team workshop", /leave out --agent/],
    ["--dir nowhere", /--dir: there is no folder "nowhere"/],
    ["--tick soon", /--tick: "soon" is no duration/],
    ["--limits stepps=3", /--limits:.*did you mean steps/],
    ["--bus kafka://localhost", /--bus: expected memory, or a URL such as redis:/],
    ["--task", /'--task <text>' argument missing/],
  ];

  it.each(WRONG)("%s: is told in one line, and nothing is written", async (args, reason) => {
    const cwd = await createTempProject({});
    const { exitCode, out, err } = await legion(["start", ...args.split(" ")], { cwd });
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toMatch(/^legion: [^\n]+\n$/);
    expect(err).toMatch(reason);
    expect(await readdir(cwd)).toEqual([]);
  });

  it("names the file and the line of what is wrong in the config", async () => {
    const cwd = await createTempProject({ ".ai-legion/config.yaml": "model: offline\ntik: 5\n" });
    const { exitCode, err } = await legion(["start"], { cwd });
    expect(exitCode).toBe(2);
    expect(err).toBe('legion: .ai-legion/config.yaml:2: unknown key "tik"; did you mean "tick"?\n');
    expect(await readdir(join(cwd, ".ai-legion"))).toEqual(["config.yaml"]);
  });

  it("refuses a level of diagnostics that there is not", async () => {
    const cwd = await createTempProject({});
    const { exitCode, err } = await legion(["start"], { cwd, env: { LEGION_LOG: "loud" } });
    expect(exitCode).toBe(2);
    expect(err).toMatch(/^legion: LEGION_LOG: expected .*, not "loud"\n$/);
    expect(await readdir(cwd)).toEqual([]);
  });
});
