// The protocol's own conformance suite, which tries clients and servers; a process of its own.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

const PACKAGE = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json");
const LOADER = join(import.meta.dirname, "on-node-20.mjs");
/** It starts programs from there. */
const ROOT = join(import.meta.dirname, "../..");

export interface SuiteRun {
  readonly code: number | null;
  /** What it printed. */
  readonly out: string;
}

export function runSuite(args: readonly string[]): Promise<SuiteRun> {
  const program = join(dirname(PACKAGE), "dist/index.js");
  const suite = spawn(process.execPath, ["--import", LOADER, program, ...args], {
    cwd: ROOT,
    env: { PATH: process.env["PATH"] },
  });
  onTestFinished(() => void suite.kill("SIGKILL"));
  let out = "";
  for (const stream of [suite.stdout, suite.stderr])
    stream.on("data", (chunk: Buffer) => (out += String(chunk)));
  return new Promise((resolve) => suite.on("close", (code) => resolve({ code, out })));
}
