import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
