import { describe, expect, it } from "vitest";
import { system } from "../../../modules/system/index.ts";
import { createTestHost, type Setup } from "../test-host.ts";

function createAgent(setup: Setup = {}) {
  return createTestHost(system, setup);
}

function run(command: string, timeout?: unknown) {
  return createAgent().act("executeCommand", { command, ...(timeout !== undefined && { timeout }) });
}

describe("executeCommand", () => {
  it("runs in the workspace and shows what was printed", async () => {
    const agent = createAgent();
    agent.file("a.txt");
    expect(await agent.act("executeCommand", { command: "ls; pwd" })).toEqual({
      outcome: "ok",
      content: `Command executed successfully:\na.txt\n${agent.root}`,
      details: { exitCode: 0 },
    });
    expect((await run("true")).content).toBe("Command executed successfully:\n(nothing)");
  });

  it("marks what may come from a host that it reaches", async () => {
    const agent = createAgent();
    const result = await agent.act("executeCommand", {
      command: "echo hi",
      network: "example.com, b.example:8443",
    });
    expect(result).toMatchObject({ outcome: "ok", taint: ["command reaching example.com, b.example:8443"] });
  });

  it("names each host that it wants to reach: no rule could be held against a pattern", async () => {
    const agent = createAgent();
    const refused = agent.act("executeCommand", {
      command: "echo hi",
      network: "example.com, *.example.org",
    });
    await expect(refused).rejects.toThrow("name each host, such as example.com or example.com:8443");
  });

  it("reports an exit code with the output", async () => {
    expect(await run("echo out; echo err >&2; exit 3")).toEqual({
      outcome: "error",
      content: "Command execution failed: exit code 3\nOutput:\nout\nerr",
      details: { exitCode: 3 },
    });
    expect((await run("no-such-program")).content).toMatch(
      /^Command execution failed: exit code 127\nOutput:\n.*not found/,
    );
  });

  it("reports a command that ran out of time", async () => {
    expect(await run("echo begun; sleep 1000", "1")).toEqual({
      outcome: "error",
      content: "Command execution failed: it was ended after 1 s, its time limit\nOutput:\nbegun",
      details: { exitCode: null, ended: "timeout" },
    });
  });

  it("reports a command that was stopped", async () => {
    const agent = createAgent({ signal: AbortSignal.abort() });
    expect((await agent.act("executeCommand", { command: "echo hi" })).content).toBe(
      "Command execution failed: it was stopped\nOutput:\n(nothing)",
    );
  });

  it.each([
    ["cat; echo over", "over"],
    ["read -r line || echo none", "none"],
  ])("has a command that reads its input find it at an end: %s", async (command, output) => {
    expect(await run(command)).toMatchObject({
      outcome: "ok",
      content: `Command executed successfully:\n${output}`,
    });
  });

  it("reports a command that printed too much, with the last of what was kept", async () => {
    const { content } = await run("yes");
    expect(content).toMatch(
      /^Command execution failed: it was ended because it printed too much\nOutput:\n\[Left out/,
    );
  });

  it.each([0, -1, 601, "soon", ""])("refuses the time limit %j", async (timeout) => {
    await expect(run("true", timeout)).rejects.toThrow();
  });

  it("refuses commands that no shell could take", async () => {
    await expect(run("")).rejects.toThrow();
    await expect(run("echo a\0b")).rejects.toThrow("NUL");
    await expect(run(`: ${"x".repeat(120_000)}`)).rejects.toThrow("script");
    expect((await run(`: ${"x".repeat(119_998)}`)).outcome).toBe("ok");
  });

  it("shows the last 2,000 lines and keeps the whole for the agent to read", async () => {
    const agent = createAgent();
    const { content } = await agent.act("executeCommand", { command: "seq 5000" });
    const [head, note, ...lines] = content.split("\n");
    expect(head).toBe("Command executed successfully:");
    expect(lines).toHaveLength(2_000);
    expect([lines[0], lines.at(-1)]).toEqual(["3001", "5000"]);
    const path = /^\[Left out: 3000 lines before these\. Full text: (\S+)\]$/.exec(note!)![1]!;
    const kept = await agent.act("readFile", { path, offset: 3_000, limit: 2 });
    expect(kept.content).toContain("(5000 lines, 23893 bytes):\n3000\n3001\n");
  });

  it("shows at most 50 KB, in whole lines where there are any", async () => {
    const { content } = await run(`for n in $(seq 100); do printf '%0999d\\n' $n; done`);
    const lines = content.split("\n");
    expect(lines[1]).toMatch(/^\[Left out: 49 lines before these/);
    expect(lines).toHaveLength(2 + 51);
    const long = (await run("head -c 60000 /dev/zero | tr '\\0' x; printf ä")).content.split("\n");
    expect(long[1]).toMatch(/^\[Left out: 1 line before these/);
    expect(long[2]).toBe(`${"x".repeat(50 * 1024 - 2)}ä`);
  });

  it("shows no colours and nothing that acts on a terminal", async () => {
    const command = String.raw`printf '\033[1;31mred\033[0m \033]0;title\007plain \007 \000 a\r\nb\rc \342\200\250 \377'`;
    expect((await run(command)).content).toBe(
      "Command executed successfully:\nred plain \\x07 \\x00 a\nb\nc \\u2028 \ufffd",
    );
  });

  it("answers to its older name", () => {
    expect(system.actions.executeCommand!.aliases).toEqual(["runCommand"]);
  });
});
