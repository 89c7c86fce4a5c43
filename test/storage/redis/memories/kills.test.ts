import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedisMemories } from "../../../../src/storage/redis/memories/memories.ts";
import { ID } from "../../contract/memory/memory-letters.ts";
import { numbers } from "../../../mail/letter.ts";
import { openTestLink } from "../members.ts";
import { newLegion } from "../places.ts";
import { redisIsThere, startRedis, type Server } from "../servers.ts";
import { expectFolded, textsOf } from "./memories-place.ts";

const PROGRAM = join(import.meta.dirname, "memories-process.ts");
const LAST = 200;

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

interface Told {
  readonly n: number;
  readonly status: string;
}

/** Sends what is left of `from`, until it has sent `upTo` and is killed; resolves with the highest number that was taken in. */
async function sendUntilKilled(
  legion: string,
  from: string,
  { first, upTo }: { first: number; upTo: number },
): Promise<number> {
  const args = [server.url, legion, from, String(first), String(LAST)];
  const child = fork(PROGRAM, args, { execArgv: ["--import", "tsx"] });
  let highest = first;
  child.on("message", ({ n, status }: Told) => {
    expect(["accepted", "duplicate"]).toContain(status);
    highest = Math.max(highest, n);
    if (n >= upTo && upTo < LAST) child.kill("SIGKILL");
  });
  await once(child, "exit");
  return highest;
}

describe.skipIf(!redisIsThere)("a memory in Redis whose senders' nodes are killed", () => {
  it("has each entry once and in order, whatever the one before had sent without hearing of it (M5)", async () => {
    const legion = newLegion();
    const sending = ["a", "b", "c"].map(async (from, index) => {
      let highest = 0;
      // Nobody wrote down how far the one before had come: the next one begins with what was told, and some more.
      for (const upTo of [30 + index, 90 + index, LAST])
        highest = await sendUntilKilled(legion, from, { first: Math.max(1, highest - 12), upTo });
    });
    await Promise.all(sending);
    const memories = createRedisMemories({ link: await openTestLink(server.url), legion });
    expect(await memories.known()).toEqual([ID]);
    const texts = await textsOf(memories);
    for (const from of ["a", "b", "c"])
      expect(texts.filter((text) => text.startsWith(from))).toEqual(numbers(LAST).map((n) => `${from} ${n}`));
    expect(await expectFolded(memories)).toMatchObject({ entries: 3 * LAST });
  }, 60_000);
});
