// Brings a Redis server for the tests and the bench: never one for a person's legion. Plain JavaScript on Node alone.

import { spawnSync } from "node:child_process";
import { accessSync, constants, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { elapsed, root, say } from "./repo.mjs";

/** @typedef {{ server: string, cli: string, benchmark: string }} RedisPrograms */

const CACHE = join(root, "node_modules/.cache/redis");
const PACKAGES = ["redis-server", "redis-tools"];
const NEEDED_MAJOR = 7;
const isRoot = process.getuid?.() === 0;

/**
 * Looks without changing anything: the file that REDIS_SERVER names, then PATH, then what was unpacked before. redis-cli
 * and redis-benchmark are those beside the server.
 * @returns {RedisPrograms | undefined} undefined if there is none, or only one that is too old
 */
export function findRedis() {
  const folders = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), join(CACHE, "usr/bin")];
  const named = process.env.REDIS_SERVER;
  const candidates = named ? [named] : folders.map((folder) => join(folder, "redis-server"));
  const found = candidates.find((file) => isProgram(file) && isNewEnough(file));
  if (!found) return undefined;
  const beside = (/** @type {string} */ name) => join(dirname(found), name);
  return { server: found, cli: beside("redis-cli"), benchmark: beside("redis-benchmark") };
}

/**
 * Finds the programs or brings them; says what it does only if there is something to do.
 * @returns {"there" | "skipped" | "failed"} `skipped`: the tests that need a server are left out, which is said. With
 * `CI=true` that is `failed`: there nobody would notice.
 */
export function provideRedis() {
  if (findRedis()) return "there";
  const started = performance.now();
  if (bring() && findRedis()) {
    say(`Redis is there after ${elapsed(started)}.`);
    return "there";
  }
  const way = `Install Redis ${NEEDED_MAJOR} or newer, or name a redis-server in REDIS_SERVER.`;
  if (process.env.CI === "true") {
    say(`No redis-server, and none could be brought. ${way}`);
    return "failed";
  }
  say(`\nNO redis-server: EVERY TEST THAT NEEDS ONE IS SKIPPED. ${way}\n`);
  return "skipped";
}

function bring() {
  if (process.env.REDIS_SERVER) {
    say(`REDIS_SERVER=${process.env.REDIS_SERVER} is no Redis server of version ${NEEDED_MAJOR} or newer.`);
    return false;
  }
  if (!runs("apt-get", ["--version"])) return false;
  return unpack() && (findRedis() !== undefined || installLibraries());
}

/** Needs no rights and changes nothing outside of node_modules: above all, no service is started. */
function unpack() {
  say(`Unpacking ${PACKAGES.join(" and ")} into node_modules/.cache with apt-get...`);
  const fresh = `${CACHE}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  try {
    const download = () => runs("apt-get", ["download", ...PACKAGES], fresh);
    if (!download() && !(isRoot && runs("apt-get", ["update"]) && download())) return false;
    const archives = readdirSync(fresh).filter((name) => name.endsWith(".deb"));
    if (!archives.every((archive) => runs("dpkg", ["-x", archive, "."], fresh))) return false;
    rmSync(CACHE, { recursive: true, force: true });
    renameSync(fresh, CACHE);
    return true;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** The tools need the same libraries as the server, and bring no service. */
function installLibraries() {
  if (!isRoot) {
    say("The server that was unpacked lacks libraries: apt-get install redis-tools, as root, brings them.");
    return false;
  }
  say("Installing redis-tools with apt-get, for the libraries...");
  return runs("apt-get", ["install", "-y", "--no-install-recommends", "redis-tools"]);
}

/** @param {string} file */
function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} server */
function isNewEnough(server) {
  const { stdout } = spawnSync(server, ["--version"], { encoding: "utf8" });
  return Number(/\bv=(\d+)\./.exec(stdout ?? "")?.[1] ?? 0) >= NEEDED_MAJOR;
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {string} [folder]
 */
function runs(program, args, folder = root) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8", cwd: folder, env });
  if (status !== 0 && stderr) say(stderr.trim());
  return status === 0;
}
