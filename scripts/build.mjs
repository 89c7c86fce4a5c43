// src/ and modules/ -> dist/: the TypeScript compiler checks them and writes their types, and then they are bundled. Only the first
// start of a fresh clone does not wait for the check, which `npm test` and every later build do. page/ is bundled beside them.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildPage } from "./page.mjs";
import { elapsed, root, say, tools } from "./repo.mjs";

const SETTINGS = [
  "scripts/bundle.mjs",
  "scripts/page.mjs",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
];
const FOLDERS = ["src", "modules", "page"];
const SOURCE = /\.(ts|tsx|css|html)$/;
/** Holds the fingerprint of the sources that dist/ was built from, and whether they were checked. */
const STAMP = join(root, "dist/.built");
const BUNDLER = join(root, "scripts/bundle.mjs");
const COMMAND = join(root, "dist/src/cli/index.js");
const SCHEMA_MAKER = join(root, "dist/src/config/files/json-schema.js");
/** Where editors find what config.yaml may hold. */
const SCHEMA = join(root, "dist/config.schema.json");

/**
 * Brings dist/ up to date with the sources; says what it does only if there is something to do.
 * @param {"to start" | "whole"} need `to start`: where nothing was built before, JavaScript is enough
 * @returns {boolean} whether dist/ is up to date; if not, the compiler's errors were printed and dist/ is as it was
 */
export function build(need) {
  const fingerprint = fingerprintOfSources();
  const [built, kind] = existsSync(STAMP) ? readFileSync(STAMP, "utf8").split(" ") : [];
  if (built === fingerprint && (kind === undefined || need === "to start")) return true;
  const isFirst = need === "to start" && built === undefined;
  say("Building...");
  const started = performance.now();
  if ((!isFirst && !run(tools.tsc, "-p", "tsconfig.build.json")) || !run(BUNDLER)) {
    say("Building failed: the sources have the errors above.");
    return false;
  }
  removeOrphans();
  if (!buildPage(root) || !writeSchema()) return false;
  if (existsSync(COMMAND)) chmodSync(COMMAND, 0o755);
  writeFileSync(STAMP, isFirst ? `${fingerprint} unchecked` : fingerprint);
  say(`Built in ${elapsed(started)}.`);
  return true;
}

/** @param {...string} args of a Node; what it prints is for the person */
function run(...args) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", 2, 2] }).status === 0;
}

/** In a process of its own: what was just built may have been imported here before. */
function writeSchema() {
  if (!existsSync(SCHEMA_MAKER)) return true;
  const url = JSON.stringify(pathToFileURL(SCHEMA_MAKER).href);
  const print = `import { configJsonSchema } from ${url}; console.log(JSON.stringify(configJsonSchema(), null, 2));`;
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", print], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", 2],
  });
  if (status === 0) writeFileSync(SCHEMA, stdout);
  return status === 0;
}

/** By content, not by time: a checkout, a copy or an archive may set any time. */
function fingerprintOfSources() {
  const hash = createHash("sha256");
  const sources = FOLDERS.flatMap((folder) => filesBelow(folder).filter((path) => SOURCE.test(path)));
  for (const path of [...SETTINGS, ...sources]) {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\n${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

/** What a removed source left behind must neither be imported nor published. */
function removeOrphans() {
  for (const path of [...filesBelow("dist/src"), ...filesBelow("dist/modules")]) {
    const source = path.slice("dist/".length).replace(/\.(d\.ts|js)$/, ".ts");
    if (!existsSync(join(root, source))) rmSync(join(root, path));
  }
}

/**
 * @param {string} folder
 * @returns {string[]} paths from the root, with forward slashes, sorted
 */
function filesBelow(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll("\\", "/"))
    .sort();
}
