import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTempProject } from "../../temp-project.ts";
import { legion } from "../legion.ts";

const servers = (mcpServers: object): Readonly<Record<string, string>> => ({
  ".mcp.json": JSON.stringify({ mcpServers }, null, 2),
});

describe("legion mcp", () => {
  it("lists the servers, and says how they may be allowed; what is allowed is this entry, in this project", async () => {
    const home = await createTempProject();
    const env = { XDG_CONFIG_HOME: home, TOKEN: "s3cret-of-mine" };
    const files = servers({
      weather: { command: "weather", args: ["${TOKEN}"] },
      off: { command: "x", disabled: true },
    });
    const cwd = await createTempProject(files);
    const { out, exitCode } = await legion(["mcp"], { cwd, env });
    expect(exitCode).toBe(0);
    expect(out).toContain('withheld  weather: {"command":"weather","args":["${TOKEN}"]} (.mcp.json:3)');
    expect(out).not.toContain("s3cret");
    const [, line] = /^(mcp: .*)$/m.exec(out) ?? [];
    await mkdir(join(home, "ai-legion"), { mode: 0o700 });
    await writeFile(join(home, "ai-legion/config.yaml"), `${line}\n`, { mode: 0o600 });
    expect((await legion(["mcp"], { cwd, env })).out).toMatch(/^allowed +weather: /);
    const elsewhere = await createTempProject(files);
    expect((await legion(["mcp"], { cwd: elsewhere, env })).out).toMatch(/^withheld +weather: /);
    expect((await legion(["mcp", "--json"], { cwd, env })).json).toMatchObject([
      { name: "weather", allowed: true },
    ]);
  });

  it("says what is wrong, in a line each, and that there are none", async () => {
    const cwd = await createTempProject(servers({ bad: { command: "x", url: "http://a" } }));
    const { err } = await legion(["mcp"], { cwd });
    expect(err).toBe(
      'legion: .mcp.json:3: server "bad": has a command and a url; leave out the one that is not meant\n',
    );
    expect((await legion(["mcp"], { cwd: await createTempProject() })).out).toMatch(/^No MCP servers/);
  });
});

describe("hostile: MCP", () => {
  it("an entry that would rewrite the terminal is spelt out", async () => {
    const cwd = await createTempProject(servers({ weather: { command: "x", args: ["\u202e\u009b2J"] } }));
    const { out } = await legion(["mcp"], { cwd });
    expect(out).not.toMatch(/[\u202e\u009b]/);
  });
});
