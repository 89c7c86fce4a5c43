// Every end of a run, as a process that somebody starts: its exit code, what is on standard output, and its last line.

import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openAiChunks, useLoopback } from "../../../model/loopback.ts";
import { createTempProject } from "../../../temp-project.ts";
import { buildProgram, run, runToEnd, type Ended } from "../../program.ts";

const bash = (command: string): string =>
  `- calls: [{ action: bash, parameters: { command: ${JSON.stringify(command)} } }]\n`;
const SUBMIT = bash("printf 'MINI_SWE_AGENT_FINAL_OUTPUT\\n a patch\\tit is'");
/** Until somebody ends it. */
const SLOW = bash("touch begun; sleep 1000");
const MODELS =
  "models:\n  openai/small: { window: 4000 }\n  openai/dear: { price: { input: 1000, output: 1000 } }\n";

const projectWith = (script: string) =>
  createTempProject({ "script.yaml": script, ".ai-legion/config.yaml": MODELS });
const paid = openAiChunks([
  {
    choices: [{ index: 0, delta: { content: "```bash\ntrue\n```" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1_000, completion_tokens: 10 },
  },
]);

const argvOf = (model: string, more: readonly string[] = []) =>
  [
    "run",
    "--agent",
    "swe",
    "--model",
    model,
    "--yes",
    "--trust",
    "--session",
    "garden",
    "mend it",
    ...more,
  ] as const;

interface Case {
  readonly end: string;
  readonly how: string;
  readonly script?: string;
  readonly model?: string;
  readonly task?: string;
  readonly limits?: string;
  readonly why: RegExp;
  readonly goesOn?: string;
}

const CASES: readonly Case[] = [
  {
    ...{ end: "LimitsExceeded", how: "in steps", script: bash("true").repeat(3) },
    ...{ limits: "steps=2", why: /^this agent may make 2 model calls$/, goesOn: " --limits steps=+50" },
  },
  {
    ...{ end: "LimitsExceeded", how: "in cost", model: "openai/dear" },
    ...{ limits: "cost=0.001", why: /USD/, goesOn: " --limits cost=+1" },
  },
  {
    ...{ end: "TimeExceeded", how: "", script: bash("sleep 0.3").repeat(3) },
    ...{ limits: "time=200ms", why: /may work for/, goesOn: " --limits time=+10m" },
  },
  {
    ...{ end: "RepeatedFormatError", how: "", script: "- I would rather talk.\n".repeat(3) },
    why: /3|three/,
  },
  {
    end: "ContextExceeded",
    how: "",
    model: "openai/small",
    task: "mend it ".repeat(3_000),
    ...{ why: /fills the window/, goesOn: " --model <one with a larger window>" },
  },
  {
    ...{ end: "Error", how: "of its model", script: "- error: { code: MODEL_REFUSED, message: no key }\n" },
    why: /no key/,
  },
];

const lastLine = (end: string): RegExp =>
  new RegExp(
    String.raw`^${end} · \d+ steps? · (free|[\d.]+ USD|cost unknown) · \S+( \S+)? · \S*trajectory\.json$`,
  );

/** What a person reads, then what a program does: both of the same end. */
function expectEnd({ code, out, err }: Ended, end: string, exitCode: number): readonly string[] {
  const lines = err.trimEnd().split("\n");
  expect({ code, out, last: lines.at(-1) }).toEqual({
    code: exitCode,
    out: "",
    last: expect.stringMatching(lastLine(end)),
  });
  return lines.slice(0, -1);
}

describe("a run ends", () => {
  beforeAll(buildProgram, 120_000);
  const loopback = useLoopback();

  it("with 0 as Submitted, and standard output has what was handed in alone", async () => {
    const cwd = await projectWith(SUBMIT);
    const { code, out, err } = await runToEnd(argvOf("scripted:script.yaml"), { cwd });
    expect({ code, out }).toEqual({ code: 0, out: " a patch\tit is" });
    expect(err.trimEnd().split("\n").at(-1)).toMatch(lastLine("Submitted"));
    const json = await runToEnd(argvOf("scripted:script.yaml", ["--json"]), { cwd });
    expect(json.code).toBe(0);
    expect(JSON.parse(json.out)).toMatchObject({
      kind: "end",
      end: "Submitted",
      submission: " a patch\tit is",
    });
  });

  it("as ContextExceeded, and goes on with a model of a larger window alone", async () => {
    const cwd = await projectWith(SUBMIT);
    const env = { OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${loopback.server.url}/v1` };
    const resume = ["run", "--resume", "garden", "--yes"];
    expectEnd(
      await runToEnd(argvOf("openai/small", ["mend it ".repeat(3_000)]), { cwd, env }),
      "ContextExceeded",
      1,
    );
    expectEnd(await runToEnd(resume, { cwd, env }), "ContextExceeded", 1);
    const larger = await runToEnd([...resume, "--model", "scripted:script.yaml"], { cwd, env });
    expect(larger).toMatchObject({ code: 0, out: " a patch\tit is" });
  });

  it.each(CASES)(
    "with 1 as $end $how",
    async ({ end, script = "", limits, why, goesOn = "", task = "", ...rest }) => {
      const cwd = await projectWith(script);
      const model = rest.model ?? "scripted:script.yaml";
      const said = limits === undefined ? [task] : [task, "--limits", limits];
      loopback.server.reply(paid, paid);
      const env = { OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${loopback.server.url}/v1` };
      const told = expectEnd(await runToEnd(argvOf(model, said), { cwd, env }), end, 1);
      const [, reason, way] = /^legion: (.*); (legion run .*)$/.exec(told.at(-1)!) ?? [];
      expect(reason).toMatch(why);
      expect(way).toBe(`legion run --resume garden${goesOn} goes on`);
      const json = await runToEnd(argvOf(model, [...said, "--json"]), {
        cwd: await projectWith(script),
        env,
      });
      expect(json.code).toBe(1);
      expect(JSON.parse(json.out)).toMatchObject({ kind: "end", run: "garden", end, submission: "" });
    },
  );

  it("with 0 where what was handed in is no text, which is said", async () => {
    const cwd = await projectWith(bash("printf 'MINI_SWE_AGENT_FINAL_OUTPUT\\ncaf\\351\\n'"));
    const { code, out, err } = await runToEnd(argvOf("scripted:script.yaml"), { cwd });
    expect({ code, out }).toEqual({ code: 0, out: "caf\uFFFD\n" });
    expect(err).toMatch(/^legion: what was handed in had bytes that are no UTF-8 text; .*\n.*\n$/);
  });

  it("with 1 as UserInterruption where a person stops its agent", async () => {
    const cwd = await projectWith(SLOW);
    const { ended } = run(argvOf("scripted:script.yaml"), { cwd });
    await begun(cwd);
    expect((await runToEnd(["abort", "1", "--run", "garden"], { cwd })).code).toBe(0);
    const told = expectEnd(await ended, "UserInterruption", 1);
    expect(told.at(-1)).toBe("legion: stopped by a person; legion run --resume garden goes on");
  });

  it.each(["--yolo", "--mode=usual"])(
    "with 0 where it is gone on with after that, also as somebody else has it watched over: %s",
    async (mode) => {
      const cwd = await projectWith(SLOW);
      const argv = argvOf("scripted:script.yaml").filter((word) => word !== "--yes");
      const { ended } = run([...argv, "--mode", "confirm", "--approvals", "wait"], { cwd });
      const asked = (): Promise<Ended> => runToEnd(["approvals", "--json", "--run", "garden"], { cwd });
      while ((await asked()).out === "");
      expect((await runToEnd(["abort", "1", "--run", "garden"], { cwd })).code).toBe(0);
      expect(await ended).toMatchObject({ code: 1 });
      await writeFile(join(cwd, "script.yaml"), SUBMIT);
      const again = await runToEnd(["run", "--resume", "garden", mode, "--approvals", "wait"], { cwd });
      expect(again).toMatchObject({ code: 0, out: " a patch\tit is" });
    },
  );

  it("with 130 as stopped, and says what has it go on", async () => {
    const cwd = await projectWith(SLOW);
    const { child, ended } = run(argvOf("scripted:script.yaml"), { cwd });
    await begun(cwd);
    child.kill("SIGINT");
    const told = expectEnd(await ended, "stopped", 130);
    expect(told.at(-1)).toContain("legion run --resume garden goes on");
  });

  it.each([
    ["an agent that is not there", ["run", "--agent", "nobody", "x"]],
    ["a limit that is none", ["run", "--agent", "swe", "--limits", "steps=0", "x"]],
    ["a run that is not there", ["run", "--resume", "house"]],
    ["no task", ["run", "--agent", "swe"]],
  ])("with 2 for %s: one line, and nothing is written", async (_, argv) => {
    const cwd = await projectWith(SUBMIT);
    const { code, out, err } = await runToEnd(argv, { cwd });
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/^legion: .*\n$/);
    expect(await readdir(join(cwd, ".ai-legion"))).toEqual(["config.yaml"]);
  });
});

const begun = (cwd: string) =>
  expect.poll(async () => (await readdir(cwd)).includes("begun"), { timeout: 20_000 }).toBe(true);
