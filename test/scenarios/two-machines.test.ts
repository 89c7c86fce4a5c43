// Two machines as two folders: agents 1 to 3 here, 4 to 6 there, one legion in one Redis. Every process is a real one.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { legion } from "../cli/legion.ts";
import { type } from "../cli/terminals.ts";
import { redisIsThere, startRedis, until, type Server } from "../storage/redis/servers.ts";
import { createTempProject } from "../temp-project.ts";

let server: Server;
beforeAll(async () => {
  if (redisIsThere) server = await startRedis();
});
afterAll(() => server?.stop());

/** Agents that only talk and take notes: nothing of theirs is bound to a machine. */
const TALKER = `---
description: Talks to others and takes notes.
modules: [core, goals, notes, messaging]
---
You talk.
`;

async function createMachine(): Promise<string> {
  const project = await createTempProject();
  await mkdir(join(project, "agents"));
  await writeFile(join(project, "agents/talker.md"), TALKER);
  return project;
}

describe.runIf(redisIsThere)("a legion on two machines", { timeout: 60_000 }, () => {
  const bus = (): string[] => ["--bus", server.url];

  function start(project: string, ...argv: string[]) {
    return type("start", ...argv, ...bus(), "--dir", project, "--model", "offline", "--tick", "0");
  }

  async function ask(...argv: string[]) {
    const cwd = await createTempProject();
    return legion([...argv, ...bus()], { cwd });
  }

  async function nodesOf(name: string): Promise<ReadonlyMap<string, string>> {
    const { json } = await ask("ps", "--json", "--name", name);
    return new Map(
      (json as { id: string; node: string | null }[]).flatMap(({ id, node }) => (node ? [[id, node]] : [])),
    );
  }

  it("talks across, and when one is killed the other one goes on with its agents", async () => {
    const [here, there] = [await createMachine(), await createMachine()];
    const name = ["--name", "free"];
    const both = ["--agent", "talker", ...name];
    const one = start(here, "--agents", "1-6", ...both);
    await one.until("6 agents");
    const two = start(there, "--agents", "1-6", ...both);
    await two.until("6 agents");
    await until(async () => new Set((await nodesOf("free")).values()).size === 2);

    const nodes = await nodesOf("free");
    const ofOne = [...nodes].filter(([, node]) => node.startsWith(`${one.pid}@`)).map(([id]) => id);
    const ofTwo = [...nodes].filter(([, node]) => node.startsWith(`${two.pid}@`)).map(([id]) => id);
    const [far, near] = [ofOne[0]!, ofTwo[0]!];
    await ask("send", near, `tell ${far} note heard: across`, ...name);
    await until(async () => (await ask("notes", far, ...name)).out.includes("heard"));

    one.kill("SIGKILL");
    await ask("send", far, "note after: the crash", ...name);
    await until(async () => (await ask("notes", far, ...name)).out.includes("after"));
    expect([...(await nodesOf("free")).values()].every((node) => node.startsWith(`${two.pid}@`))).toBe(true);
    expect((await ask("notes", far, "heard", ...name)).out).toContain("across");
    two.kill("SIGTERM");
    expect((await two.ended).exitCode).toBe(0);
  });

  it("leaves agents that work in files to their own folder, and they go on when it is back", async () => {
    const [here, there] = [await createMachine(), await createMachine()];
    const name = ["--name", "bound"];
    const one = start(here, "3", ...name);
    await one.until("3 agents");
    const two = start(there, "--agents", "4-6", ...name);
    await two.until("3 agents");
    await ask("send", "4", "tell 1 write hello.txt: from far away", ...name);
    await until(async () => (await ask("log", "1", ...name)).out.includes("hello.txt"));

    one.kill("SIGKILL");
    await one.ended;
    await ask("send", "1", "note back: at home", ...name);
    const { json } = await ask("ps", "--json", ...name);
    expect(json).toMatchObject([{ id: "1", unread: 1 }, {}, {}, { id: "4" }, {}, {}]);
    const again = start(here, "3", ...name);
    await until(async () => (await ask("notes", "1", ...name)).out.includes("back"));
    for (const node of [again, two]) node.kill("SIGTERM");
    expect((await again.ended).exitCode).toBe(0);
    expect((await two.ended).exitCode).toBe(0);
  });
});
