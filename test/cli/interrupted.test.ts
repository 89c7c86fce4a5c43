import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import { isRunning, isRunningAs, lasting } from "../environment/environment-contract.ts";
import { createTempProject } from "../temp-project.ts";
import { buildProgram, run, runToEnd } from "./program.ts";

beforeAll(buildProgram, 120_000);

const start = (script: string): string[] => [
  "start",
  "--model",
  `scripted:${script}`,
  "--tick",
  "0",
  "--trust",
  "--yes",
  "--json",
];
const command = (text: string): string =>
  `- calls: [{ action: executeCommand, parameters: { command: ${JSON.stringify(text)} } }]\n`;

it("a command that was running when the node was killed is ended at the next start, and the agent is told what it had printed", async () => {
  const cwd = await createTempProject({
    "command.yaml": command("echo $$ > pid; echo half done; sleep 1000"),
    "rest.yaml": "- calls: [{ action: noop }]\n",
    // What runs in a sandbox ends with the runtime.
    ".ai-legion/config.yaml": "environment: local\n",
  });
  const trace = join(cwd, ".ai-legion/agents/1/running.out");
  const killed = run([...start("command.yaml"), "--task", "Go."], { cwd });
  await expect
    .poll(() => readFile(trace, "utf8").catch(() => ""), { timeout: 10_000 })
    .toContain("half done");
  killed.child.kill("SIGKILL");
  await killed.ended;
  const pid = Number(await readFile(join(cwd, "pid"), "utf8"));
  expect(await isRunning(pid)).toBe(true);

  const { code, out } = await runToEnd([...start("rest.yaml"), "--until-idle"], { cwd });
  expect(code).toBe(0);
  expect(await isRunning(pid)).toBe(false);
  const events = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Event);
  const results = events.flatMap((event) => (event.kind === "result" ? [event] : []));
  expect(results[0]).toMatchObject({ outcome: "interrupted" });
  expect(results[0]!.content).toMatch(
    /Check before repeating it\.\nIts command was still running, and was ended\.\nIts command had printed:\nhalf done\n$/,
  );
});

it("a command in the background of a node that was killed is ended at the next start, and the agent is told, with what it had printed", async () => {
  const left = lasting();
  const cwd = await createTempProject({
    "start.yaml": `- calls: [{ action: startCommand, parameters: { command: "echo serving; ${left}" } }]\n- calls: [{ action: noop }]\n`,
    "read.yaml": "- calls: [{ action: readCommand, parameters: { id: 1 } }]\n- calls: [{ action: noop }]\n",
    "agents/legionnaire.md": "---\nmodules: [core, system]\n---\n",
    // What runs in a sandbox ends with the runtime.
    ".ai-legion/config.yaml": "environment: local\n",
  });
  const killed = run([...start("start.yaml"), "--task", "Go."], { cwd });
  await killed.until("Command 1 runs in the background");
  const folder = join(cwd, ".ai-legion/agents/1/background");
  const kept = async () => readFile(join(folder, (await readdir(folder))[0]!), "utf8");
  await expect.poll(kept, { timeout: 10_000 }).toBe("serving\n");
  killed.child.kill("SIGKILL");
  await killed.ended;
  expect(await isRunningAs(left)).toBe(true);

  const { code, out } = await runToEnd([...start("read.yaml"), "--task", "Read.", "--until-idle"], { cwd });
  expect(code).toBe(0);
  expect(await isRunningAs(left)).toBe(false);
  expect(out).toContain("Command 1 does not run any more: commands in the background end with the runtime");
  expect(out).toContain("New output:\\nserving");
});
