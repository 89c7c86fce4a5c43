// Finds the programs that tests and benches need beside Node, and brings them with apt-get where that is the way. Plain
// JavaScript on Node alone.

import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { isatty } from "node:tty";
import { elapsed, root, say } from "./repo.mjs";

/** Not `process.stdin`: opened by that, it no longer waits for what is typed. */
const STDIN = 0;

export const isRoot = process.getuid?.() === 0;

/**
 * @typedef {object} Need
 * @property {string} name as people call it
 * @property {string} program what is missing where it is not there
 * @property {string} way what a person can do
 * @property {() => unknown} find looks without changing anything; `undefined` if it is not there
 * @property {() => void} bring tries what it can, and says so
 */

/**
 * Finds a program or brings it; says what it does only if there is something to do.
 * @param {Need} need
 * @returns {"there" | "skipped" | "failed"} `skipped`: the tests that need it are left out, which is said. With
 * `CI=true` that is `failed`: there nobody would notice.
 */
export function provide({ name, program, way, find, bring }) {
  if (find() !== undefined) return "there";
  const started = performance.now();
  bring();
  if (find() !== undefined) {
    say(`${name} is there after ${elapsed(started)}.`);
    return "there";
  }
  if (process.env.CI === "true") {
    say(`No ${program}, and none could be brought. ${way}`);
    return "failed";
  }
  say(`\nNO ${program}: EVERY TEST THAT NEEDS ONE IS SKIPPED. ${way}\n`);
  return "skipped";
}

export function hasAptGet() {
  return runs("apt-get", ["--version"]);
}

/**
 * Says what it is about to install into this system, and asks whether it may; in CI (`CI=true`) it asks nobody, and where
 * nobody can be asked it does not. Only root may. Lists of packages that are missing or too old are fetched, once.
 * @param {string[]} packages
 * @param {string} why
 */
export function installPackages(packages, why) {
  const command = `apt-get install ${packages.join(" ")}`;
  if (process.env.CI === "true") say(`${why}: ${command}`);
  else if (!isatty(STDIN)) {
    say(`${why}. Not installed, as there is nobody to ask: \`CI=true npm test\` runs ${command}.`);
    return false;
  } else if (!confirms(`${why}. Run ${command} on this machine? [y/N] `)) return false;
  return withLists(() => runs("apt-get", ["install", "-y", "--no-install-recommends", ...packages]));
}

/** @param {string} question */
function confirms(question) {
  process.stderr.write(question);
  const answer = Buffer.alloc(256);
  const bytes = readSync(STDIN, answer);
  return /^\s*y(?:es)?\s*$/i.test(answer.toString("utf8", 0, bytes));
}

/**
 * Tries again with fresh lists of packages, where they may be fetched.
 * @param {() => boolean} attempt
 */
export function withLists(attempt) {
  return attempt() || (isRoot && runs("apt-get", ["update"]) && attempt());
}

/**
 * Unpacks packages into a folder below node_modules/.cache, which needs no rights and changes nothing else: above all, no service
 * is started.
 * @param {string} name of the folder
 * @param {string[]} packages
 * @param {string} [only] the one path in them that is wanted, such as `usr/bin/program`; absent: all of them
 */
export function unpackPackages(name, packages, only) {
  const cache = cacheOf(name);
  say(`Unpacking ${packages.join(" and ")} into node_modules/.cache with apt-get...`);
  const fresh = `${cache}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  try {
    if (!withLists(() => runs("apt-get", ["download", ...packages], fresh))) return false;
    const archives = readdirSync(fresh).filter((file) => file.endsWith(".deb"));
    if (!archives.every((archive) => runs("dpkg", ["-x", archive, "."], fresh))) return false;
    rmSync(cache, { recursive: true, force: true });
    if (!only) renameSync(fresh, cache);
    else {
      mkdirSync(dirname(join(cache, only)), { recursive: true });
      renameSync(join(fresh, only), join(cache, only));
    }
    return true;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** @param {string} name */
export function cacheOf(name) {
  return join(root, "node_modules/.cache", name);
}

/**
 * Every file on the PATH that has one of these names, and may be run or not; names first, then folders.
 * @param {string[]} names
 */
export function onPath(names) {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}

/** @param {string} file */
export function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {string} [folder]
 */
export function runs(program, args, folder = root) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8", cwd: folder, env });
  if (status !== 0 && stderr) say(stderr.trim());
  return status === 0;
}
