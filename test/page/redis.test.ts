import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram, run, runToEnd, type Run } from "../cli/program.ts";
import { redisIsThere, startRedis } from "../storage/redis/servers.ts";
import { createTempProject } from "../temp-project.ts";
import { chromiumIsThere, show, startPage } from "./kit.ts";

beforeAll(buildProgram, 120_000);

/** Two nodes of one legion in Redis, each in a folder of its own as on a machine of its own. */
async function twoNodes() {
  const { url } = await startRedis();
  const folders = [await createTempProject(), await createTempProject()] as const;
  const bus = ["--bus", `${url}/0`] as const;
  const start = async (cwd: string, agents: string): Promise<Run> => {
    const node = run(["start", "--agents", agents, "--model", "offline", "--tick", "0", ...bus], { cwd });
    await node.until("files ");
    return node;
  };
  const legion = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await runToEnd([...args, ...bus], { cwd: folders[0] });
    expect([code, err]).toEqual([0, ""]);
    return out;
  };
  return { folders, bus, start, legion };
}

describe.skipIf(!chromiumIsThere || !redisIsThere)(
  "the page of a legion in Redis",
  { timeout: 180_000 },
  () => {
    it("shows and steers the agents of both nodes; where one is killed and started again, nothing is missing and nothing twice", async () => {
      const { folders, bus, start, legion } = await twoNodes();
      await start(folders[0], "1-2");
      const second = await start(folders[1], "3-4");
      const { page, press, until, texts } = await show(await startPage(folders[0], ...bus));
      await until(".c-name", "Agent 4");
      expect(new Set(await texts(".rows .row .c-node")).size).toBe(2);
      await press("#agent-3 .c-name");
      await until("h1", "Agent 3");
      await page.type(".desk textarea", "note before: said before");
      await page.keyboard.press("Enter");
      await until(".outcome.done", "in the mailbox of Agent 3");
      await until(".note summary", "before");
      second.child.kill("SIGKILL");
      await second.ended;
      await until(".facts", "no node runs it");
      await legion("send", "3", "note after: said after");
      await start(folders[1], "3-4");
      await until(".note summary", "after");
      await until(".k-message", "said after");
      await until(".facts .state", "idle");
      await press(".timeline-foot input");
      const log = (await legion("log", "3", "--json")).trim().split("\n");
      const seqs = log.map((line) => String((JSON.parse(line) as { readonly seq: number }).seq));
      await until(".entry .seq", seqs.at(-1)!);
      expect(await texts(".entry .seq")).toEqual(seqs);
    });

    it("shows what was said between nodes, and any moment of it", async () => {
      const { folders, bus, start, legion } = await twoNodes();
      await start(folders[0], "1-2");
      await start(folders[1], "3-4");
      await legion("send", "1", "tell 3 look at this");
      const { page, until } = await show(await startPage(folders[0], ...bus));
      await until(".c-name", "Agent 4");
      await page.evaluate(() => (location.hash = "#/conversation"));
      await until(".pairs tbody", "Agent 1 → Agent 3");
      await until(".letter", "look at this");
      await page.evaluate((at) => (location.hash = `#/legion?at=${at}`), new Date().toISOString());
      await until(".time-words", "As it was");
      await until(".rows .row .c-node", "none");
      await legion("send", "3", "goal later");
      await page.evaluate((at) => (location.hash = `#/agents/3?at=${at}`), new Date().toISOString());
      await until(".k-message", "look at this");
    });
  },
);
