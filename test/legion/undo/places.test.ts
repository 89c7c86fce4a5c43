// Undo where agents work in folders of their own, and where their legion is kept elsewhere.

import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { core } from "../../../modules/core.ts";
import { system } from "../../../modules/system/index.ts";
import { undoHere } from "../../../src/control/api/undo-here.ts";
import { createLocalEnvironment } from "../../../src/environment/local.ts";
import { startLegion } from "../../../src/legion/legion.ts";
import { createFileBackend } from "../../../src/storage/files/backend.ts";
import { createRedisBackend } from "../../../src/storage/redis/backend.ts";
import { parseRedisAddress } from "../../../src/storage/redis/connection/address.ts";
import { openLink } from "../../../src/storage/redis/connection/link.ts";
import { git, repository } from "../../environment/workspace/trees.ts";
import { gitIsThere } from "../../git.ts";
import { openNode } from "../../storage/redis/redis-world.ts";
import { redisIsThere, startRedis, type Server } from "../../storage/redis/servers.ts";
import { temporaryFolder, toPlan } from "../../world.ts";
import { put, REST, treeOf, write } from "./yard.ts";

const config = { durability: "process" } as const;
const modules = [core, system];

describe.runIf(gitIsThere)("an undo of what was done in a worktree", () => {
  it("puts files back there, touches the project's own nowhere, and leaves what is in a worktree that is gone", async () => {
    const project = repository(await temporaryFolder(), { "a.txt": "a\n", ".gitignore": "/.ai-legion\n" });
    const script = [{ calls: [write("a.txt", "mine\n"), write("d/new.txt", "new")] }, REST, REST];
    const legion = await startLegion({
      project,
      plans: [{ ...toPlan("1", { modules, script }), workspace: "worktree" }],
      limits: {},
      durability: "process",
      delayMs: 0,
      heartbeatMs: "off",
      environment: createLocalEnvironment(process.env),
      settings: () => ({}),
    });
    const [id] = await legion.control.say(["1"], "Go.");
    const idle = (): Promise<void> => legion.untilIdle(new AbortController().signal);
    await idle();
    const tree = join(project, ".ai-legion/workspaces/1");
    expect(readFileSync(join(tree, "a.txt"), "utf8")).toBe("mine\n");
    put(project, "d/new.txt", "new");
    const { done, event } = await legion.undo(id!);
    const shown = ["d/new.txt", "d", "a.txt"].map((path) => `.ai-legion/workspaces/1/${path}`);
    expect(done.map(({ path }) => path)).toEqual(shown);
    expect([readFileSync(join(tree, "a.txt"), "utf8"), existsSync(join(tree, "d"))]).toEqual(["a\n", false]);
    expect(readFileSync(join(project, "d/new.txt"), "utf8")).toBe("new");
    expect(git(tree, "status", "--porcelain")).toBe("");
    await idle();
    await legion.stop();

    await rm(tree, { recursive: true });
    const gone = await undoHere({ project, backend: createFileBackend(project), config }, `0.${event}`);
    expect([gone.done, [...new Set(gone.left.map(({ why }) => why))]]).toEqual([
      [],
      ["the folder that its agent worked in is gone"],
    ]);
    expect(existsSync(tree)).toBe(false);
  });
});

describe.runIf(redisIsThere)("an undo in a legion that is kept in Redis", () => {
  let server: Server;
  beforeAll(async () => void (server = await startRedis()));
  afterAll(() => server.stop());

  it("puts files back with a node and without one, and tells the agents", async () => {
    const name = `legion-${randomUUID()}`;
    const project = await temporaryFolder();
    put(project, "x", "old");
    const agent = { modules, script: [{ calls: [write("x", "new")] }, REST, REST] };
    const node = await openNode(server.url, name, { 1: agent }, { project });
    const [id] = await node.say("1", "Go.");
    await node.idle();
    const { event } = await node.legion.undo(id!);
    expect(treeOf(project)).toEqual({ x: "old" });
    await node.idle();
    expect((await node.kinds("1", "message")).at(-1)!.message.content).toContain("taken back");
    await node.stop();

    const link = await openLink(parseRedisAddress(server.url));
    onTestFinished(() => link.close());
    const backend = createRedisBackend({ link, legion: name, durability: "always", leaseMs: 600 });
    const site = { project, backend, config };
    expect((await undoHere(site, `0.${event}`)).done).toMatchObject([{ path: "x" }]);
    expect(treeOf(project)).toEqual({ x: "new" });
    await expect(undoHere(site, "0>1#9")).rejects.toMatchObject({ code: "USAGE" });
  });
});
