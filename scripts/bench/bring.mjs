// What the runtime is measured beside, and does not need: npm brings it when it is first asked for.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../repo.mjs";

const FLAGS = ["--no-save", "--no-package-lock", "--ignore-scripts", "--omit=optional", "--omit=peer"];

/**
 * Into a folder of its own in `node_modules/.cache`; no development dependency, because no lock file could name all of its
 * parts for every system, or they are large.
 * @param {string} name @param {string} version @param {readonly string[]} [beside] what else, as `name@version`
 * @returns {string | undefined} the `node_modules` that holds it; undefined if it cannot be brought
 */
export function bring(name, version, beside = []) {
  const home = join(root, "node_modules/.cache", name.replace("/", "+"), version);
  const packages = join(home, "node_modules");
  const isThere = () => existsSync(join(packages, name, "package.json"));
  if (!isThere()) {
    const options = [
      "install",
      "--prefix",
      home,
      ...FLAGS,
      "--no-audit",
      "--no-fund",
      `${name}@${version}`,
      ...beside,
    ];
    spawnSync("npm", options, { stdio: ["ignore", 2, 2], cwd: root });
  }
  return isThere() ? packages : undefined;
}
