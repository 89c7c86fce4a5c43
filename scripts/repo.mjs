// What every script needs to know of the repository. Plain JavaScript on Node alone: it runs before the installation.

import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** The development tools, as files that this same Node runs: no shell, no PATH, the same on every system. */
export const tools = {
  tsc: join(root, "node_modules/typescript/bin/tsc"),
  oxlint: join(root, "node_modules/oxlint/bin/oxlint"),
  prettier: join(root, "node_modules/prettier/bin/prettier.cjs"),
  vitest: join(root, "node_modules/vitest/vitest.mjs"),
};

/**
 * Progress for the person: on stderr, because stdout belongs to the program that is about to start.
 * @param {string} text
 */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/**
 * @param {number} sinceMs a moment of `performance.now()`
 * @returns {string} such as `12.3 s`
 */
export function elapsed(sinceMs) {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
}
