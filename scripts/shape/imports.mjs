// Imports point one way. This file is where the layers of the program are written down.

import { dirname, join } from "node:path/posix";
import { nodesOf, problemAt } from "./source.mjs";

/** @typedef {import("./source.mjs").Source} Source */
/** @typedef {import("./source.mjs").Problem} Problem */
/** @typedef {{ readonly start: number, readonly specifier: string, readonly loads: "now" | "later" | "never" }} Import */

/** Lowest first. A file belongs to the longest path that fits it, and may import its own layer and those below. */
const LAYERS = [
  {
    name: "plain types and contracts",
    paths: [
      "src/errors.ts",
      "src/message.ts",
      "src/event.ts",
      "src/inspection.ts",
      "src/module.ts",
      "src/network.ts",
      "src/action-spec.ts",
      "src/wording.ts",
      "src/nearest.ts",
      "src/package.ts",
      "src/duration.ts",
      "src/signals.ts",
      "src/tenure.ts",
      "src/bus/bus.ts",
      "src/log/event-log.ts",
      "src/model/model.ts",
      "src/protocol/protocol.ts",
      "src/environment/environment.ts",
    ],
  },
  {
    name: "implementations of a contract",
    paths: [
      "src/redis/",
      "src/bus/",
      "src/log/",
      "src/model/",
      "src/protocol/",
      "src/environment/",
      "src/egress/",
    ],
  },
  { name: "modules", paths: ["modules/"] },
  { name: "stages", paths: ["src/"] },
  { name: "the actor", paths: ["src/actor.ts"] },
  { name: "the supervisor", paths: ["src/supervisor.ts"] },
  {
    name: "the legion",
    paths: [
      "src/legion.ts",
      "src/hosting.ts",
      "src/node-news.ts",
      "src/enrollment.ts",
      "src/residence/",
      "src/placement/",
      "src/roster.ts",
      "src/peers.ts",
      "src/until-idle.ts",
      "src/announcements.ts",
      "src/replay/",
    ],
  },
  { name: "surfaces", paths: ["src/cli/", "src/server/"] },
  { name: "the library surface", paths: ["src/index.ts"] },
];
const AUTHORING_SURFACE = ["src/module.ts", "src/network.ts"];
const COMMAND_LINE = "src/cli/index.ts";

/**
 * @param {Source} source
 * @returns {Generator<Problem>}
 */
export function* directionRule(source) {
  if (layerOf(source.path) === -1) return;
  for (const { start, specifier } of importsOf(source)) {
    if (!specifier.startsWith(".")) continue;
    const objection = objectionTo(source.path, target(source, specifier));
    if (objection) yield problemAt(source, { start }, `imports ${specifier}: ${objection}`);
  }
}

/**
 * @param {string} from
 * @param {string} to
 * @returns {string | undefined}
 */
function objectionTo(from, to) {
  const [lower, upper] = [LAYERS[layerOf(from)], LAYERS[layerOf(to)]];
  if (!lower || !upper) return "outside of src/ and modules/";
  if (lower.name === "modules") {
    return AUTHORING_SURFACE.includes(to) || moduleOf(to) === moduleOf(from)
      ? undefined
      : `a module imports only ${AUTHORING_SURFACE.join(", ")} and libraries`;
  }
  return layerOf(to) > layerOf(from) ? `${lower.name} may not know ${upper.name}` : undefined;
}

/** @param {string} path */
function layerOf(path) {
  const fitting = LAYERS.flatMap(({ paths }) => paths).filter((prefix) => path.startsWith(prefix));
  const longest = fitting.sort((a, b) => b.length - a.length)[0] ?? "";
  return LAYERS.findIndex(({ paths }) => paths.includes(longest));
}

/**
 * `modules/web.ts` and everything in `modules/web/` are one module.
 * @param {string} path
 */
function moduleOf(path) {
  return /^modules\/[^/.]+/.exec(path)?.[0];
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
