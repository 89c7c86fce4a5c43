// A node whose agents remember is killed again and again: each entry is stored once, in order.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parseRedisAddress } from "../../../src/storage/redis/connection/address.ts";
import { openBackend } from "../../../src/storage/open.ts";
import { entriesFrom } from "../../../src/past/memory/recall.ts";
import { buildProgram, run, runToEnd } from "../../cli/program.ts";
import { openAiChunks, type Reply } from "../../model/loopback.ts";
import { redisIsThere, startRedis, until, type Server } from "../../storage/redis/servers.ts";
import { createTempProject } from "../../temp-project.ts";

const ID = "main/legion";
const ENTRIES = 12;
/** Killed as soon as so many are stored; in Redis each start waits for the right of the one before to run out. */
const KILLS = { files: [1, 4, 5, 9, 13, 17, 20], Redis: [4, 13] };
const MINUTES_MS = 180_000;

beforeAll(buildProgram, 120_000);

let redis: Server | undefined;
beforeAll(async () => {
  if (redisIsThere) redis = await startRedis();
});
afterAll(() => redis?.stop());

/** A model that has each agent remember 1, 2, 3..., as many as the past that it is shown says are still to come. */
async function startModel(): Promise<string> {
  let calls = 0;
  const answer = (body: string): Reply => {
    const done = body.split("It is kept in").length - 1;
    const name = /You are ([^.]+) \(agent id (\w+)\)/.exec(body)![2];
    const tool = {
      ...{ index: 0, id: `call-${++calls}`, type: "function" },
      function: { name: "remember", arguments: JSON.stringify({ text: `${name}: ${done + 1}` }) },
    };
    const isDone = done >= ENTRIES;
    const delta = isDone ? { content: "All done." } : { tool_calls: [tool] };
    return openAiChunks([
      { choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: isDone ? "stop" : "tool_calls" }] },
      { choices: [], usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } },
    ]);
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => answer(Buffer.concat(chunks).toString())(response));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

describe("a legion that is killed while its agents remember", () => {
  it.each(redisIsThere ? (["files", "Redis"] as const) : (["files"] as const))(
    "stores each entry once, in the order of who wrote it, kept in %s",
    async (home) => {
      const cwd = await createTempProject({
        "agents/keeper.md":
          "---\ndescription: Keeps\nmodules: [core]\nmemories: [main/legion]\n---\n\nKeep.\n",
      });
      const name = "memory-killed";
      const place = home === "Redis" ? ["--bus", redis!.url, "--name", name] : [];
      const bus =
        home === "Redis" ? { kind: "redis" as const, address: parseRedisAddress(redis!.url) } : undefined;
      const backend = await openBackend({ project: cwd, bus: bus ?? { kind: "memory" }, name });
      onTestFinished(backend.close);
      const stored = () => entriesFrom(backend.memories.read(ID), 1);
      const env = { OPENAI_BASE_URL: await startModel(), OPENAI_API_KEY: "none" };
      const argv = ["start", "2", "--agent", "keeper", "--model", "openai/m", "--tick", "0", ...place];
      expect((await runToEnd([...argv, "--until-idle"], { cwd, env })).code).toBe(0);
      await runToEnd(["send", "all", "Go.", ...place], { cwd });
      for (const count of KILLS[home]) {
        const node = run(argv, { cwd, env });
        await until(async () => (await stored()).length >= count);
        node.child.kill("SIGKILL");
        await node.ended;
        // One that was killed in its actions three times in a row waits for the person.
        await runToEnd(["resume", "1,2", ...place], { cwd });
      }
      expect((await runToEnd([...argv, "--until-idle"], { cwd, env })).code).toBe(0);
      const texts = (await stored()).map(({ raw }) => raw);
      expect(texts).toHaveLength(2 * ENTRIES);
      for (const id of ["1", "2"])
        expect(texts.filter((text) => text.startsWith(`${id}:`))).toEqual(
          Array.from({ length: ENTRIES }, (_, index) => `${id}: ${index + 1}`),
        );
    },
    MINUTES_MS,
  );
});
