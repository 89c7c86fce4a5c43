// What a folder that somebody else made tries in order to have code run here.

import { chmod, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import { legion, type Seen } from "../cli/legion.ts";
import { createTempProject } from "../temp-project.ts";
import { BROWSER, expectNoHarm, HARM, hostileProject, OWN, START, type Files } from "./harm.ts";

describe("a command that only looks, sends or stops runs nothing of a folder:", () => {
  /** With an agent that has a past, of a definition that became hostile afterwards. */
  async function lived(): Promise<string> {
    const project = await createTempProject({
      "agents/legionnaire.md": "---\nmodules: [core, goals, notes]\n---\n",
      "script.yaml": `- calls: [{ action: addGoal, parameters: { goal: "Live" } }]\n- Done.`,
    });
    expect(await legion(["start", ...START], { cwd: project })).toMatchObject({ exitCode: 0, err: "" });
    await writeFile(join(project, "browser"), BROWSER);
    await chmod(join(project, "browser"), 0o755);
    await writeFile(join(project, "harm.mjs"), HARM);
    await writeFile(
      join(project, "agents/legionnaire.md"),
      "---\nmodules: [core, goals, notes, web, ./harm.mjs]\n---\n",
    );
    await writeFile(join(project, "agents/team.yaml"), "agents: { a: { agent: x, modules: [./harm.mjs] } }");
    const config = JSON.stringify({ web: { browser: join(project, "browser") } });
    await writeFile(join(project, ".ai-legion/config.yaml"), config);
    return project;
  }

  it.each([
    ["doctor"],
    ["doctor --repair"],
    ["ps"],
    ["log 1"],
    ["goals 1"],
    ["notes 1"],
    ["inbox"],
    ["inbox --dead"],
    ["send 1 hello"],
    ["export --all out.legion"],
    ["abort 1"],
    ["pause 1"],
    ["resume 1"],
    ["fork 1 --at 2"],
    ["stop"],
    ["init"],
  ])("legion %s", async (line) => {
    const project = await lived();
    await legion(line.split(" "), { cwd: project });
    await expectNoHarm(project);
  });
});

describe("a start without a person's word is refused where it would run", () => {
  const untrusted = /^legion: this project brings code that you have not trusted: .*--trust runs it/;

  async function expectRefused(project: string, args: readonly string[], env: Files = {}): Promise<Seen> {
    const seen = await legion(args, { cwd: project, env });
    expect(seen.err).toMatch(untrusted);
    expect(seen.err.trimEnd().split("\n")).toHaveLength(1);
    expect(seen.exitCode).toBe(2);
    await expectNoHarm(project);
    return seen;
  }

  const start = ["start", ...START];
  it.each<[string, Files, readonly string[]]>([
    ["a module of the default agent", {}, start],
    ["the same, asked for in JSON", {}, [...start, "--json"]],
    [
      "a module of a team",
      { "agents/team.yaml": "agents: { a: { agent: legionnaire } }" },
      [...start, "--team", "team"],
    ],
    [
      "what the default agent of config.yaml names",
      { ".ai-legion/config.yaml": "agent: deep/x.md", "deep/x.md": "---\nmodules: [./harm.mjs]\n---\n" },
      start,
    ],
    [
      "what a harmless module imports",
      {
        "agents/legionnaire.md": "---\nmodules: [./own.mjs]\n---\n",
        "own.mjs": `import "./harm.mjs"; ${OWN}`,
      },
      start,
    ],
    ["a trust.json of its own", { "ai-legion/trust.json": "{}", ".env": "XDG_CONFIG_HOME=." }, start],
  ])("%s", async (_, files, args) => {
    await expectRefused(await hostileProject(files), args);
  });

  it.each([[], ["--trust"], ["--trust-always"]])(
    "what a shipped agent.json names, with %j",
    async (...trust) => {
      const project = await hostileProject({
        "agents/legionnaire.md": "---\nmodules: [core]\n---\n",
        ".ai-legion/agents/1/agent.json": `{ "definition": "legionnaire", "modules": ["./harm.mjs"] }`,
      });
      const err = expect.stringMatching(
        /^legion: the record of Agent 1 names the module "\.\/harm\.mjs".*\n$/,
      );
      const start = ["start", "--only", "1", ...START, ...trust];
      expect(await legion(start, { cwd: project })).toMatchObject({ exitCode: 2, err });
      await expectNoHarm(project);
    },
  );

  it("trust that another folder has, which lay there before", async () => {
    const harmless = { "agents/legionnaire.md": "---\nmodules: [./own.mjs]\n---\n", "own.mjs": OWN };
    const trusted = await hostileProject(harmless);
    expect(await legion([...start, "--trust-always"], { cwd: trusted })).toMatchObject({ exitCode: 0 });
    await expectRefused(await hostileProject(), start);
    // Trust is by where a folder really is: moved away, it is a stranger again.
    await rename(trusted, `${trusted}-moved`);
    await expectRefused(`${trusted}-moved`, start);
  });

  const changes: readonly (readonly [string, string, string])[] = [
    ["the module", "own.mjs", HARM],
    ["what it imports", "lib/part.mjs", HARM],
    ["a file that only a computed import finds", "plugins/new.mjs", HARM],
    ["a package that it needs", "node_modules/dep/index.js", HARM],
    ["how its files are loaded", "package.json", `{ "type": "commonjs" }`],
    ["what package.json maps its names to", "package.json", `{ "imports": { "#x": "./harm.mjs" } }`],
    ["who answers to the name of a package", "package.json", `{ "name": "dep", "exports": "./harm.mjs" }`],
  ];
  it.each(changes)("what was trusted, once this has changed: %s", async (_, file, content) => {
    const isComputed = file.startsWith("plugins");
    const project = await hostileProject({
      "agents/legionnaire.md": "---\nmodules: [core, ./own.mjs]\n---\n",
      "own.mjs": `import "./lib/part.mjs"; import "dep"; ${OWN}${isComputed ? "const load = (x) => import(x);" : ""}`,
      "lib/part.mjs": "export {};",
      "node_modules/dep/package.json": `{ "type": "module", "exports": "./index.js" }`,
      "node_modules/dep/index.js": "",
      "package.json": `{ "type": "module" }`,
    });
    expect(await legion([...start, "--trust"], { cwd: project })).toMatchObject({ exitCode: 0, err: "" });
    await mkdir(join(project, file, ".."), { recursive: true });
    await writeFile(join(project, file), content);
    await expectRefused(project, start);
  });

  it.each([[["prompt", "1"]], [["replay", "1"]]])("%j", async (args) => {
    const project = await createTempProject({
      "agents/legionnaire.md": "---\nmodules: [core]\n---\n",
      "script.yaml": "- Done.",
    });
    await legion(start, { cwd: project });
    await writeFile(join(project, "agents/legionnaire.md"), "---\nmodules: [core, ./harm.mjs]\n---\n");
    await writeFile(join(project, "harm.mjs"), HARM);
    await expectRefused(project, args);
    // What was shown for a decision needs no code.
    const { json } = await legion(["log", "1", "--json"], { cwd: project });
    const decision = (json as readonly Event[]).find(({ kind }) => kind === "decision")!;
    const seen = await legion(["prompt", "1", "--at", `${decision.seq}`], { cwd: project });
    expect(seen).toMatchObject({ exitCode: 0, err: "" });
    await expectNoHarm(project);
  });
});
