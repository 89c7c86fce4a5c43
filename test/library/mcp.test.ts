import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openTestLegion } from "../../src/testing.ts";
import { temporaryFolder } from "../world.ts";
import { FAKE_SERVER } from "../modules/mcp/kit.ts";

/** With a server of its own, as Claude Code has it. */
const owner = (name: string, started: string): string =>
  `---\nname: ${name}\ndescription: Use it: for all.\nmcpServers:\n  - ${name}s:\n      command: ${JSON.stringify(process.execPath)}\n      args: ${JSON.stringify([FAKE_SERVER, "notes its start", started])}\n---\nYou own.\n`;

/** The tools that `agent` is shown, and whether the project's server was started. */
async function shown(agent: string, said: "trusted" | "nothing") {
  const started = join(await temporaryFolder(), "started");
  const fake = { command: process.execPath, args: [FAKE_SERVER, "notes its start", started] };
  const files = {
    ".mcp.json": JSON.stringify({ mcpServers: { fake } }),
    ".ai-legion/config.yaml": "mcp: { outside: [fake, owns, others] }",
    "agents/clerk.md": "---\nmodules: [core]\nmcp: all\n---\nClerk.\n",
    "agents/other.md": "---\nmodules: [core]\nmcp: [weather]\n---\nOther.\n",
    ".claude/agents/own.md": owner("own", started),
    ".claude/agents/other-owner.md": owner("other", join(started, "never")),
    "agents/plain.md": "---\nmodules: [core]\n---\nPlain.\n",
  };
  const legion = await openTestLegion(["Done."], { files, ...(said === "trusted" && { trust: true }) });
  onTestFinished(() => legion.stop());
  await (await legion.spawn(agent)).prompt("Go on.");
  const tools = legion.model.requests[0]!.tools.flatMap(({ name }) => (name.includes("__") ? [name] : []));
  return { tools, isStarted: existsSync(started) };
}

describe("MCP servers of a project", () => {
  it.each([
    ["clerk", "trusted", ["fake__echo", "fake__exit", "fake__wait", "fake__environment"], true],
    ["clerk", "nothing", [], false],
    ["other", "trusted", [], false],
    ["plain", "trusted", [], false],
    ["own", "trusted", ["owns__echo", "owns__exit", "owns__wait", "owns__environment"], true],
    ["own", "nothing", [], false],
  ] as const)("what the agent %s has where the person trusted %s", async (agent, said, tools, isStarted) => {
    expect(await shown(agent, said)).toEqual({ tools, isStarted });
  });
});
