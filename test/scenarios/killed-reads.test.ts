// The program is killed between the results of calls that run side by side.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import { buildProgram, run, runToEnd } from "../cli/program.ts";
import { redisIsThere, startRedis, type Server } from "../storage/redis/servers.ts";
import { createTempProject } from "../temp-project.ts";

const MINUTE_MS = 60_000;

beforeAll(buildProgram, 120_000);

let redis: Server | undefined;
beforeAll(async () => {
  if (redisIsThere) redis = await startRedis();
});
afterAll(() => redis?.stop());

const homes = ["files", ...(redisIsThere ? ["Redis"] : [])];

/** Its third read ends the process, once, when those before it are committed and the fourth runs. */
const LIBRARY = `
  import { appendFileSync, existsSync, writeFileSync } from "node:fs";
  import { setTimeout as delay } from "node:timers/promises";
  import { defineAction, defineModule, ok, z } from "ai-legion";
  const read = defineAction({
    description: "Read",
    parameters: { what: z.string() },
    effects: "reads",
    touches: [],
    async execute({ what }, { signal }) {
      const isFirst = !existsSync("killed");
      appendFileSync("began.txt", what);
      if (what === "c" && isFirst) {
        await delay(700);
        writeFileSync("killed", "");
        process.kill(process.pid, "SIGKILL");
      }
      if (what === "d" && isFirst) await delay(60_000, undefined, { signal });
      return ok("read " + what);
    },
  });
  export const library = defineModule({ name: "library", actions: { read } });
`;
const calls = ["a", "b", "c", "d"].map((what) => ({ action: "read", parameters: { what } }));

describe.each(homes)("a legion in %s that is killed between reads of one decision", (home) => {
  it(
    "keeps the results that it had, and runs only the others again",
    async () => {
      const cwd = await createTempProject({
        "agents/reader.md": "---\ndescription: Reads\nmodules: [core, ./library.mjs]\n---\n\nRead.\n",
        "library.mjs": LIBRARY,
        "script.yaml": JSON.stringify([{ calls }, { calls: [{ action: "noop" }] }]),
        "rest.yaml": "[]",
      });
      const place = home === "Redis" ? ["--bus", redis!.url, "--name", "killed-reads"] : [];
      const start = ["start", "--trust", "--agent", "reader", "--tick", "0", ...place];
      const first = run([...start, "--model", "scripted:script.yaml", "--task", "Go."], { cwd });
      expect((await first.ended).code).toBe(null);
      // In Redis the dead node's right to run the agent has to end first.
      const second = run([...start, "--model", "scripted:rest.yaml"], { cwd });
      await second.until("waits for mail");
      second.child.kill("SIGTERM");
      expect((await second.ended).code).toBe(0);
      const { out } = await runToEnd(["log", "1", "--json", ...place], { cwd });
      const events = out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Event);
      const results = events.flatMap((event) => (event.kind === "result" ? [event] : []));
      expect(results.map(({ content }) => content)).toEqual(["read a", "read b", "read c", "read d", ""]);
      expect(new Set(results.map(({ epoch }) => epoch)).size).toBe(2);
      expect(await readFile(join(cwd, "began.txt"), "utf8")).toBe("abcdcd");
    },
    MINUTE_MS,
  );
});
