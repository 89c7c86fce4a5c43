// `npm test`: every check of the project, then two tables, then how many passed. Arguments go to vitest, such as
// `npm test -- test/mail`. Each static check counts as one, and so does each test. A whole run fails without the hostile
// cases that it must have.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { provideBubblewrap } from "./bubblewrap.mjs";
import { provideChromium } from "./chromium.mjs";
import { provideGit } from "./git.mjs";
import { groupsIn, lacksOf, tableOf } from "./hostile.mjs";
import { install } from "./install.mjs";
import { providePodman } from "./podman.mjs";
import { providePromtool } from "./promtool.mjs";
import { provideRedis } from "./redis.mjs";
import { provideRipgrep } from "./ripgrep.mjs";
import { provideSkills } from "./skills.mjs";
import { elapsed, root, tools } from "./repo.mjs";

/** @typedef {{ name: string, passed: number, failed: number, skipped: number, took: string }} Row */
/** @typedef {{ name: string, command: string[] }} Check */

/** @type {Check} */
const BUILD = { name: "build", command: ["scripts/prepare.mjs"] };
/** @type {Check[]} */
const STATIC_CHECKS = [
  { name: "types", command: [tools.tsc, "-p", "."] },
  ...(existsSync(join(root, "page")) ? [{ name: "page", command: [tools.tsc, "-p", "page"] }] : []),
  { name: "lint", command: [tools.oxlint] },
  { name: "format", command: [tools.prettier, "--check", "--log-level=warn", "."] },
  { name: "shape", command: ["scripts/check-shape.mjs"] },
];

/** What tests need beside Node. @type {[string, () => "there" | "skipped" | "failed"][]} */
const PROVIDERS = [
  ["git", provideGit],
  ["redis", provideRedis],
  ["chromium", provideChromium],
  ["bubblewrap", provideBubblewrap],
  ["podman", providePodman],
  ["ripgrep", provideRipgrep],
  ["promtool", providePromtool],
  ["skills", provideSkills],
];

/** @type {Row[]} */
const rows = [];
if (!install()) {
  rows.push({ name: "install", passed: 0, failed: 1, skipped: 0, took: "" });
} else {
  rows.push(await runStatic(BUILD));
  rows.push(...(await Promise.all(STATIC_CHECKS.map(runStatic))));
  for (const [name, provide] of PROVIDERS) {
    if (provide() === "failed") rows.push({ name, passed: 0, failed: 1, skipped: 0, took: "" });
  }
  rows.push(...(await runTests(process.argv.slice(2))));
}
report(rows);

/**
 * Its output is shown when it ends, so that checks can run side by side.
 * @param {Check} check
 * @returns {Promise<Row>}
 */
async function runStatic({ name, command }) {
  const started = performance.now();
  const { code, output } = await run(command, "pipe");
  const failed = code === 0 ? 0 : 1;
  console.log(`${failed ? "✗" : "✓"} ${name}${output.trim() ? `\n${output.trimEnd()}\n` : ""}`);
  return { name, passed: 1 - failed, failed, skipped: 0, took: elapsed(started) };
}

/**
 * The tests, and a row for the hostile cases if some are missing.
 * @param {string[]} args
 * @returns {Promise<Row[]>}
 */
async function runTests(args) {
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), "legion-check-"));
  const file = join(folder, "vitest.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const { code } = await run([tools.vitest, "run", ...reporters, ...args], "inherit");
  const { groups, ...counts } = countTests(file);
  rmSync(folder, { recursive: true, force: true });
  // A file that cannot be loaded, or an error outside of any test, fails the run without a failed test.
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  const tests = { name: "tests", ...counts, took: elapsed(started) };
  const table = tableOf(groups);
  if (table) console.log(`\n${table}`);
  const lacks = args.length > 0 ? [] : lacksOf(groups);
  if (lacks.length === 0) return [tests];
  console.log(`\n✗ hostile\n${lacks.join("\n")}`);
  return [tests, { name: "hostile", passed: 0, failed: 1, skipped: 0, took: "" }];
}

/** @param {string} file the JSON report of vitest; absent if vitest could not start */
function countTests(file) {
  try {
    const report = JSON.parse(readFileSync(file, "utf8"));
    const skipped = report.numPendingTests + report.numTodoTests;
    const groups = groupsIn(
      report.testResults.flatMap(
        (/** @type {{ assertionResults: import("./hostile.mjs").Result[] }} */ { assertionResults }) =>
          assertionResults,
      ),
    );
    return { passed: report.numPassedTests, failed: report.numFailedTests, skipped, groups };
  } catch {
    return { passed: 0, failed: 0, skipped: 0, groups: groupsIn([]) };
  }
}

/**
 * @param {string[]} command a script for this same Node, and its arguments
 * @param {"pipe" | "inherit"} output
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function run(command, output) {
  const child = spawn(process.execPath, command, { cwd: root, stdio: ["ignore", output, output] });
  /** @type {Buffer[]} */
  const chunks = [];
  child.stdout?.on("data", (chunk) => chunks.push(chunk));
  child.stderr?.on("data", (chunk) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output: Buffer.concat(chunks).toString() }));
  });
}

/** @param {Row[]} rows */
function report(rows) {
  console.log();
  for (const { name, passed, failed, skipped, took } of rows) {
    const counts = `${String(passed).padStart(6)} passed ${String(failed).padStart(4)} failed`;
    console.log(`${name.padEnd(8)}${counts}${skipped ? `, ${skipped} skipped` : ""}  ${took}`);
  }
  const failed = rows.reduce((sum, row) => sum + row.failed, 0);
  console.log(`\n${rows.reduce((sum, row) => sum + row.passed, 0)} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}
