// What comes out of the registry: the tarball, installed by npm into an empty folder.

import { spawnSync } from "node:child_process";
import {
  existsSync,
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
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../cli/program.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const QUIET = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
let folder: string;

/** As a person types it there: nothing of this repository, no key. */
function run(command: string, args: readonly string[], cwd = folder) {
  const names = [
    "PATH",
    "HOME",
    "npm_config_cache",
    "npm_config_registry",
    "NODE_EXTRA_CA_CERTS",
    "HTTPS_PROXY",
  ];
  const env = Object.fromEntries(
    names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: "utf8" });
  return { status, stdout, stderr };
}

beforeAll(async () => {
  await buildProgram();
  folder = realpathSync(mkdtempSync(join(tmpdir(), "legion-packed-")));
  // It was built a moment ago; the script that npm would run first builds, too.
  const packed = run(
    "npm",
    ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder],
    REPOSITORY,
  );
  expect(packed.status, packed.stderr).toBe(0);
  const installed = run("npm", ["install", ...QUIET, join(folder, packed.stdout.trim())]);
  expect(installed.status, installed.stderr).toBe(0);
  rmSync(join(folder, packed.stdout.trim()));
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
