import { execFile, execFileSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { ORDER_NAMES } from "../../../src/cli/memory/memory.ts";
import { createTempProject } from "../../temp-project.ts";
import { legion } from "../legion.ts";

const run = promisify(execFile);

function isThere(shell: string): boolean {
  try {
    execFileSync(shell, ["-c", "true"]);
    return true;
  } catch {
    return false;
  }
}

/** A project with agents, and with folders whose names a shell would run. */
async function withAgents(): Promise<string> {
  const agents = [
    "0",
    "1",
    "2",
    "2b",
    "writer",
    "$(touch pwned)",
    "`touch pwned`",
    "a b",
    "A",
    ";touch pwned",
  ];
  const files = agents.map((name) => [`.ai-legion/agents/${name}/agent.json`, "{}"] as const);
  const definitions = [
    "agents/poet.md",
    "agents/team.yaml",
    ".claude/agents/Code-Reviewer.md",
    ".claude/agents/$(touch pwned).md",
  ];
  return createTempProject({
    ...Object.fromEntries([...files, ...definitions.map((path) => [path, ""] as const)]),
    ".ai-legion/agents/file": "",
    "sub/x": "",
  });
}

async function scriptFor(shell: string, cwd: string): Promise<string> {
  const { exitCode, out, err } = await legion(["completion", shell], { cwd });
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  return out;
}

/** What bash offers where the last of `words` is being typed. */
async function inBash(words: readonly string[], cwd: string): Promise<readonly string[]> {
  const script = await scriptFor("bash", cwd);
  const ask = 'COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _legion; printf "%s\\n" "${COMPREPLY[@]}"';
  const { stdout, stderr } = await run("bash", ["-c", `${script}\n${ask}`, "bash", ...words], { cwd });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((word) => word !== "");
}

describe("legion completion bash", () => {
  it("offers every command", async () => {
    const cwd = await withAgents();
    expect(await inBash(["legion", ""], cwd)).toEqual(COMMANDS.map(({ name }) => name));
    expect(await inBash(["legion", "re"], cwd)).toEqual(["resend", "report", "replay", "resume"]);
  });

  it.each<[readonly string[], readonly string[]]>([
    [
      ["send", ""],
      ["1", "2", "2b", "writer", "all"],
    ],
    [
      ["log", "2"],
      ["2", "2b"],
    ],
    [
      ["send", "1,2"],
      ["1,2", "1,2b"],
    ],
    [["send", "2", ""], []],
    [["start", "--only", "w"], ["writer"]],
    [
      ["start", "--agent", "p"],
      ["poet", "planner"],
    ],
    [["run", "--agent", "C"], ["Code-Reviewer"]],
    [["trace", "--agent", "w"], ["writer"]],
    [["start", "--from", ".c"], [".claude"]],
    [["send", "--wa"], ["--wait"]],
    [["ps", "--w"], ["--watch"]],
    [["send", "--timeout", ""], []],
    [["goals", "--dir", "su"], ["sub"]],
    [["goals", "--dir", "sub", ""], ["all"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [
      ["help", "pr"],
      ["prune", "prompt"],
    ],
    [
      ["mcp", ""],
      ["allow", "deny", "serve"],
    ],
    [["mcp", "allow", ""], []],
    [
      ["mode", "2"],
      ["2", "2b"],
    ],
    [
      ["mode", "2", ""],
      ["confirm", "yolo", "human", "held", "usual"],
    ],
    [["mode", "2", "confirm", ""], []],
    [["import", "su"], ["sub"]],
    [["nothing", ""], []],
  ])("offers for %j: %j", async (words, offered) => {
    expect(await inBash(["legion", ...words], await withAgents())).toEqual(offered);
  });

  it("runs nothing that a project's folders are called", async () => {
    const cwd = await withAgents();
    for (const word of ["", "$", "`", "$(touch pwned)"]) {
      await inBash(["legion", "send", word], cwd);
      await inBash(["legion", "start", "--agent", word], cwd);
    }
    expect(await readdir(cwd)).toEqual([".ai-legion", ".claude", "agents", "sub"]);
  });

  it("finds the project that --dir names", async () => {
    const [cwd, dir] = [await createTempProject(), await withAgents()];
    expect(await inBash(["legion", "goals", "--dir", dir, "w"], cwd)).toEqual(["writer"]);
  });
});

describe.runIf(isThere("fish"))("legion completion fish", () => {
  it("offers commands, agents and options", async () => {
    const cwd = await withAgents();
    const script = await scriptFor("fish", cwd);
    const offered = async (line: string): Promise<readonly string[]> => {
      const ask = `${script}\ncomplete -C '${line}'`;
      const { stdout } = await run("fish", ["--no-config", "-c", ask], {
        cwd,
        env: { ...process.env, HOME: cwd },
      });
      return stdout
        .trim()
        .split("\n")
        .map((row) => row.split("\t")[0]!);
    };
    expect(await offered("legion res")).toEqual(["resend", "resume"]);
    expect([...(await offered("legion send "))].sort()).toEqual(["1", "2", "2b", "all", "writer"]);
    expect(await offered("legion send --wa")).toEqual(["--wait"]);
    expect(await offered("legion start --only wr")).toEqual(["writer"]);
    expect(await offered("legion start --agent po")).toEqual(["poet"]);
    expect(await readdir(cwd)).not.toContain("pwned");
  });
});

describe.runIf(isThere("zsh"))("legion completion zsh", () => {
  it("is a script of zsh that finds the agents, and nothing else", async () => {
    const cwd = await withAgents();
    const script = await scriptFor("zsh", cwd);
    await run("zsh", ["-f", "-n", "-c", script], { cwd });
    const ask = "words=(legion send '') CURRENT=3; _legion_ids";
    const { stdout } = await run("zsh", ["-f", "-c", `compdef() { :; }\n${script}\n${ask}`], { cwd });
    expect(stdout.trim().split("\n")).toEqual(["1", "2", "2b", "writer"]);
    const more = "words=(legion start --agent '') CURRENT=4; _legion_definitions";
    const { stdout: names } = await run("zsh", ["-f", "-c", `compdef() { :; }\n${script}\n${more}`], { cwd });
    expect(names.trim().split("\n").slice(0, 3)).toEqual(["poet", "Code-Reviewer", "assistant"]);
    expect(await readdir(cwd)).toEqual([".ai-legion", ".claude", "agents", "sub"]);
  });
});

it("zsh and fish are told of every command", async () => {
  const cwd = await createTempProject();
  for (const shell of ["zsh", "fish"]) {
    const script = await scriptFor(shell, cwd);
    for (const { name, summary } of COMMANDS) {
      expect(script).toContain(name);
      expect(script).toContain(summary.replaceAll("'", "’"));
    }
  }
});

it("refuses another shell in one line", async () => {
  const { exitCode, out, err } = await legion(["completion", "tcsh"], { cwd: join("/") });
  expect({ exitCode, out, err }).toEqual({
    exitCode: 2,
    out: "",
    err: 'legion: expected bash, zsh, fish, not "tcsh"\n',
  });
});

it("knows every order of `legion memory`", async () => {
  const { out } = await legion(["completion", "bash"], { cwd: tmpdir() });
  expect(out).toContain(`memory) takes=words words='${ORDER_NAMES.join(" ")}'`);
});
