import { describe, expect, it } from "vitest";
import { system } from "../../../modules/system/index.ts";
import { createTestHost } from "../test-host.ts";

function createAgent() {
  return createTestHost(system, { protocol: "tools" });
}

async function read(content: string, span: { offset?: number; limit?: number } = {}) {
  const agent = createAgent();
  agent.file("file", content);
  return agent.act("readFile", { path: "file", ...span });
}

describe("an agent that calls tools", () => {
  it.each([
    ["", "File: file (0 lines)"],
    ["\n", "File: file (1 line)\n1: "],
    ["first line\nsecond\n", "File: file (2 lines)\n1: first line\n2: second"],
    ["\ufeffone\r\n\r\ntwo", "File: file (3 lines)\n1: one\n2: \n3: two"],
    ["a\rb\u001b[31m\nc\n", "File: file (2 lines)\n1: a\\x0db\\x1b[31m\n2: c"],
  ])("reads %j with numbered lines", async (content, shown) => {
    expect(await read(content)).toEqual({ outcome: "ok", content: shown });
  });

  it("reads 2,000 lines from the offset on, under their own numbers", async () => {
    const text = Array.from({ length: 4_500 }, (_, n) => `line ${n + 1}\n`).join("");
    const lines = (await read(text, { offset: 1_001 })).content.split("\n");
    expect(lines).toHaveLength(2_002);
    expect(lines[0]).toBe("File: file (4500 lines)");
    expect(lines[1]).toBe("1001: line 1001");
    expect(lines[2_000]).toBe("3000: line 3000");
    expect(lines[2_001]).toBe("[Lines 1001 to 3000 are shown; go on with offset 3001.]");
  });

  it("is told the exit code of a command, which is no error", async () => {
    const agent = createAgent();
    expect(await agent.act("executeCommand", { command: "echo out; exit 3" })).toEqual({
      outcome: "ok",
      content: "Command ended with exit code 3:\nout",
      details: { exitCode: 3 },
    });
    expect(await agent.act("executeCommand", { command: "sleep 100", timeout: 0.2 })).toMatchObject({
      outcome: "error",
      content: expect.stringContaining("its time limit"),
    });
  });
});
