import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSearcher, ripgrepIsThere } from "./engines.ts";

describe("hostile: paths", () => {
  it.each<readonly [string, (root: string, elsewhere: string) => string]>([
    ["in a folder of it", (root) => join(root, "bin")],
    ["in a folder that is written in another way", (root) => `${root}/src/../bin`],
    [
      "in a folder that a link leads to",
      (root, elsewhere) => link(join(root, "bin"), join(elsewhere, "bin")),
    ],
    ["in a folder below a link to it", (root, elsewhere) => join(link(root, join(elsewhere, "work")), "bin")],
    [
      "that a link outside of it leads to",
      (root, elsewhere) => {
        link(join(root, "bin/rg"), join(elsewhere, "rg"));
        return elsewhere;
      },
    ],
  ])("a search runs no program of the workspace: an rg %s", async (_, pathOf) => {
    const elsewhere = mkdtempSync(join(tmpdir(), "legion-elsewhere-"));
    onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }));
    const environment = { PATH: "" };
    const agent = createSearcher("own walk", { environment });
    agent.file("src/a", "word\n");
    chmodSync(agent.file("bin/rg", `#!/bin/sh\n: > "${elsewhere}/ran"\n`), 0o755);
    environment.PATH = pathOf(agent.root, elsewhere);
    expect((await agent.act("searchText", { pattern: "word$" })).content).toBe("Found 1 hit:\nsrc/a:1: word");
    expect(existsSync(join(elsewhere, "ran"))).toBe(false);
  });

  it.runIf(ripgrepIsThere)("a search follows no settings of ripgrep that the environment names", async () => {
    const environment = { PATH: process.env["PATH"] ?? "", RIPGREP_CONFIG_PATH: "" };
    const agent = createSearcher("ripgrep", { environment });
    environment.RIPGREP_CONFIG_PATH = agent.file("rc", "--invert-match\n--glob=!a\n");
    agent.file("a", "word\nother\n");
    expect((await agent.act("searchText", { pattern: "word" })).content).toBe("Found 1 hit:\na:1: word");
  });
});

function link(target: string, at: string): string {
  symlinkSync(target, at);
  return at;
}

describe("a folder of 1,000,000 files", () => {
  const names = String.raw`seq -f 'folder/f%07.0f' 1000000 | tr '\n' '\0'`;
  const batches = `
    const { parentPort } = require("node:worker_threads");
    for (let at = 0; at < 1_000_000; at += 200)
      parentPort.postMessage(Array.from({ length: 200 }, (_, n) => ["folder/f" + String(at + n + 1).padStart(7, "0"), []]));
  `;

  it.each([
    ["ripgrep", createMany],
    ["a walk", () => createSearcher("own walk", { start: () => new Worker(batches, { eval: true }) })],
  ])("is one answer of 1,000 files, whatever %s tells of it", async (_, create) => {
    const agent = create();
    // More are never looked at.
    for (let n = 1; n <= 1_001; n++) agent.file(`folder/f${String(n).padStart(7, "0")}`, "");
    const { content } = await agent.act("findFiles", { pattern: "f*" });
    const lines = content.split("\n");
    expect(lines[0]).toBe("The first 1000 files; there are more, narrow it down to see them:");
    expect([lines[1], lines.at(-1)]).toEqual(["folder/f0000001", "folder/f0001000"]);
  });

  function createMany() {
    const folder = mkdtempSync(join(tmpdir(), "legion-many-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const program = join(folder, "rg");
    writeFileSync(program, `#!/bin/sh\n${names}\n`, { mode: 0o755 });
    return createSearcher("ripgrep", { environment: { PATH: `${folder}:${process.env["PATH"]}` } });
  }
});
