import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it, vi } from "vitest";
import { buildProgram, run, runToEnd } from "../../cli/program.ts";
import { createTempProject } from "../../temp-project.ts";
import { FAKE_SERVER, isAlive, linesIn } from "./kit.ts";

beforeAll(buildProgram, 120_000);

const START = ["start", "--trust", "--agent", "clerk", "--model", "scripted:script.yaml", "--tick", "0"];

function parentOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ")[1]);
}

it("a node that is killed with -9 leaves no server after its next start, however deaf that is, nor what it started", async () => {
  const pids = join(await createTempProject(), "pids");
  const args = [FAKE_SERVER, "children that outlive it", pids];
  const cwd = await createTempProject({
    ".mcp.json": JSON.stringify({ mcpServers: { fake: { command: process.execPath, args } } }),
    // Its processes have the same numbers for us as for itself.
    ".ai-legion/config.yaml": "mcp: { outside: [fake] }",
    "agents/clerk.md": "---\nmodules: [core]\nmcp: all\n---\nClerk.\n",
    "script.yaml": "- Done.\n- Done.\n",
  });
  const node = run([...START, "--task", "Go."], { cwd });
  await vi.waitFor(() => expect(linesIn(pids)).toHaveLength(1), { timeout: 20_000 });
  const [child] = linesIn(pids).map(Number);
  const server = parentOf(child!);
  node.child.kill("SIGKILL");
  await node.ended;
  expect([server, child].map((pid) => isAlive(pid!))).toEqual([true, true]);
  const again = await runToEnd([...START, "--task", "Go.", "--until-idle"], { cwd });
  expect(again).toMatchObject({ code: 0 });
  expect(linesIn(pids)).toHaveLength(2);
  const left = [server, ...linesIn(pids).map(Number)];
  expect(left.filter(isAlive)).toEqual([]);
});
