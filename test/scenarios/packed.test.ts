// What comes out of the registry: the tarball, installed by npm into an empty folder whose path has a space in it.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { tools } from "../../scripts/repo.mjs";
import { buildProgram } from "../cli/program.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const QUIET = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
const { devDependencies } = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8"));
/** What whoever writes TypeScript for Node has installed as well. */
const NODE_TYPES = `@types/node@${devDependencies["@types/node"]}`;
let folder: string;

/** Nothing of this repository, no key. */
function environment() {
  const names = [
    "PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "npm_config_cache",
    "npm_config_registry",
    "NODE_EXTRA_CA_CERTS",
    "HTTPS_PROXY",
  ];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** As a person types it there. */
function run(command: string, args: readonly string[], cwd = folder) {
  const env = environment();
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: "utf8" });
  return { status, stdout, stderr };
}

/** Starts what does not end by itself. */
function begin(args: readonly string[], cwd: string) {
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const child = spawn(process.execPath, args, { cwd, env: environment(), stdio: [...stdio] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** What it has printed once `pattern` is in it. */
async function said({ stdout }: ReturnType<typeof begin>, pattern: RegExp): Promise<string> {
  let out = "";
  for await (const text of stdout!.setEncoding("utf8")) {
    out += text;
    if (pattern.test(out)) return out;
  }
  throw new Error(`ended without ${pattern}:\n${out}`);
}

beforeAll(async () => {
  await buildProgram();
  folder = realpathSync(mkdtempSync(join(tmpdir(), "legion packed-")));
  // It was built a moment ago; the script that npm would run first builds, too.
  const packed = run(
    "npm",
    ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder],
    REPOSITORY,
  );
  expect(packed.status, packed.stderr).toBe(0);
  // Without a prefix, npm would take a package.json further up for the one that is meant.
  const tarball = join(folder, packed.stdout.trim());
  const installed = run("npm", ["install", "--prefix", ".", ...QUIET, tarball, NODE_TYPES]);
  expect(installed.status, installed.stderr).toBe(0);
  rmSync(tarball);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the package, installed from its tarball in an empty folder", () => {
  it("surveys what is there", () => {
    const { status, stdout, stderr } = run("npx", [
      "ai-legion",
      "start",
      "3",
      "--task",
      "survey .",
      "--until-idle",
    ]);
    expect(status, stderr).toBe(0);
    expect(stdout).toMatch(/^3 agents on offline /);
    expect(stdout.trimEnd().split("\n").slice(-3)).toEqual([
      expect.stringMatching(
        /^Agent 1: The survey of "\." is done: 2 files, .* It is written down in SURVEY\.md\.$/,
      ),
      "See more with: npx ai-legion inbox, npx ai-legion goals 1, npx ai-legion notes 1, npx ai-legion log 1",
      expect.stringMatching(/^Done: .*, free\.$/),
    ]);
    const survey = readFileSync(join(folder, "SURVEY.md"), "utf8");
    expect(survey).toContain("- package.json: ");
    expect(survey).not.toContain("node_modules");
    expect(readdirSync(folder).toSorted()).toEqual([
      ".ai-legion",
      "SURVEY.md",
      "node_modules",
      "package-lock.json",
      "package.json",
    ]);
  });

  it("answers the commands that the end names", () => {
    expect(run("npx", ["ai-legion", "inbox"]).stdout).toContain('The survey of "." is done');
    expect(run("npx", ["legion", "goals", "1"])).toMatchObject({ status: 0 });
  });

  it("brings what it promises, and can be imported", () => {
    const own = join(folder, "node_modules/ai-legion");
    for (const path of [
      "README.md",
      "agents/legionnaire.md",
      "docs/redis.md",
      "examples/script.mjs",
      "dist/src/index.d.ts",
    ]) {
      expect(existsSync(join(own, path)), path).toBe(true);
    }
    for (const path of ["src", "test", "scripts", "dist/.built", "SURVEY.md", ".ai-legion"]) {
      expect(existsSync(join(own, path)), path).toBe(false);
    }
    writeFileSync(
      join(folder, "own.mjs"),
      'import { startLegion } from "ai-legion";\nconsole.log(typeof startLegion);\n',
    );
    expect(run(process.execPath, ["own.mjs"]).stdout).toBe("function\n");
  });
});

describe("its examples, copied out of it as they are", () => {
  const program = () => join(folder, "node_modules/.bin/legion");
  const legion = (args: readonly string[], cwd: string) => run(program(), args, cwd);
  const node = (...args: readonly string[]) => run(process.execPath, args, join(folder, "own programs"));
  const emptyProject = (name: string): string => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  };

  beforeAll(() =>
    cpSync(join(folder, "node_modules/ai-legion/examples"), join(folder, "own programs"), {
      recursive: true,
    }),
  );

  it("are ten lines, and a test of them", () => {
    const asked = node("weather.mjs");
    expect(asked).toMatchObject({ status: 0, stderr: "" });
    expect(asked.stdout).toMatch(/It rains in Oslo\.\n\d+ tokens, 0 USD\n$/);
    const tested = node("--test", "weather.test.mjs");
    expect(tested, tested.stdout).toMatchObject({ status: 0 });
  });

  it.each([
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ])("are the same in strict TypeScript, libraries checked as well: module %s, resolved as %s", (...how) => {
    const [module, moduleResolution] = how;
    const folders = { rootDir: ".", outDir: moduleResolution };
    const strictness = { strict: true, skipLibCheck: false, declaration: true };
    const compilerOptions = { ...strictness, ...folders, module, moduleResolution, target: "es2022" };
    const config = JSON.stringify({ compilerOptions, files: ["weather.mts", "surface.mts"] });
    writeFileSync(join(folder, "own programs/tsconfig.json"), config);
    // What is declared of a thing of one's own names types of the package: all of them have to be within reach.
    const surface = `
      import { Legion, defineAction, ok, z } from "ai-legion";
      import { createHandClock, openTestLegion } from "ai-legion/testing";
      const parameters = { city: z.string() };
      export const tellWeather = defineAction({
        ...{ description: "Tell the weather", parameters, effects: "none", touches: [] },
        execute: ({ city }) => ok(city.toUpperCase()),
      });
      export const open = (project: string) => Legion.open({ project, limits: { cost: 2 } });
      export const spawned = async (legion: Legion) => (await legion.spawn()).events();
      export const tested = () => openTestLegion(["Hello."], { clock: createHandClock() });
    `;
    writeFileSync(join(folder, "own programs/surface.mts"), surface);
    expect(node(tools.tsc, "-p", ".")).toEqual({ status: 0, stdout: "", stderr: "" });
    const asked = node(join(moduleResolution, "weather.mjs"));
    expect(asked).toMatchObject({ status: 0, stderr: "" });
    expect(asked.stdout).toMatch(/^\.\.\. tellWeather\n[^]*It rains in Oslo\. 0\n$/);
  });

  it("are a module of one's own", () => {
    const project = join(folder, "own programs/module");
    const task = ["--until-idle", "--task", "action: recordRain\nmillimetres: 12"];
    const { status, stdout, stderr } = legion(["start", "--trust", "--agent", "gardener", ...task], project);
    expect(status, stderr).toBe(0);
    expect(stdout).toContain("✓ Recorded. Total: 12 mm.");
  });

  it("are several agents, questions that are answered, and a session that is killed", () => {
    const project = emptyProject("garden");
    writeFileSync(join(project, "beans.txt"), "");
    expect(node("script.mjs", project).stdout).toMatch(/done: 1 file, .*\nIt took \d+ decisions\.\n$/);
    expect(node("questions.mjs", project).stdout).toMatch(/^Agent 1 asks .*\n1\.\d+ was approved\.\n$/);
    expect(node("session.mjs", project).stdout).toContain("The second task ended with SIGKILL.");
    expect(readFileSync(join(project, "hello.py"), "utf8")).toBe("print('Hello, world')");
  });

  it("are a server that the commands reach while it runs, and that ends when it is told to", async () => {
    const project = emptyProject("behind HTTP");
    const server = begin(["server.mjs", "0", project], join(folder, "own programs"));
    const line = await said(server, /listens on .*\n/);
    const url = /http:\S+/.exec(line)![0];
    const ask = async (body: string) => (await fetch(url, { method: "POST", body })).text();
    expect(await ask("note beans: sown")).toContain("written successfully");
    const [status] = legion(["ps", "--json"], project).stdout.split("\n");
    expect(JSON.parse(status!)).toMatchObject({
      id: "1",
      state: "idle",
      node: expect.stringContaining(`${server.pid}@`),
    });
    expect(legion(["send", "1", "note peas: sown"], project)).toMatchObject({ status: 0, stderr: "" });
    const log = begin([program(), "log", "--follow", "1"], project);
    await said(log, /peas: sown[^]*written successfully/);
    expect(legion(["notes", "1"], project).stdout).toMatch(/beans[^]*peas/);
    server.kill("SIGTERM");
    expect(await once(server, "close")).toEqual([0, null]);
    expect(legion(["ps", "--json"], project).stdout).toContain('"state":"stopped"');
  });
});
