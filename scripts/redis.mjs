// Brings a Redis server for the tests and the bench: never one for a person's legion. Plain JavaScript on Node alone.

import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import {
  cacheOf,
  hasAptGet,
  installPackages,
  isProgram,
  isRoot,
  onPath,
  provide,
  unpackPackages,
} from "./debian.mjs";
import { say } from "./repo.mjs";

/** @typedef {{ server: string, cli: string, benchmark: string }} RedisPrograms */

const CACHE = cacheOf("redis");
const PACKAGES = ["redis-server", "redis-tools"];
const NEEDED_MAJOR = 7;

/**
 * Looks without changing anything: the file that REDIS_SERVER names, then PATH, then what was unpacked before. redis-cli
 * and redis-benchmark are those beside the server.
 * @returns {RedisPrograms | undefined} undefined if there is none, or only one that is too old
 */
export function findRedis() {
  const named = process.env.REDIS_SERVER;
  const candidates = named ? [named] : [...onPath(["redis-server"]), join(CACHE, "usr/bin/redis-server")];
  const found = candidates.find((file) => isProgram(file) && isNewEnough(file));
  if (!found) return undefined;
  const beside = (/** @type {string} */ name) => join(dirname(found), name);
  return { server: found, cli: beside("redis-cli"), benchmark: beside("redis-benchmark") };
}

export function provideRedis() {
  return provide({
    name: "Redis",
    program: "redis-server",
    way: `Install Redis ${NEEDED_MAJOR} or newer, or name a redis-server in REDIS_SERVER.`,
    find: findRedis,
    bring,
  });
}

function bring() {
  if (process.env.REDIS_SERVER) {
    say(`REDIS_SERVER=${process.env.REDIS_SERVER} is no Redis server of version ${NEEDED_MAJOR} or newer.`);
  } else if (hasAptGet() && unpackPackages("redis", PACKAGES) && findRedis() === undefined) {
    installLibraries();
  }
}

/** The tools need the same libraries as the server, and bring no service. */
function installLibraries() {
  if (!isRoot) {
    say("The server that was unpacked lacks libraries: apt-get install redis-tools, as root, brings them.");
    return;
  }
  installPackages(["redis-tools"], "The Redis server that was unpacked lacks libraries");
}

/** @param {string} server */
function isNewEnough(server) {
  const { stdout } = spawnSync(server, ["--version"], { encoding: "utf8" });
  return Number(/\bv=(\d+)\./.exec(stdout ?? "")?.[1] ?? 0) >= NEEDED_MAJOR;
}
