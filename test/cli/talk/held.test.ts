// What an agent holds for later, wherever it goes.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { eventsOf } from "../../storage/archive/archived.ts";
import { openNode } from "../../storage/redis/redis-world.ts";
import { redisIsThere, startRedis, type Server } from "../../storage/redis/servers.ts";
import { createTempProject } from "../../temp-project.ts";
import { createWorld, openWorld, type World } from "../../world.ts";
import { NOOP } from "../../workshop.ts";
import { legion } from "../legion.ts";

const noops: readonly ScriptedAnswer[] = Array.from({ length: 8 }, () => NOOP);
const agents = { "1": { script: noops } };

/** Agent 1 holds a follow-up, as it was stopped before it read that; another one waits in its mailbox. */
async function holding(): Promise<string> {
  const world = await createWorld(agents);
  await world.say("1", "Go.");
  await world.idle();
  await world.legion.agents.get("1")!.pause("by a test");
  await world.legion.control.say(["1"], "First later.", "follow-up");
  await world.legion.control.say(["1"], "Stop.", "abort");
  await world.legion.agents.get("1")!.resume();
  await world.idle();
  await world.stop();
  await legion(["send", "1", "Second later.", "--follow-up"], { cwd: world.project });
  return world.project;
}

async function expectHolding(cwd: string, ...place: readonly string[]): Promise<void> {
  const { json } = await legion(["ps", "--json", ...place], { cwd });
  expect(json).toMatchObject([{ id: "1", held: 1, unread: 1 }]);
}

/** Both are read, one after the other, once the agent has decided again. */
async function expectRead(world: Pick<World, "say" | "idle" | "kinds">): Promise<void> {
  await world.say("1", "Go on.");
  await world.idle();
  const messages = await world.kinds("1", "message");
  const heard = messages.filter(({ message }) => message.content.endsWith("later."));
  expect(heard.map(({ message }) => message.content)).toEqual(["First later.", "Second later."]);
  const released = await world.kinds("1", "released");
  expect(released.flatMap(({ messages }) => messages)).toEqual(heard.map(({ seq }) => seq));
}

describe("held mail", () => {
  it("is there after a look at it, a check and a repair, an export and an import", async () => {
    const project = await holding();
    await expectHolding(project);
    const before = await eventsOf(project, "1");
    expect((await legion(["doctor", "--json"], { cwd: project })).json).toContainEqual(
      expect.objectContaining({ check: "log 1", status: "ok" }),
    );
    expect((await legion(["doctor", "--repair"], { cwd: project })).out).toMatch(/^Nothing to repair/);
    expect(await eventsOf(project, "1")).toEqual(before);
    const cwd = await createTempProject();
    await legion(["export", "--all", join(cwd, "all.legion")], { cwd: project });
    await legion(["import", "all.legion"], { cwd });
    await expectHolding(cwd);
    await expectRead(await openWorld(cwd, agents));
  });

  it("stays behind where its agent gets another name", async () => {
    const project = await holding();
    const cwd = await createTempProject();
    await legion(["export", "1", join(cwd, "1.legion")], { cwd: project });
    await legion(["import", "1.legion", "--as", "twin"], { cwd });
    expect((await legion(["ps", "--json"], { cwd })).json).toMatchObject([{ held: 0, unread: 0 }]);
    const world = await openWorld(cwd, { twin: { script: noops } });
    await world.say("twin", "Go on.");
    await world.idle();
    expect(await world.kinds("twin", "released")).toEqual([]);
  });

  it("can be withdrawn while nobody runs, and forked back to", async () => {
    const project = await holding();
    const typed = (...argv: string[]) => legion(argv, { cwd: project });
    await typed("send", "1", "Now.", "--steer");
    const world = await openWorld(project, agents);
    await world.idle();
    await world.stop();
    expect((await typed("inbox")).out).toContain("2 follow-ups to Agent 1 will not be read");
    expect((await typed("inbox", "--dead", "--json")).json).toHaveLength(2);
    expect((await typed("ps", "--json")).json).toMatchObject([{ held: 0, unread: 0 }]);
    const [abort] = (await eventsOf(project, "1")).filter(
      (event) => event.kind === "message" && event.message.content === "Stop.",
    );
    expect((await typed("fork", "1", "--at", String(abort!.seq))).exitCode).toBe(0);
    expect((await typed("ps", "--json")).json).toMatchObject([{ held: 1, unread: 0 }]);
  });
});

describe.skipIf(!redisIsThere)("held mail in Redis", () => {
  let server: Server;
  beforeAll(async () => void (server = await startRedis()));
  afterAll(() => server.stop());

  it("comes there and back, and is counted for the limit of the mailbox", async () => {
    const project = await holding();
    const cwd = await createTempProject();
    const name = `legion-${randomUUID()}`;
    const place = ["--bus", server.url, "--name", name];
    await legion(["export", "--all", join(cwd, "all.legion")], { cwd: project });
    await legion(["import", "all.legion", ...place], { cwd });
    await expectHolding(cwd, ...place);
    const back = await createTempProject();
    await legion(["export", "--all", join(back, "all.legion"), ...place], { cwd });
    await legion(["import", "all.legion"], { cwd: back });
    await expectHolding(back);
    await expectRead(await openWorld(back, agents));
    const node = await openNode(server.url, name, agents);
    expect(await node.legion.unread("1")).toBe(2);
    await expectRead(node);
    expect(await node.legion.unread("1")).toBe(0);
  });
});
