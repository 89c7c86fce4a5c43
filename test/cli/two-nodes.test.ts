import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisIsThere, startRedis, type Server } from "../storage/redis/servers.ts";
import { createTempProject } from "../temp-project.ts";
import { type, type Terminal } from "./terminals.ts";

const MINUTES_MS = 180_000;

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

/** Two nodes with a folder each, and commands that are typed in a third one. */
async function startTwo(name: string) {
  const legion = ["--bus", server.url, "--name", name];
  const folders = [await createTempProject(), await createTempProject(), await createTempProject()];
  const start = async (agents: string, folder: string): Promise<Terminal> => {
    const node = type(
      "start",
      "--agents",
      agents,
      "--model",
      "offline",
      "--tick",
      "0",
      "--dir",
      folder,
      ...legion,
    );
    await node.until("2 agents on offline");
    return node;
  };
  const [here, there] = [await start("1-2", folders[0]!), await start("3-4", folders[1]!)];
  const typed = (...argv: string[]) => type(...argv, "--dir", folders[2]!, ...legion).ended;
  return {
    here,
    there,
    typed,
    async printed(...argv: string[]): Promise<string> {
      const { exitCode, out, err } = await typed(...argv);
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
      return out;
    },
    async status(): Promise<readonly unknown[]> {
      const { out } = await typed("ps", "--json");
      return out
        .trim()
        .split("\n")
        .map((row): unknown => JSON.parse(row));
    },
  };
}

describe.runIf(redisIsThere)("a legion on two nodes", () => {
  it(
    "is talked to, looked at, ordered and ended from a third place",
    async () => {
      const { here, there, typed, printed, status } = await startTwo("talked-to");
      const runBy = (node: Terminal) => expect.stringMatching(`^${node.pid}@`) as string;

      expect(await printed("send", "2,4", "note plan: first this")).toBe("0>2#1\n0>4#1\n");
      await here.until('Note "plan" has been written');
      await there.until('Note "plan" has been written');
      expect(await printed("notes", "4", "plan")).toBe("first this\n");
      expect(await printed("send", "3", "help", "--wait")).toMatch(/^0>3#1\n\S/);

      expect(await printed("pause", "all")).toMatch(
        /^Agent 1, Agent 2, Agent 3 and Agent 4: paused until `legion resume 1,2,3,4`\.\n$/,
      );
      expect(await printed("pause", "4")).toBe("Agent 4: paused already.\n");
      expect(await printed("resume", "1,3")).toBe("Agent 1 and Agent 3: resumed.\n");
      expect(await printed("stop", "1")).toBe("Agent 1: stopped; the next start runs it again.\n");
      expect(await printed("stop", "1")).toBe("Agent 1: stopped already.\n");
      expect(await status()).toMatchObject([
        { id: "1", state: "stopped", waitingFor: "start", node: null },
        { id: "2", state: "paused", node: runBy(here) },
        { id: "3", state: "idle", node: runBy(there) },
        { id: "4", state: "paused", node: runBy(there) },
      ]);
      expect(await printed("ps")).toMatch(/Node \S+ runs 1 of 4\.\nNode \S+ runs 2 of 4\.\n$/);

      const ended = await printed("stop");
      for (const { pid } of [here, there])
        expect(ended).toMatch(new RegExp(`^Node ${pid}@.* has ended\\.$`, "m"));
      expect([(await here.ended).exitCode, (await there.ended).exitCode]).toEqual([0, 0]);
      expect(await printed("ps")).toContain("No node runs");
      expect(await typed("stop")).toMatchObject({
        exitCode: 1,
        err: "legion: no node runs this legion: there is nothing to stop\n",
      });
    },
    MINUTES_MS,
  );

  it(
    "does what a person orders of an agent whose process stands still, once, also when that one goes on",
    async () => {
      const { here, there, printed, status } = await startTwo("standing-still");
      here.kill("SIGSTOP");
      expect(await printed("pause", "1,4")).toBe("Agent 1 and Agent 4: paused until `legion resume 1,4`.\n");
      const [one, , , four] = await status();
      expect(one).toMatchObject({ id: "1", state: "paused", node: null });
      expect(four).toMatchObject({ id: "4", state: "paused", node: expect.any(String) });
      here.kill("SIGCONT");
      for (;;) {
        const [again] = await status();
        expect(again).toMatchObject({ id: "1", state: "paused" });
        if ((again as { node: string | null }).node?.startsWith(`${here.pid}@`)) break;
        await delay(100);
      }
      const log = await printed("log", "1", "--json");
      expect(log.match(/"reason":"paused"/g)).toHaveLength(1);
      await printed("stop");
      expect([(await here.ended).exitCode, (await there.ended).exitCode]).toEqual([0, 0]);
    },
    MINUTES_MS,
  );
});
