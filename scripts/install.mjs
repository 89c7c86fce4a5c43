// Makes node_modules match package-lock.json. Plain JavaScript on Node alone: it runs before anything is installed.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { elapsed, root, say } from "./repo.mjs";

/** @typedef {{ version?: string, optional?: boolean }} LockedPackage */

const WAY_OUT =
  "It needs the npm registry: see what npm says above, check the network, and run the same command again.";

/**
 * Installs what the lock file asks for, unless it is there already; says what it does only if there is something to do.
 * @returns {boolean} whether the packages are there; if not, the reason was printed
 */
export function install() {
  return nodeIsNewEnough() && (isInstalled() || runNpm());
}

function nodeIsNewEnough() {
  const { engines } = readJson("package.json");
  const needed = engines.node.replace(">=", "");
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [neededMajor, neededMinor] = needed.split(".").map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return true;
  say(
    `AI Legion needs Node ${needed} or newer; this is ${process.versions.node}. Get one from https://nodejs.org.`,
  );
  return false;
}

/**
 * Compares with the list that npm leaves as the last step of an installation. Packages for other systems are optional
 * and may be absent.
 */
function isInstalled() {
  if (!existsSync(join(root, "node_modules/.package-lock.json"))) return false;
  const present = readJson("node_modules/.package-lock.json").packages;
  /** @type {[string, LockedPackage][]} */
  const locked = Object.entries(readJson("package-lock.json").packages);
  return locked.every(
    ([path, { version, optional }]) =>
      path === "" || (present[path] ? present[path].version === version : optional),
  );
}

function runNpm() {
  say("Installing dependencies (npm ci, about 30 s)...");
  const started = performance.now();
  const npm = process.env.npm_execpath?.endsWith("npm-cli.js")
    ? { command: process.execPath, leading: [process.env.npm_execpath], shell: false }
    : { command: "npm", leading: [], shell: process.platform === "win32" };
  // The development tools are part of running from a clone, whatever NODE_ENV or `omit` say.
  const flags = ["ci", "--include=dev", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  const { status, error } = spawnSync(npm.command, [...npm.leading, ...flags], {
    cwd: root,
    shell: npm.shell,
    stdio: ["ignore", 2, 2],
  });
  if (status === 0) say(`Installed in ${elapsed(started)}.`);
  else say(`Installing failed${error ? `: ${error.message}` : ""}. ${WAY_OUT}`);
  return status === 0;
}

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}
