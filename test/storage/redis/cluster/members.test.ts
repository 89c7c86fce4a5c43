import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { legionKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import type { Link } from "../../../../src/storage/redis/connection/link.ts";
import type { NodeRecord } from "../../../../src/storage/contract/nodes.ts";
import { attend, leave, readNodes, MEMBER_MS } from "../../../../src/storage/redis/cluster/members.ts";
import { openTestLink } from "../members.ts";
import { newLegion } from "../places.ts";
import { redisIsThere, startRedis, type Server } from "../servers.ts";

let server: Server;
let link: Link;
let legion: string;

beforeAll(async () => void (server = await startRedis()));
afterAll(() => server.stop());
beforeEach(async () => {
  link = await openTestLink(server.url);
  legion = newLegion();
});

function record(id: string, agents = 0): NodeRecord {
  return { id, name: id.split("/")[0]!, workspace: "w", agents, able: ["1", "2"], inBackground: ["1"] };
}

/** The server's clock goes on for everybody but `id`, whose membership is over. */
async function outlast(id: string): Promise<void> {
  await link.command("zincrby", legionKeys(legion).nodes, -MEMBER_MS - 1, id);
}

describe.skipIf(!redisIsThere)("the members of a legion", () => {
  it("are those that said so, with what each said last, by id", async () => {
    expect(await readNodes({ link, legion })).toEqual([]);
    expect(await attend({ link, legion }, record("2@b/y"))).toEqual([record("2@b/y")]);
    expect(await attend({ link, legion }, record("1@a/x", 3))).toEqual([record("1@a/x", 3), record("2@b/y")]);
    await attend({ link, legion }, record("1@a/x", 4));
    expect(await readNodes({ link, legion })).toEqual([record("1@a/x", 4), record("2@b/y")]);
  });

  it("are no members of another legion", async () => {
    await attend({ link, legion }, record("1@a/x"));
    expect(await readNodes({ link, legion: newLegion() })).toEqual([]);
  });

  it("are forgotten when they leave, and when they have said nothing for a while", async () => {
    for (const id of ["1@a/x", "2@b/y", "3@c/z"]) await attend({ link, legion }, record(id));
    await leave({ link, legion }, "2@b/y");
    await outlast("3@c/z");
    expect(await readNodes({ link, legion })).toEqual([record("1@a/x")]);
    expect(await link.command("hexists", legionKeys(legion).nodeRecords, "3@c/z")).toBe(1);
    await attend({ link, legion }, record("1@a/x"));
    expect(await link.command("hexists", legionKeys(legion).nodeRecords, "3@c/z")).toBe(0);
  });

  it("stay members while the memory of Redis is full", async () => {
    await attend({ link, legion }, record("1@a/x"));
    await link.command("config", "set", "maxmemory", "1");
    try {
      expect(await attend({ link, legion }, record("1@a/x", 9))).toEqual([record("1@a/x", 9)]);
      await leave({ link, legion }, "1@a/x");
    } finally {
      await link.command("config", "set", "maxmemory", "0");
    }
    expect(await readNodes({ link, legion })).toEqual([]);
  });

  it("do not count if their record is not one", async () => {
    const { nodes, nodeRecords } = legionKeys(legion);
    await attend({ link, legion }, record("1@a/x"));
    const strange = [
      "",
      "{",
      "null",
      "[]",
      '"text"',
      '{"id":"a"}',
      JSON.stringify({ ...record("b"), able: [1] }),
    ];
    for (const [i, text] of strange.entries()) {
      await link.command("zadd", nodes, Date.now() + 60_000, `strange-${i}`);
      await link.command("hset", nodeRecords, `strange-${i}`, text);
    }
    await link.command("zadd", nodes, Date.now() + 60_000, "without");
    expect(await readNodes({ link, legion })).toEqual([record("1@a/x")]);
  });
});
