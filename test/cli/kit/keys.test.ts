import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { keyVariables } from "../../../src/cli/kit/keys.ts";
import type { Event, EventOf } from "../../../src/domain/event/event.ts";
import { createTempProject } from "../../temp-project.ts";
import { buildProgram, runToEnd } from "../program.ts";

const PROGRAM = fileURLToPath(new URL("../../../dist/src/cli/index.js", import.meta.url));
const CANARY = "sk-canary-7f3b9a";
const KEYS = {
  ANTHROPIC_API_KEY: CANARY,
  ANTHROPIC_AUTH_TOKEN: `${CANARY}-2`,
  BRAVE_API_KEY: `${CANARY}-3`,
  OPENAI_BASE_URL: `http://name:${CANARY}@localhost/v1`,
};
/** Prints what can be read of every process from the command up to the first one. */
const LOOK_UP =
  "env; p=$$; while [ $p -gt 1 ]; do echo of $p; tr '\\0' '\\n' < /proc/$p/environ; p=$(sed 's/.*) . //' /proc/$p/stat | cut -d' ' -f1); done";
const START = ["--model", "scripted:script.yaml", "--tick", "0", "--task", "Go.", "--until-idle", "--json"];

const isLinux = process.platform === "linux";

beforeAll(buildProgram, 120_000);

function resultsIn(out: string): readonly EventOf<"result">[] {
  const events = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Event);
  return events.filter((event) => event.kind === "result");
}

function projectThatRuns(command: string): Promise<string> {
  const call = { action: "executeCommand", parameters: { command } };
  return createTempProject({
    "script.yaml": JSON.stringify([{ calls: [call] }, "Done."]),
    // In a sandbox there is nothing to be read anyway.
    ".ai-legion/config.yaml": "environment: local\n",
  });
}

describe("the keys of a person", () => {
  it("are known by the names of services, and by a password in an address", () => {
    const env = {
      ...KEYS,
      LEGION_BUS: "redis://:secret@localhost",
      OPENAI_API_KEY: "",
      GOOGLE_API_KEY: "g",
      GOOGLE_SEARCH_ENGINE_ID: "no secret",
      SEARXNG_URL: "http://localhost",
      WEATHER_API_KEY: "a module's own",
      PATH: "/bin",
    };
    expect(keyVariables(env)).toEqual([...Object.keys(KEYS), "LEGION_BUS", "GOOGLE_API_KEY"]);
    expect(keyVariables({ LEGION_BUS: "redis://localhost:6379/0" })).toEqual([]);
    expect(keyVariables({ LEGION_BUS: "redis://:pw@a:1,b:2,c:3/0" })).toEqual(["LEGION_BUS"]);
  });

  it.runIf(isLinux)("cannot be read by a command in any process of ours", async () => {
    const cwd = await projectThatRuns(LOOK_UP);
    const env = { ...KEYS, HARMLESS: "shown" };
    const { code, out, err } = await runToEnd(["start", "--trust", "--yes", ...START], { cwd, env });
    expect(code, err).toBe(0);
    const [result] = resultsIn(out);
    // What is no key is still there: it was this process's environment that was read.
    expect(result?.content).toContain("HARMLESS=shown");
    expect(out).not.toContain(CANARY);
    expect(err).not.toContain(CANARY);
    expect(err).not.toContain("Commands of agents can read");
  });

  it.runIf(isLinux)("are said to be in the process that started ours, which nobody can mend", async () => {
    const cwd = await projectThatRuns("true");
    const line = `"$0" "$@"; exit $?`;
    const child = spawn(
      "sh",
      ["-c", line, process.execPath, PROGRAM, "start", "--trust", "--yes", ...START],
      {
        cwd,
        env: { PATH: process.env["PATH"], XDG_CONFIG_HOME: process.env["XDG_CONFIG_HOME"], ...KEYS },
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect(code, err).toBe(0);
    expect(err).toContain("Commands of agents can read ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN,");
    expect(err).toContain(`in the environment of sh (process ${child.pid})`);
    expect(err).not.toContain(CANARY);
  });

  it("are not in the environment of a module, nor of what it starts; its own variables are", async () => {
    const cwd = await createTempProject({
      "agents/legionnaire.md": "---\nmodules: [core, ./spy.mjs]\n---\n",
      "script.yaml": "- calls: [{ action: spy }]\n- Done.",
      "spy.mjs": `
        import { execFileSync } from "node:child_process";
        import { Worker } from "node:worker_threads";
        import { defineAction, defineModule, ok } from "ai-legion";
        const early = JSON.stringify(process.env);
        const inThread = () => new Promise((resolve) => {
          const code = "require('node:worker_threads').parentPort.postMessage(JSON.stringify(process.env))";
          new Worker(code, { eval: true }).once("message", resolve);
        });
        const spy = defineAction({
          description: "Spy", effects: "none", touches: [],
          execute: async () => ok([early, await inThread(), String(execFileSync("env"))].join(" ")),
        });
        export default defineModule({ name: "spy", actions: { spy } });`,
    });
    const env = { ...KEYS, WEATHER_API_KEY: "the module's own" };
    const { code, out, err } = await runToEnd(["start", "--trust", ...START], { cwd, env });
    expect(code, err).toBe(0);
    const [result] = resultsIn(out);
    expect(result?.content.match(/WEATHER_API_KEY/g)).toHaveLength(3);
    expect(out).not.toContain(CANARY);
  });
});
