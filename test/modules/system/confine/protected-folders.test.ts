import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { system } from "../../../../modules/system/index.ts";
import { createTestHost } from "../../test-host.ts";
import { changes } from "./attempts.ts";

const OFF_LIMITS =
  "That path is off-limits: version control, installed packages, keys and the legion's own files are protected.";

describe("hostile: paths", () => {
  it.each([
    ["clone/.git", "clone/.git/config"],
    ["deep/er/.env", "deep/er/.env"],
    ["app/node_modules", "app/node_modules/x/index.js"],
    [".husky", ".husky/pre-commit"],
    ["terraform.tfstate", "terraform.tfstate"],
  ])("a folder is not moved with what is protected: %s (F2, F4)", async (kept, file) => {
    const path = join("work", file);
    const agent = createTestHost(system);
    agent.file(path, "kept");
    const { outcome, content } = await agent.act("moveFile", { sourcePath: "work", destinationPath: "away" });
    expect({ outcome, content }).toEqual({
      outcome: "error",
      content: `That folder holds what only a person may move (${kept}). Path: away`,
    });
    expect(readFileSync(join(agent.root, path), "utf8")).toBe("kept");
  });

  it.each([
    [".cargo", "config.toml"],
    [".docker", "config.json"],
    [".config", "autostart/evil.desktop"],
  ])(
    "what is protected does not come into being by a new name: %s with %s (F2, F4)",
    async (name, inside) => {
      const agent = createTestHost(system);
      agent.file(join("harmless", inside), "harm");
      const moved = await agent.act("moveFile", { sourcePath: "harmless", destinationPath: name });
      expect(moved.outcome).toBe("error");
      expect(existsSync(join(agent.root, name))).toBe(false);
    },
  );

  it("what is protected does not come into being in a folder that is moved meanwhile (F2, F4)", async () => {
    for (let n = 0; n < 5; n++) {
      const agent = createTestHost(system);
      for (let file = 0; file < 300; file++) agent.file(`harmless/${file}`, "");
      await Promise.all([
        agent.act("moveFile", { sourcePath: "harmless", destinationPath: ".cargo" }),
        agent.act("writeFile", { path: "harmless/config.toml", content: "harm" }),
      ]);
      expect(existsSync(join(agent.root, ".cargo/config.toml"))).toBe(false);
    }
  });

  const REFUSED = (path: string) => `${OFF_LIMITS} Path: ${path}`;

  it.each([
    [
      ["x/objects/keep", "x/refs/keep"],
      "writeFile",
      { path: "x/HEAD", content: "ref: refs/heads/main" },
      "x/HEAD",
    ],
    [["x/HEAD", "x/refs/keep"], "createDirectory", { path: "x/objects" }, "x/objects"],
    [
      ["x/HEAD", "x/objects/keep"],
      "writeFile",
      { path: "x/refs/heads/main", content: "0" },
      "x/refs/heads/main",
    ],
    [["HEAD", "objects/keep"], "createDirectory", { path: "refs" }, "refs"],
    [
      ["x/objects/a", "x/refs/b", "head"],
      "moveFile",
      { sourcePath: "head", destinationPath: "x/HEAD" },
      "x/HEAD",
    ],
    [["x/HEAD", "x/objects/a", "r/b"], "moveFile", { sourcePath: "r", destinationPath: "x/refs" }, "x/refs"],
    [["x/HEAD"], "writeFile", { path: "x/commondir", content: "../y" }, "x/commondir"],
  ])(
    "a repository of another name is not completed: with %j, not by %s %j",
    async (there, action, parameters, path) => {
      const agent = createTestHost(system);
      for (const file of there) agent.file(file, "part");
      expect((await agent.act(action, parameters)).content).toBe(REFUSED(path));
      expect(existsSync(join(agent.root, path))).toBe(false);
    },
  );

  it("a repository of another name is not completed by two that write at the same time", async () => {
    for (let n = 0; n < 20; n++) {
      const agent = createTestHost(system);
      agent.file("x/objects/keep", "part");
      const outcomes = await Promise.all([
        agent.act("writeFile", { path: "x/HEAD", content: "ref: refs/heads/main" }),
        agent.act("createDirectory", { path: "x/refs" }),
      ]);
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(["error", "ok"]);
    }
  });

  it("a repository of another name is changed by no action where it is there", async () => {
    const agent = createTestHost(system);
    for (const file of ["x/HEAD", "x/objects/a", "x/refs/b", "x/config", "bait"]) agent.file(file, "part");
    for (const path of ["x/config", "x/hooks/post-checkout", "x/HEAD"]) {
      for (const [action, parameters] of changes(path))
        expect((await agent.act(action, parameters)).content).toBe(REFUSED(path));
    }
    expect((await agent.act("readFile", { path: "x/config" })).outcome).toBe("ok");
  });
});

describe("a folder with protected things in it", () => {
  it("is not every folder: others are moved", async () => {
    const agent = createTestHost(system);
    agent.file("work/src/a.ts", "a");
    agent.file("work/README.md", "b");
    expect(await agent.act("moveFile", { sourcePath: "work", destinationPath: "lib/code" })).toMatchObject({
      outcome: "ok",
    });
    expect(readFileSync(join(agent.root, "lib/code/src/a.ts"), "utf8")).toBe("a");
  });
});
