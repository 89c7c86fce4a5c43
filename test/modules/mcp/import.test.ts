import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../../cli/program.ts";
import { loadedIn } from "../../loaded.ts";
import { createTempProject } from "../../temp-project.ts";

beforeAll(buildProgram, 120_000);

describe("an agent without servers", () => {
  it("loads nothing of MCP", async () => {
    const folder = await createTempProject();
    const coverage = join(folder, "loaded");
    const url = new URL("../../../dist/modules/mcp/index.js", import.meta.url).href;
    const read = new URL("../../../dist/modules/mcp/config/read.js", import.meta.url).href;
    const place = `{ project: ${JSON.stringify(folder)}, variables: {} }`;
    const servers = `async () => (await import("${read}")).readServers(${place})`;
    const settings = `{ servers: ${servers}, trusted: [], confinement: { outside: [], network: {} }, isAllowed() {}, pinned() {} }`;
    const code =
      `const { mcp } = await import("${url}");` +
      `const node = { onClose() {}, onStatus() {}, clock: { now: Date.now } };` +
      `const host = { node, programs: {}, settings: ${settings}, signal: new AbortController().signal, maxPinnedTokens: 1, tokens: () => 1 };` +
      `const offer = await mcp.offers.find(host);` +
      `if (offer !== undefined) process.exit(1);`;
    const env = { PATH: process.env["PATH"], NODE_V8_COVERAGE: coverage };
    const { status } = spawnSync(process.execPath, ["--input-type=module", "--eval", code], {
      env,
      cwd: folder,
    });
    expect(status).toBe(0);
    const { modules, packages } = await loadedIn(coverage);
    expect(modules).toContain("modules/mcp/index.ts");
    expect(packages.filter((name) => name.startsWith("@modelcontextprotocol/"))).toEqual([]);
  });
});
