// Two nodes of one legion in Redis, with an agent that asks before it deploys: each deployment is a line with the process that
// did it.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenQuestion } from "../../../src/legion/questions.ts";
import { buildProgram, run, runToEnd, type Run } from "../../cli/program.ts";
import { redisIsThere, startRedis, type Server } from "../../storage/redis/servers.ts";
import { createTempProject } from "../../temp-project.ts";

const MINUTES_MS = 180_000;
const FAR = { timeout: 90_000, interval: 200 };

let server: Server;
beforeAll(async () => {
  if (!redisIsThere) return;
  await buildProgram();
  server = await startRedis();
}, MINUTES_MS);
afterAll(() => server?.stop());

interface Row {
  readonly state: string;
  readonly node: string | null;
}

async function openLegion(name: string) {
  const legion = ["--bus", server.url, "--name", name];
  const elsewhere = await createTempProject();
  const file = join(elsewhere, "done.txt");
  const start = async (script: string): Promise<Run> => {
    const cwd = await createTempProject({
      "agents/worker.md": "---\ndescription: Works\nmodules: [core, ./work.mjs]\n---\n\nWork.\n",
      "work.mjs": `
        import { appendFileSync } from "node:fs";
        import { defineAction, defineModule, ok } from "ai-legion";
        const deploy = defineAction({
          description: "Deploy",
          execute() {
            appendFileSync(${JSON.stringify(file)}, process.pid + "\\n");
            return ok("deployed");
          },
        });
        export const working = defineModule({ name: "working", actions: { deploy } });
      `,
      "script.yaml": script,
    });
    const how = ["--agent", "worker", "--model", "scripted:script.yaml", "--tick", "0", "--trust"];
    const node = run(["start", "1", ...how, ...legion], { cwd });
    await node.until("1 agent on");
    return node;
  };
  const typed = (...argv: readonly string[]) => runToEnd([...argv, ...legion], { cwd: elsewhere });
  const json = async <T>(command: string): Promise<readonly T[]> => {
    const { out } = await typed(command, "--json");
    return out.split("\n").flatMap((line) => (line === "" ? [] : (JSON.parse(line) as T)));
  };
  return {
    start,
    typed,
    questions: () => json<OpenQuestion>("approvals"),
    /** The process that runs the agent, and what the agent does there. */
    async standing(): Promise<string> {
      const [row] = await json<Row>("ps");
      return `${row?.state} ${row?.node?.split("@")[0]}`;
    },
    async done(): Promise<readonly string[]> {
      const text = await readFile(file, "utf8").catch(() => "");
      return text.split("\n").filter((line) => line !== "");
    },
  };
}

interface Turn {
  readonly old: Run;
  readonly approve: () => Promise<void>;
}

describe.runIf(redisIsThere)("a question of an agent whose lease moves", () => {
  it.each<[string, NodeJS.Signals, (turn: Turn) => Promise<void>]>([
    ["its node is killed", "SIGKILL", async ({ approve }) => approve()],
    [
      "its node stands still, and goes on before the answer",
      "SIGSTOP",
      async ({ old, approve }) => {
        old.child.kill("SIGCONT");
        await approve();
      },
    ],
    [
      "its node stands still, and goes on after the answer",
      "SIGSTOP",
      async ({ old, approve }) => {
        await approve();
        old.child.kill("SIGCONT");
      },
    ],
  ])(
    "is the same elsewhere, and what was approved runs once, there alone, where %s",
    async (name, signal, go) => {
      const { start, typed, questions, standing, done } = await openLegion(name.replaceAll(/\W+/g, "-"));
      const old = await start("- calls: [{ action: deploy }]\n");
      await typed("send", "1", "Go.");
      await expect.poll(standing, FAR).toBe(`asking ${old.child.pid}`);
      const [question] = await questions();
      const fresh = await start("- calls: [{ action: noop }]\n");
      old.child.kill(signal);
      await expect.poll(standing, FAR).toBe(`asking ${fresh.child.pid}`);
      expect(await questions()).toMatchObject([{ id: question!.id, since: question!.since }]);
      expect(await done()).toEqual([]);

      const approve = async (): Promise<void> => {
        expect(await typed("approve", question!.id)).toMatchObject({ code: 0, err: "" });
      };
      await go({ old, approve });
      await expect.poll(standing, FAR).toBe(`idle ${fresh.child.pid}`);
      // Both end in order: whatever the old one wanted to do when it went on, it has done.
      expect((await typed("stop")).code).toBe(0);
      expect((await fresh.ended).code).toBe(0);
      expect((await old.ended).code).toBe(signal === "SIGKILL" ? null : 0);
      expect(await done()).toEqual([String(fresh.child.pid)]);
      const log = (await typed("log", "1", "--json")).out;
      expect(log.match(/"asked":/g)).toHaveLength(1);
      expect(log.match(/"kind":"approval".*"verdict":"approved"/g)).toHaveLength(1);
      expect(log.match(/"kind":"result".*"deployed"/g)).toHaveLength(1);
    },
    MINUTES_MS,
  );
});
