// Source files, parsed: what every rule reads.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { parseSync } from "rolldown/utils";

/** @typedef {import("rolldown/utils").ESTree.Node} Node */
/** @typedef {{ readonly path: string, readonly line: number, readonly text: string }} Problem */

/**
 * `path` is relative to the repository, with forward slashes.
 * @typedef {import("rolldown/utils").ParseResult & { readonly path: string, readonly text: string }} Source
 */

const FOLDERS = ["src", "modules", "page", "scripts", "test"];
const CODE = /\.(tsx?|mjs|js)$/;
/** Fixtures are written the way users write, or broken on purpose; declarations describe what others wrote. */
const NOT_OURS = /^test\/fixtures\/|\.d\.ts$/;

/**
 * @param {string} root
 * @returns {Source[]}
 */
export function readSources(root) {
  return FOLDERS.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .filter((path) => CODE.test(path) && !NOT_OURS.test(path))
    .map((path) => parseSource(path, readFileSync(join(root, path), "utf8")));
}

/**
 * @param {string} path
 * @param {string} text
 * @returns {Source}
 */
function parseSource(path, text) {
  const { program, module, comments, errors } = parseSync(path, text, { sourceType: "module" });
  return { path, text, program, module, comments, errors };
}

/**
 * Every node of the file, in no particular order.
 * @param {Source} source
 * @returns {Generator<Node>}
 */
export function* nodesOf(source) {
  /** @type {unknown[]} */
  const open = [source.program];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) continue;
    if ("type" in value) yield /** @type {Node} */ (value);
    open.push(...Object.values(value));
  }
}

/**
 * @param {Source} source
 * @param {number} offset
 */
export function lineAt(source, offset) {
  return source.text.slice(0, offset).split("\n").length;
}

/**
 * @param {Source} source
 * @param {{ readonly start: number }} place
 * @param {string} text
 * @returns {Problem}
 */
export function problemAt(source, place, text) {
  return { path: source.path, line: lineAt(source, place.start), text };
}
