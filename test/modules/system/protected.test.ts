import { readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { system } from "../../../modules/system/index.ts";
import { createTestHost } from "../test-host.ts";
import { attempts } from "./attempts.ts";

const OFF_LIMITS =
  "That path is off-limits: version control, installed packages, keys and the legion's own files are protected.";

describe("a protected path", () => {
  const names = [
    ".git/config",
    ".git/hooks/pre-commit",
    ".GIT/config",
    "sub/.git/HEAD",
    ".git./config",
    ".g\u200cit/config",
    ".git::$INDEX_ALLOCATION/config",
    "node_modules/x/index.js",
    "sub/Node_Modules/x",
    ".ai-legion/config.yaml",
    ".ai-legion/agents/1/goals.json",
    ".ai-legion/agents/2/blobs/abc",
    ".ai-legion/agents/1/blobs/sub/abc",
    "sub/.ai-legion/agents/1/blobs/abc",
    ".env",
    ".ENV.local",
    "sub/.envrc",
    "tls/server.pem",
    "tls/Server.KEY",
    "id_rsa",
    "id_ed25519.pub",
    "id_rsa.old",
    "keys/id_work",
    ".npmrc",
    "sub/.mcp.json",
  ];

  it.each(names)("is refused by every action, there or not: %s (F2)", async (path) => {
    const agent = createTestHost(system);
    agent.file("bait", "bait");
    for (let n = 0; n < 2; n++) {
      for (const [action, parameters] of attempts(path)) {
        const { outcome, content } = await agent.act(action, parameters);
        expect({ action, outcome, content }).toEqual({
          action,
          outcome: "error",
          content: `${OFF_LIMITS} Path: ${path}`,
        });
      }
      agent.file(path, "a secret");
    }
    expect(readFileSync(join(agent.root, path), "utf8")).toBe("a secret");
  });

  it("is refused as a folder too (F2)", async () => {
    const agent = createTestHost(system);
    agent.file(".git/HEAD");
    agent.file("bait");
    for (const path of [".git", "node_modules", ".ai-legion", ".ai-legion/agents/1/blobs", ".env"]) {
      for (const [action, parameters] of attempts(path)) {
        expect((await agent.act(action, parameters)).content).toBe(`${OFF_LIMITS} Path: ${path}`);
      }
    }
  });

  it("is refused through a link, and where the link itself has the protected name (F2)", async () => {
    const agent = createTestHost(system);
    agent.file(".git/hooks/pre-commit", "hook");
    agent.file("settings/dev", "a secret");
    symlinkSync(".git/hooks", join(agent.root, "hooks"));
    symlinkSync("settings/dev", join(agent.root, ".env"));
    agent.file("bait", "bait");
    for (const path of ["hooks/pre-commit", "hooks/new", ".env"]) {
      for (const [action, parameters] of attempts(path)) {
        expect((await agent.act(action, parameters)).content).toBe(`${OFF_LIMITS} Path: ${path}`);
      }
    }
  });

  it.each([
    ".gitignore",
    ".github/workflows/ci.yml",
    "env",
    "id_map.py",
    "idea",
    "git/config",
    "key.ts",
    "pem",
    "a.pem.ts",
  ])("is not everything that looks like one: %s", async (path) => {
    const agent = createTestHost(system);
    expect((await agent.act("writeFile", { path, content: "text" })).outcome).toBe("ok");
    expect((await agent.act("readFile", { path })).outcome).toBe("ok");
  });

  it("may be read where it is the agent's own kept output, and only read", async () => {
    const agent = createTestHost(system, { id: "writer" });
    const path = await agent.host.keep("kept");
    agent.file("bait", "bait");
    expect((await agent.act("readFile", { path })).content).toBe(
      `Contents of ${path} (1 lines, 4 bytes):\nkept`,
    );
    for (const [action, parameters] of attempts(path).filter(([name]) => !/^(read|list)/.test(name))) {
      expect((await agent.act(action, parameters)).content).toBe(`${OFF_LIMITS} Path: ${path}`);
    }
    expect((await agent.act("readFile", { path: `${dirname(path)}/../goals.json` })).outcome).toBe("error");
  });
});
