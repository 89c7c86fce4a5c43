import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const SCAFFOLDING = [
  "scripts/repo.mjs",
  "scripts/install.mjs",
  "scripts/debian.mjs",
  "scripts/redis.mjs",
  "scripts/promtool.mjs",
  "scripts/chromium.mjs",
  "scripts/bubblewrap.mjs",
  "scripts/git.mjs",
  "scripts/podman.mjs",
  "scripts/ripgrep.mjs",
  "scripts/skills.mjs",
  "scripts/bench/bring.mjs",
  "scripts/build.mjs",
  "scripts/bundle.mjs",
  "scripts/page.mjs",
  "scripts/prepare.mjs",
  "scripts/check.mjs",
  "scripts/hostile.mjs",
  "scripts/check-shape.mjs",
  "scripts/shape",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "vitest.config.ts",
  "test/own-config-home.ts",
  ".oxlintrc.json",
  ".prettierrc.json",
  ".prettierignore",
];

export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A small project with this repository's own scaffolding, in a temporary folder, without node_modules. */
export interface Clone {
  path(name: string): string;
  read(name: string): string;
  write(name: string, text: string): void;
  /** Gives it the packages of this repository. */
  link(): void;
  /** Runs a program of the clone with this Node. */
  run(args: readonly string[], env?: NodeJS.ProcessEnv): Run;
}

export function createClone(): Clone {
  const root = mkdtempSync(join(tmpdir(), "legion-clone-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const path = (name: string) => join(root, name);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  };
  for (const name of SCAFFOLDING) cpSync(join(repository, name), path(name), { recursive: true });
  mkdirSync(path("modules"));
  write(
    "src/cli/index.ts",
    '#!/usr/bin/env node\nimport { hello } from "../base/hello.ts";\n\nconsole.log(hello);\n',
  );
  write("src/base/hello.ts", 'export const hello: string = "hello";\n');
  return {
    path,
    write,
    read: (name) => readFileSync(path(name), "utf8"),
    link: () => symlinkSync(join(repository, "node_modules"), path("node_modules"), "junction"),
    run: (args, env = {}) =>
      spawnSync(process.execPath, args, {
        cwd: root,
        encoding: "utf8",
        // With CI set, some of the tools print in colour wherever they write to.
        env: { ...outsideEnvironment(), NO_COLOR: "1", ...env },
      }),
  };
}

/** The environment without what vitest put there: a vitest inside of this one must not take itself for a worker. */
function outsideEnvironment(): NodeJS.ProcessEnv {
  const ours = /^(VITEST|NODE_ENV$|NODE_OPTIONS$|TEST$|npm_|NO_COLOR$|FORCE_COLOR$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}
