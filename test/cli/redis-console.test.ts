import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisIsThere, startRedis, type Server } from "../storage/redis/servers.ts";
import { createTempProject } from "../temp-project.ts";
import { type } from "./terminals.ts";

const MINUTES_MS = 120_000;

describe.skipIf(!redisIsThere)("the console of a node on Redis", () => {
  let server: Server;
  beforeAll(async () => void (server = await startRedis()));
  afterAll(() => server.stop());

  it.each([
    ["flags", (url: string) => ({ argv: ["--bus", url, "--name", "typed"], files: {} })],
    [
      "the project's settings",
      (url: string) => ({
        argv: ["--trust"],
        files: { ".env": `LEGION_BUS=${url}`, ".ai-legion/config.yaml": "name: settled" },
      }),
    ],
  ])(
    "reaches the same legion by %s: what is said, asked and ordered there",
    async (_, setting) => {
      const { argv, files } = setting(server.url);
      const here = ["--dir", await createTempProject(files)];
      const there = ["--dir", await createTempProject(files), ...argv];
      const elsewhere = type("start", "--agents", "3", "--model", "offline", "--tick", "0", ...there);
      await elsewhere.until("1 agent on offline");
      const node = type("start", "2", "--model", "offline", "--tick", "0", ...here, ...argv);
      await node.until("2 agents on offline");

      node.type("2,3: goal write it down");
      await node.until("✓ Goal added.");
      await elsewhere.until("✓ Goal added.");
      node.type("/goals 2");
      await node.until("1 [ ] write it down");
      node.type("/goals 3 --json");
      await node.until('"text":"write it down"');
      node.type("/ps");
      await node.until(`Node ${elsewhere.pid}@`);
      node.type("/send 3 note plan: first this");
      await elsewhere.until('Note "plan" has been written');
      node.type("/notes 3 plan");
      await node.until("first this");
      node.type("/pause 3");
      await node.until("Agent 3: paused until `legion resume 3`.");
      node.type("/inbox");
      await node.until("Agent 3  (3>0#1)");
      node.type("/export 3 -");
      await node.until('"kind":"legion-export"');
      node.type("/stop");
      expect([(await node.ended).exitCode, (await elsewhere.ended).exitCode]).toEqual([0, 0]);
    },
    MINUTES_MS,
  );
});
