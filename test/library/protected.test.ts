import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createScriptedModel } from "../../src/model/scripted/scripted.ts";
import { createTempProject } from "../temp-project.ts";
import { call, openProgram } from "./programs.ts";

const MODULE = 'export const own = { name: "own", actions: {} };\n';
const AGENT = "---\nname: clerk\nmodules: [core, system, ./own.mjs]\n---\n";
const PROGRAM = 'import "./part.mjs";\n';

const FILES = {
  "own.mjs": MODULE,
  "agents/clerk.md": AGENT,
  "program.mjs": PROGRAM,
  "part.mjs": "export {};\n",
};

/** This process, as if Node had been started with `file`. */
function startedWith(file: string): void {
  const [, before] = process.argv;
  process.argv[1] = file;
  onTestFinished(() => void (process.argv[1] = before!));
}

describe("hostile: paths", () => {
  it.each([
    ["its own module", "own.mjs"],
    ["its own definition", "agents/clerk.md"],
    ["the definition of another", "agents/new.md"],
    ["the program that runs it", "program.mjs"],
    ["what that imports", "part.mjs"],
    ["the settings of the legion", ".ai-legion/config.yaml"],
  ])("an agent of a program does not overwrite %s, as under `start`", async (_, path) => {
    const project = await createTempProject(FILES);
    startedWith(join(project, "program.mjs"));
    const model = createScriptedModel([
      call("writeFile", { path, content: "evil" }),
      call("writeFile", { path: "free.txt", content: "fine" }),
      "Done.",
    ]);
    const legion = await openProgram({ project, model, trust: true });
    const agent = await legion.spawn("clerk");
    await agent.prompt("Write.");
    expect(await readFile(join(project, path), "utf8").catch(() => "")).not.toContain("evil");
    expect(await readFile(join(project, "free.txt"), "utf8")).toBe("fine");
  });
});

describe("hostile: paths", () => {
  it.each([
    ["its name without an ending", "program", "program.js"],
    ["its folder", ".", "index.js"],
    ["a folder that says which file", "server", "server/main.js"],
  ])("which Node was started with %s", async (_, started, file) => {
    const project = await createTempProject({
      "program.js": "",
      "index.js": "",
      "server/main.js": "",
      "server/package.json": '{ "main": "main.js" }',
    });
    startedWith(join(project, started));
    const model = createScriptedModel([
      call("writeFile", { path: file, content: "evil" }),
      call("writeFile", { path: "free.txt", content: "fine" }),
      "Done.",
    ]);
    const legion = await openProgram({ project, model, store: "memory" });
    const agent = await legion.spawn({ agent: "assistant", modules: ["core", "system"] });
    await agent.prompt("Write.");
    expect(await readFile(join(project, file), "utf8")).toBe("");
    expect(await readFile(join(project, "free.txt"), "utf8")).toBe("fine");
  });
});

describe("hostile: trust", () => {
  it("a program runs no code of a project that nobody trusted, and is told how to", async () => {
    const evil = `import { writeFileSync } from "node:fs";\nwriteFileSync(new URL("ran", import.meta.url), "");\n${MODULE}`;
    const project = await createTempProject({ ...FILES, "own.mjs": evil });
    const legion = await openProgram({ project, model: createScriptedModel([]) });
    await expect(legion.spawn("clerk")).rejects.toMatchObject({
      code: "CONFIG",
      message: expect.stringMatching(
        /code that you have not trusted: own\.mjs; .*`trust: true` for Legion\.open$/,
      ),
    });
    await expect(access(join(project, "ran"))).rejects.toThrow();
    expect(legion.agents.size).toBe(0);
  });

  it("a program gets nothing that a project's files would widen, and the program is warned once", async () => {
    const project = await createTempProject({ ".ai-legion/config.yaml": "policy: { profile: full }\n" });
    const warnings: string[] = [];
    const listen = ({ name, message }: Error): void =>
      void (name === "LegionWarning" && warnings.push(message));
    process.on("warning", listen);
    onTestFinished(() => void process.off("warning", listen));
    const legion = await openProgram({ project, model: createScriptedModel([]) });
    const policies = await Promise.all(
      ["a", "b"].map(async (id) => {
        await legion.spawn({ id });
        return legion.runtime.agents.get(id)!.agent!.rulebook.own.profile;
      }),
    );
    expect(policies).toEqual(["workspace", "workspace"]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([expect.stringContaining("left out, as you have not trusted it")]);
  });
});
