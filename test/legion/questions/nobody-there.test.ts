// The real program without a terminal, with an agent that asks before it runs a command.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram, run, runToEnd } from "../../cli/program.ts";
import { createTempProject } from "../../temp-project.ts";

const MINUTES_MS = 180_000;
const FAR = { timeout: 60_000, interval: 200 };

beforeAll(buildProgram, MINUTES_MS);

async function openProject() {
  const cwd = await createTempProject({
    "run.yaml": "- calls: [{ action: executeCommand, parameters: { command: echo done >> done.txt } }]\n",
    "rest.yaml": "- calls: [{ action: noop }]\n",
  });
  const typed = (...argv: readonly string[]) => runToEnd(argv, { cwd });
  return {
    typed,
    start: (script: string, ...argv: readonly string[]) =>
      run(["start", "--model", `scripted:${script}.yaml`, "--tick", "0", "--policy", "ask run *", ...argv], {
        cwd,
      }),
    async questions(): Promise<readonly string[]> {
      const { out } = await typed("approvals", "--json");
      return out.split("\n").flatMap((line) => (line === "" ? [] : (JSON.parse(line) as { id: string }).id));
    },
    done: () => readFile(join(cwd, "done.txt"), "utf8").catch(() => ""),
  };
}

const TASK = ["--task", "Go."];

describe("where nobody is there to answer", () => {
  it.each([
    ["--until-idle without a terminal", ["--until-idle"]],
    ["--approvals deny", ["--approvals", "deny", "--until-idle"]],
  ])("%s: what would be asked is denied at once, and the start ends", async (_, argv) => {
    const { start, typed, questions, done } = await openProject();
    const { code, err } = await start("run", ...TASK, ...argv).ended;
    expect(code, err).toBe(0);
    expect(await done()).toBe("");
    expect(await questions()).toEqual([]);
    const log = (await typed("log", "1", "--json")).out;
    expect(log).toContain("It would have to be asked (run * (--policy)), and nobody is there to answer.");
    expect(log).not.toContain('"kind":"approval"');
  });

  it(
    "--approvals wait waits all the same: an open question is not idle, and its answer is the end of it",
    async () => {
      const { start, typed, questions, done } = await openProject();
      const node = start("run", ...TASK, "--until-idle", "--approvals", "wait");
      await expect.poll(questions, FAR).toHaveLength(1);
      const [question] = await questions();
      expect((await typed("ps", "--json")).out).toContain('"state":"asking"');
      expect(node.child.exitCode).toBe(null);
      expect(await done()).toBe("");
      expect((await typed("approve", question!)).code).toBe(0);
      expect((await node.ended).code).toBe(0);
      expect(await done()).toBe("done\n");
    },
    MINUTES_MS,
  );

  it(
    "a question that an earlier start left open is denied as well, but an answer that came before counts",
    async () => {
      const { start, typed, questions, done } = await openProject();
      const ask = async (): Promise<string> => {
        const node = start("run", ...TASK);
        await expect.poll(questions, FAR).toHaveLength(1);
        node.child.kill("SIGKILL");
        await node.ended;
        return (await questions())[0]!;
      };
      await ask();
      expect((await start("rest", "--until-idle").ended).code).toBe(0);
      expect(await done()).toBe("");
      expect(await questions()).toEqual([]);
      expect((await typed("log", "1", "--json")).out).toContain("Nobody answered in time");

      const question = await ask();
      expect((await typed("approve", question)).code).toBe(0);
      expect((await start("rest", "--until-idle").ended).code).toBe(0);
      expect(await done()).toBe("done\n");
    },
    MINUTES_MS,
  );
});
