import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { createMcp } from "../../../modules/mcp/index.ts";
import { readServers } from "../../../modules/mcp/config/read.ts";
import type { Script } from "../../../src/model/scripted/scripted.ts";
import { personLayers } from "../../../src/config/grants/widenings.ts";
import { serve } from "../../control/serve.ts";
import { FAKE_SERVER, UNSAID } from "../../modules/mcp/kit.ts";
import { openWorld, temporaryFolder } from "../../world.ts";
import { legion } from "../legion.ts";

/** A node whose agent has these servers, after it was told to go. */
async function node(vices: Readonly<Record<string, string>>, script: Script, pinned?: readonly object[]) {
  const project = await temporaryFolder();
  const named = Object.entries(vices).map(([name, vice]) => [
    name,
    { command: process.execPath, args: [FAKE_SERVER, vice] },
  ]);
  await writeFile(join(project, ".mcp.json"), JSON.stringify({ mcpServers: Object.fromEntries(named) }));
  const settings = {
    servers: () => readServers({ project, variables: {} }),
    trusted: [],
    confinement: UNSAID,
    isAllowed: () => Promise.resolve(true),
    pinned: (_: unknown, now: unknown) => Promise.resolve(pinned ?? now),
  };
  const policy = personLayers("the test", { allow: ["action fake__*"] });
  const agent = { script, modules: [core, createMcp()], policy };
  const world = await openWorld(project, { 1: agent }, { settings: () => settings });
  const { close } = await serve(world);
  await world.say("1", "Go.");
  await world.idle();
  return { cwd: project, stop: () => close().then(world.stop) };
}

it("a person sees of each server of the node how it is, since when, and why it is away", async () => {
  const { cwd, stop } = await node({ fake: "none", broken: "exits" }, ["Done."]);
  const ps = await legion(["ps"], { cwd, columns: 80 });
  expect(ps.out).toMatch(/\nServer fake: ready for \d+s, 4 tools\n/);
  expect(ps.out).toMatch(/\nServer broken: restarting for \d+s(, 1 restart)?: It exited with code 3\. It/);
  for (const line of ps.out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  expect((await legion(["ps", "--json"], { cwd })).json).toMatchObject([
    { id: "1", state: "idle" },
    { server: "fake", state: "ready", reason: "", restarts: 0, tools: 4, withheld: [] },
    { server: "broken", tools: null, node: expect.stringContaining("@") },
  ]);
  const { out } = await legion(["mcp"], { cwd });
  expect(out).toMatch(/fake: \{.*\n {2}ready for \d+s, 4 tools \(node \d+@.+\)\n/);
  expect(out).toMatch(/\n {2}restarting for .*It printed at last: no key for the weather \(node /);
  expect((await legion(["mcp", "--json"], { cwd })).json).toMatchObject([
    { name: "fake", running: [{ state: "ready", since: expect.stringMatching(/T.*Z$/), tools: 4 }] },
    { name: "broken", running: [{ reason: expect.stringContaining("no key for the weather") }] },
  ]);
  await stop();
  expect((await legion(["ps"], { cwd })).out).not.toContain("Server");
  expect((await legion(["mcp", "--json"], { cwd })).json).toMatchObject([{ running: [] }, { running: [] }]);
});

it("what agents do without, because nobody allowed it, is told of with the server", async () => {
  const { cwd } = await node({ fake: "none" }, [{ calls: [{ action: "help" }] }, "Done."], []);
  const { json } = await legion(["ps", "--json"], { cwd });
  expect(json.at(-1)).toMatchObject({
    ...{ server: "fake", tools: 0 },
    withheld: [{ tool: "echo", why: "new" }, { tool: "exit" }, { tool: "wait" }, { tool: "environment" }],
  });
  expect((await legion(["ps"], { cwd })).out).toContain(", 0 tools, 4 withheld");
});
