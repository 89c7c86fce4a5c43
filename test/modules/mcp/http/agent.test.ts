import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { core } from "../../../../modules/core.ts";
import { readServers } from "../../../../modules/mcp/config/read.ts";
import { createMcp } from "../../../../modules/mcp/index.ts";
import { createRedactor } from "../../../../src/base/redaction/redactor.ts";
import { personLayers } from "../../../../src/config/grants/widenings.ts";
import { createScriptedModel } from "../../../../src/model/scripted/scripted.ts";
import { replay } from "../../../legion/replay/replays.ts";
import { openWorld, temporaryFolder, type WorldAgent } from "../../../world.ts";
import { UNSAID } from "../kit.ts";
import { startMcp } from "./kit.ts";

/** An agent with this server, which calls `echo` with each text and is done. */
async function callEach(url: string, texts: readonly string[]) {
  const project = await temporaryFolder();
  const headers = { Authorization: "Bearer of-the-wiki-1" };
  writeFileSync(join(project, ".mcp.json"), JSON.stringify({ mcpServers: { wiki: { url, headers } } }));
  const settings = {
    servers: () => readServers({ project, variables: {} }),
    trusted: [],
    confinement: UNSAID,
    isAllowed: () => Promise.resolve(true),
    pinned: (_: unknown, now: unknown) => Promise.resolve(now),
  };
  const script = texts.map((text) => ({ calls: [{ action: "wiki__echo", parameters: { text } }] }));
  const agent: WorldAgent = {
    model: createScriptedModel([...script, "Done."]),
    modules: [core, createMcp()],
    policy: personLayers("the test", { allow: ["action wiki__*"] }),
  };
  const redactor = createRedactor([
    { name: "WIKI", value: "of-the-wiki-1" },
    { name: "BANK", value: "of-the-bank-1" },
  ]);
  const world = await openWorld(project, { 1: agent }, { settings: () => settings, redactor });
  await world.say("1", "Go.");
  await world.idle();
  const results = (await world.kinds("1", "result")).map(({ content, outcome, taint }) => ({
    ...{ content, outcome, taint },
  }));
  return { project, agent, world, results };
}

describe("an agent with a server behind a URL", () => {
  it("has its tools at its first decision, and is replayed where no server is there any more", async () => {
    const server = await startMcp();
    const { project, agent, world, results } = await callEach(`${server.url}/mcp`, ["hi"]);
    expect(results).toMatchObject([{ outcome: "ok", taint: ["MCP server wiki"] }]);
    expect(results[0]!.content).toContain('{"text":"hi"}');
    await world.stop();
    expect(server.sessions.size).toBe(0);
    await new Promise((resolve) => server.server.close(resolve));
    const { difference, decisions } = await replay(project, "1", agent);
    expect({ difference, decisions }).toEqual({ difference: undefined, decisions: 2 });
  });
});

describe("hostile: secrets", () => {
  it("a server gets the headers of its entry, and no other secret in a call", async () => {
    const server = await startMcp();
    const { results } = await callEach(server.url, ["of-the-bank-1"]);
    expect(results[0]!.content).toContain('{"text":"[redacted:BANK]"}');
    expect(server.asked.some(({ body }) => body.includes("of-the-bank-1"))).toBe(false);
    expect(server.asked.every(({ headers }) => headers.authorization === "Bearer of-the-wiki-1")).toBe(true);
  });
});
