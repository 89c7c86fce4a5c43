import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../cli/program.ts";
import { FAKE_SERVER } from "../modules/mcp/kit.ts";
import { loadedIn } from "../loaded.ts";
import { createTempProject } from "../temp-project.ts";

beforeAll(buildProgram, 120_000);

const TESTING = new URL("../../dist/src/testing.js", import.meta.url).href;
const fake = { command: process.execPath, args: [FAKE_SERVER] };
const SERVERS = { ".mcp.json": JSON.stringify({ mcpServers: { fake } }) };

/** What a node loads whose agent decides once: of our modules, and of packages. */
async function loadedFor(agent: string, files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = await createTempProject();
  const options = JSON.stringify({ files, trust: true });
  const code =
    `const { openTestLegion } = await import("${TESTING}");` +
    `const legion = await openTestLegion(["Done."], ${options});` +
    `const { text } = await (await legion.spawn("${agent}")).prompt("Go.");` +
    `await legion.stop(); if (text !== "Done.") process.exit(1);`;
  const env = { PATH: process.env["PATH"], NODE_V8_COVERAGE: folder };
  const argv = ["--input-type=module", "--eval", code];
  expect(spawnSync(process.execPath, argv, { env, cwd: folder }).status).toBe(0);
  const { modules, packages } = await loadedIn(folder);
  return [...modules, ...packages];
}

const isPackage = (path: string): boolean => path.startsWith("@modelcontextprotocol/");

describe("a running node", () => {
  it("loads nothing of MCP and of skills, but what reads settings, for an agent that has neither", async () => {
    const loaded = await loadedFor("legionnaire", SERVERS);
    expect(loaded).toContain("modules/core.ts");
    expect(loaded.filter(isPackage)).toEqual([]);
    expect(
      loaded.filter((path) => /^modules\/(?:mcp|skills)\/(?:index|life|find|servers)/.test(path)),
    ).toEqual([]);
  });

  it("loads no package of MCP for an agent with servers where there is none, and one where there is", async () => {
    expect((await loadedFor("assistant", {})).filter(isPackage)).toEqual([]);
    expect((await loadedFor("assistant", SERVERS)).some(isPackage)).toBe(true);
  });
});
