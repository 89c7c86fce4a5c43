// Two agents of the real program ask before they run a command, which adds a line to a file.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildProgram, run, runToEnd, type Run } from "../../cli/program.ts";
import { redisIsThere, startRedis, type Server } from "../../storage/redis/servers.ts";
import { createTempProject } from "../../temp-project.ts";

const MINUTES_MS = 180_000;
const FAR = { timeout: 60_000, interval: 200 };

beforeAll(buildProgram, MINUTES_MS);

let redis: Server | undefined;
beforeAll(async () => {
  if (redisIsThere) redis = await startRedis();
});
afterAll(() => redis?.stop());

let legions = 0;
const homes = ["files", ...(redisIsThere ? ["Redis"] : [])];
const homeOf = (home: string): readonly string[] =>
  home === "Redis" ? ["--bus", redis!.url, "--name", `asked-${++legions}`] : [];

interface Asked {
  readonly id: string;
  readonly agent: string;
  readonly isAnswered: boolean;
}

const COMMAND = "- calls: [{ action: executeCommand, parameters: { command: echo done >> done.txt } }]\n";

async function openProject(home: string) {
  const cwd = await createTempProject({
    // Both take their answers from it.
    "run.yaml": COMMAND.repeat(2),
    "rest.yaml": "- calls: [{ action: noop }]\n",
  });
  const legion = homeOf(home);
  const start = (script: string, ...argv: readonly string[]): Run =>
    run(
      [
        ...["start", "2", "--model", `scripted:${script}.yaml`, "--tick", "0"],
        ...["--policy", "ask run *", ...argv, ...legion],
      ],
      { cwd },
    );
  const typed = (...argv: readonly string[]) => runToEnd([...argv, ...legion], { cwd });
  return {
    start,
    typed,
    async questions(): Promise<readonly Asked[]> {
      const { out } = await typed("approvals", "--json");
      return out
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Asked);
    },
    async done(): Promise<number> {
      const text = await readFile(join(cwd, "done.txt"), "utf8").catch(() => "");
      return text.split("\n").length - 1;
    },
  };
}

describe.each(homes)("of two agents that ask at once, in %s", (home) => {
  it(
    "one is answered on another terminal, and one after kill -9, while nobody runs: each command runs once",
    async () => {
      const { start, typed, questions, done } = await openProject(home);
      const node = start("run");
      await node.until("2 agents on");
      expect(await typed("send", "all", "Go.")).toMatchObject({ code: 0 });
      await expect.poll(questions, FAR).toMatchObject([{ isAnswered: false }, { isAnswered: false }]);
      const [first, second] = await questions();
      expect(await done()).toBe(0);

      expect((await typed("approve", first!.id)).out).toContain("may do it");
      await expect.poll(done, FAR).toBe(1);
      await expect.poll(questions, FAR).toMatchObject([{ id: second!.id }]);
      node.child.kill("SIGKILL");
      expect((await node.ended).code).toBe(null);

      expect(await questions()).toMatchObject([{ id: second!.id, isAnswered: false }]);
      const approved = await typed("approve", second!.id);
      expect(approved).toMatchObject({ code: 0, err: "" });
      expect(await questions()).toMatchObject([{ id: second!.id, isAnswered: true }]);
      expect(await done()).toBe(1);

      // In Redis the right to run them has to run out first.
      const next = start("rest");
      await expect.poll(done, FAR).toBe(2);
      await expect.poll(questions, FAR).toEqual([]);
      next.child.kill("SIGTERM");
      expect((await next.ended).code).toBe(0);
      const last = await start("rest", "--until-idle").ended;
      expect(last.code, last.err).toBe(0);
      expect(await done()).toBe(2);
      const log = (await typed("log", second!.agent, "--json")).out;
      expect(log.match(/"kind":"result".*"outcome":"ok"/g)).toHaveLength(1);
      expect(log).not.toContain('"outcome":"interrupted"');
    },
    MINUTES_MS,
  );
});
