import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import { buildProgram } from "../cli/program.ts";
import { redisIsThere } from "../storage/redis/servers.ts";

beforeAll(buildProgram, 120_000);

it.skipIf(!redisIsThere)(
  "measures a legion as it is: one trip to Redis for a delivery, one for a commit",
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["scripts/bench/redis-trips.mjs"]);
    const figures = JSON.parse(stdout) as readonly { readonly what: string; readonly value: string }[];
    const asked = new Map(figures.map(({ what, value }) => [what.trim(), Math.round(Number(value))]));
    expect(asked.get("deliver")).toBe(2);
    expect(asked.get("commit")).toBe(7);
    expect(asked.get("reserve")).toBe(2);
    // The log of agent 0, to deliver what a person said, and once more to know that nothing is left to tell them.
    // No mailbox is read.
    expect(asked.get("XRANGE")).toBe(2);
  },
);
