// What a legion keeps in a repository is no part of it.

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { git } from "../../environment/workspace/trees.ts";
import { createWorld } from "../../world.ts";

it("nothing that a legion keeps is added by who adds all that is new; what a person wrote there is", async () => {
  const world = await createWorld({ 1: { script: ["Done."] } });
  git(world.project, "init", "-q");
  await world.say("1", "go");
  await world.idle();
  expect(git(world.project, "status", "--porcelain")).toBe("");
  for (const path of ["config.yaml", "mcp.json", "skills/pdf.md"]) {
    await mkdir(join(world.project, ".ai-legion/skills"), { recursive: true });
    await writeFile(join(world.project, ".ai-legion", path), "\n");
  }
  git(world.project, "add", "-A");
  expect(git(world.project, "diff", "--cached", "--name-only").trim().split("\n")).toEqual([
    ".ai-legion/config.yaml",
    ".ai-legion/mcp.json",
    ".ai-legion/skills/pdf.md",
  ]);
});

it("what git takes of it is the person's own where they said it, also after a restart", async () => {
  const world = await createWorld({ 1: { script: ["Done."] } });
  const path = join(world.project, ".ai-legion/.gitignore");
  await writeFile(path, "# mine\n");
  const again = await world.restart();
  expect(await readFile(path, "utf8")).toBe("# mine\n");
  await rm(path);
  await again.restart();
  expect(await readFile(path, "utf8")).toContain("/agents\n");
});
