// How many files a command reads to start: what it always needs lies together (`scripts/bundle.mjs`).

import { isAscii } from "node:buffer";
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { loadedIn } from "../loaded.ts";
import { createTempProject } from "../temp-project.ts";
import { buildProgram, runToEnd } from "./program.ts";

beforeAll(buildProgram, 120_000);

const OFFLINE = ["start", "1", "--model", "offline", "--tick", "0", "--until-idle"];

/** What `args` load in a project with one agent that has had its say. */
async function loadedBy(args: readonly string[]) {
  const [cwd, folder] = [await createTempProject(), await createTempProject()];
  await runToEnd([...OFFLINE, "--task", "goal rest"], { cwd });
  const { code, err } = await runToEnd(args, { cwd, env: { NODE_V8_COVERAGE: folder } });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return loadedIn(folder);
}

describe("a command reads few files", () => {
  it.each([
    ["ps", ["ps"], 14],
    ["send", ["send", "1", "hello"], 14],
    ["start", [...OFFLINE, "--task", "goal rest"], 34],
  ])("%s", async (_, args, most) => {
    const { files, modules, packages } = await loadedBy(args);
    expect(files.length).toBeLessThanOrEqual(most);
    // No file is read for the code of one module alone that another file holds.
    expect(new Set(modules).size).toBe(modules.length);
    expect(packages).not.toContain("openai");
  });

  it("and all of them hold ASCII alone, which Node compiles soonest", async () => {
    const { files } = await loadedBy(["ps"]);
    const own = files.filter((file) => file.includes("/dist/lib/"));
    expect(own).not.toEqual([]);
    for (const file of own) expect(await readFile(file)).toSatisfy(isAscii);
  });

  it("and meets a module of a project's own with the classes and schemas that it has itself", async () => {
    const own = `
      import { LegionError, defineAction, defineModule, ok, z } from "ai-legion";
      const own = process.argv[1].replace(/cli\\/index\\.js$/, "");
      const { isLegionError } = await import(own + "base/errors.js");
      if (!isLegionError(new LegionError("CONFIG", "mine"))) throw new Error("twice");
      const wave = defineAction({ description: "Wave", parameters: { to: z.string() }, execute: () => ok("waved") });
      export default defineModule({ name: "own", actions: { wave } });`;
    const [cwd, folder] = [
      await createTempProject({ "own.mjs": own, "agents/own.md": "---\nmodules: [core, ./own.mjs]\n---\n" }),
      await createTempProject(),
    ];
    const args = [...OFFLINE, "--agent", "own", "--trust", "--task", "help wave"];
    const { code, err } = await runToEnd(args, { cwd, env: { NODE_V8_COVERAGE: folder } });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { modules } = await loadedIn(folder);
    expect(modules).toContain("src/library/run.ts");
    expect(new Set(modules).size).toBe(modules.length);
  });

  it("and what only looks reads nothing of what runs agents", async () => {
    const { modules, packages } = await loadedBy(["ps"]);
    expect(modules).not.toContain("src/agent/actor.ts");
    expect(packages.toSorted()).toEqual(["commander", "zod"]);
  });
});
