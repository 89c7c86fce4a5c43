// Imports point one way. This file is where the rooms of the house are written down.

import { dirname, join } from "node:path/posix";
import { nodesOf, problemAt } from "./source.mjs";

/** @typedef {import("./source.mjs").Source} Source */
/** @typedef {import("./source.mjs").Problem} Problem */
/** @typedef {{ readonly start: number, readonly specifier: string, readonly loads: "now" | "later" | "never" }} Import */

/**
 * The rooms of src/, from the ground up. A file imports its own room and those of the lines before; rooms of one line do
 * not know each other. A name is a folder or a file.
 */
const ROOMS = [
  ["base"],
  ["domain"],
  ["environment"],
  ["model"],
  ["past"],
  ["mail"],
  ["storage", "agent", "modules"],
  ["config"],
  ["legion"],
  ["control"],
  ["cli", "library"],
  ["index", "testing"],
];
/** The same inside of the rooms that have an order of their own. */
const INNER_ROOMS = {
  storage: [["folder"], ["contract"], ["search"], ["files", "redis", "memory"], ["archive"], ["open"]],
  agent: [
    ["parts"],
    ["think"],
    ["act"],
    ["park", "recovery", "take-in", "until-beat"],
    ["startup"],
    ["actor"],
  ],
  cli: [
    ["kit"],
    ["console"],
    ["consent"],
    ["look", "doctor"],
    ["talk", "steer", "run", "memory"],
    ["commands"],
    ["index"],
  ],
};
/** What the page takes with it to the browser; of all the rest it knows the types. */
const FOR_THE_BROWSER = ["src/base/text/", "src/domain/"];
/** All of it is what a module is written with. */
const AUTHORING_SURFACE = "src/domain/authoring/";
const COMMAND_LINE = "src/cli/index.ts";

/**
 * @param {Source} source
 * @returns {Generator<Problem>}
 */
export function* directionRule(source) {
  if (!/^(src|modules|page)\//.test(source.path)) return;
  for (const { start, specifier, loads } of importsOf(source)) {
    if (!specifier.startsWith(".")) continue;
    const to = target(source, specifier);
    const objection = source.path.startsWith("modules/")
      ? objectionInModule(source.path, to)
      : source.path.startsWith("page/")
        ? objectionInPage(to, loads)
        : objectionInHouse(source.path, to);
    if (objection) yield problemAt(source, { start }, `imports ${specifier}: ${objection}`);
  }
}

/**
 * @param {string} from
 * @param {string} to
 * @returns {string | undefined}
 */
function objectionInModule(from, to) {
  return to.startsWith(AUTHORING_SURFACE) || moduleOf(to) === moduleOf(from)
    ? undefined
    : `a module imports only ${AUTHORING_SURFACE} and libraries`;
}

/**
 * @param {string} to
 * @param {Import["loads"]} loads
 * @returns {string | undefined}
 */
function objectionInPage(to, loads) {
  if (to.startsWith("page/") || FOR_THE_BROWSER.some((room) => to.startsWith(room))) return undefined;
  if (!to.startsWith("src/")) return "outside of page/ and src/";
  return loads === "never" ? undefined : "a browser has no use for it: use `import type`";
}

/**
 * @param {string} from
 * @param {string} to
 * @returns {string | undefined}
 */
function objectionInHouse(from, to) {
  const [above, aboveInner] = roomsOf(from);
  const [below, belowInner] = roomsOf(to);
  if (!ROOMS.flat().includes(above)) return `${above} is no room of the house`;
  if (!/^(src|modules)\//.test(to)) return "outside of src/ and modules/";
  if (above !== below) return isBelow(ROOMS, below, above) ? undefined : `${above} may not know ${below}`;
  const inner = INNER_ROOMS[/** @type {keyof typeof INNER_ROOMS} */ (above)];
  if (!inner || aboveInner === belowInner || isBelow(inner, belowInner, aboveInner)) return undefined;
  return `${above}/${aboveInner} may not know ${below}/${belowInner}`;
}

/**
 * @param {readonly (readonly string[])[]} rooms
 * @param {string} lower
 * @param {string} upper
 */
function isBelow(rooms, lower, upper) {
  const [low, high] = [lower, upper].map((name) => rooms.findIndex((line) => line.includes(name)));
  return low !== -1 && Number(low) < Number(high);
}

/**
 * `src/agent/act/perform.ts` is in `agent`, and there in `act`.
 * @param {string} path
 * @returns {readonly [string, string]}
 */
function roomsOf(path) {
  if (path.startsWith("modules/")) return ["modules", ""];
  const [, room = "", inner = ""] = path.replace(/\.ts$/, "").split("/");
  return [room, inner];
}

/**
 * `modules/web.ts` and everything in `modules/web/` are one module.
 * @param {string} path
 */
function moduleOf(path) {
  return /^modules\/[^/.]+/.exec(path)?.[0];
}

/**
 * Files that need each other are one file, or one of them knows too much.
 * @param {readonly Source[]} sources
 * @returns {Generator<Problem>}
 */
export function* circleRule(sources) {
  const house = sources.filter(({ path }) => /^(src|modules)\//.test(path));
  const known = new Map(house.map((source) => [source.path, relativeImports(source)]));
  /** @type {Set<string>} */
  const done = new Set();
  for (const { path } of house) {
    const circle = findCircle(path, known, { done, way: [] }) ?? [];
    const first = house.find((source) => source.path === circle[0]);
    if (first) yield problemAt(first, { start: 0 }, `circle: ${circle.join(" -> ")}`);
    for (const member of circle) done.add(member);
  }
}

/**
 * @param {string} path
 * @param {ReadonlyMap<string, readonly string[]>} known
 * @param {{ readonly done: Set<string>, readonly way: readonly string[] }} walk
 * @returns {readonly string[] | undefined}
 */
function findCircle(path, known, { done, way }) {
  if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
  if (done.has(path)) return undefined;
  for (const next of known.get(path) ?? []) {
    const circle = findCircle(next, known, { done, way: [...way, path] });
    if (circle) return circle;
  }
  done.add(path);
  return undefined;
}

/** @param {Source} source */
function relativeImports(source) {
  return importsOf(source).flatMap(({ specifier }) =>
    specifier.startsWith(".") ? [target(source, specifier)] : [],
  );
}

/**
 * `legion --help` has to answer at once: no library is loaded before a command asks for it.
 * @param {readonly Source[]} sources
 * @returns {Generator<Problem>}
 */
export function* startUpRule(sources) {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const reached = new Set([COMMAND_LINE]);
  for (const path of reached) {
    const source = byPath.get(path);
    if (!source) continue;
    for (const { start, specifier, loads } of importsOf(source)) {
      if (loads !== "now" || specifier.startsWith("node:")) continue;
      if (specifier.startsWith(".")) reached.add(target(source, specifier));
      else yield problemAt(source, { start }, `${specifier} is loaded by every command: use await import()`);
    }
  }
}

/**
 * @param {Source} source
 * @param {string} specifier a relative one
 */
function target(source, specifier) {
  return join(dirname(source.path), specifier);
}

/**
 * @param {Source} source
 * @returns {Import[]}
 */
function importsOf(source) {
  const { staticImports, staticExports } = source.module;
  /** @type {Import[]} */
  const imports = staticImports.map(({ start, moduleRequest }) => ({
    start,
    specifier: moduleRequest.value,
    loads: /^import\s+type\s/.test(source.text.slice(start)) ? "never" : "now",
  }));
  for (const { start, moduleRequest, isType } of staticExports.flatMap(({ entries }) => entries)) {
    if (moduleRequest) {
      imports.push({ start, specifier: moduleRequest.value, loads: isType ? "never" : "now" });
    }
  }
  for (const node of nodesOf(source)) {
    if (node.type !== "ImportExpression" && node.type !== "TSImportType") continue;
    if (node.source.type !== "Literal") continue;
    const loads = node.type === "TSImportType" ? "never" : "later";
    imports.push({ start: node.start, specifier: String(node.source.value), loads });
  }
  return imports;
}
