// Rules on one file by itself: sizes, signatures, constructs that we do without, names.

import { lineAt, nodesOf, problemAt } from "./source.mjs";

/** @typedef {import("./source.mjs").Source} Source */
/** @typedef {import("./source.mjs").Node} Node */
/** @typedef {import("./source.mjs").Problem} Problem */

const MAX_FILE_LINES = 300;
const MAX_ACTOR_LINES = 150;
const MAX_FUNCTION_LINES = 60;
const MAX_PARAMETERS = 4;
const BANNED_WORD = /^(managers?|helpers?|utils?|common|misc|handlers?|data|infos?)$/i;

/**
 * @param {Source} source
 * @returns {Generator<Problem>}
 */
export function* fileRule(source) {
  for (const error of source.errors) {
    yield problemAt(source, error.labels[0] ?? { start: 0 }, `cannot be parsed: ${error.message}`);
  }
  const lines = source.text.trimEnd().split("\n").length;
  const most = source.path === "src/agent/actor.ts" ? MAX_ACTOR_LINES : MAX_FILE_LINES;
  if (lines > most) {
    yield { path: source.path, line: most + 1, text: `file has ${lines} lines, more than ${most}` };
  }
}

/**
 * @param {Source} source
 * @returns {Generator<Problem>}
 */
export function* functionRule(source) {
  // A test file is one long function by nature: only its signatures count.
  const mostLines = source.path.startsWith("test/") ? Infinity : MAX_FUNCTION_LINES;
  for (const node of nodesOf(source)) {
    const parameters = parametersOf(node);
    if (!parameters) continue;
    const lines = lineAt(source, node.end) - lineAt(source, node.start) + 1;
    if (lines > mostLines) {
      yield problemAt(source, node, `function has ${lines} lines, more than ${mostLines}`);
    }
    if (parameters.length > MAX_PARAMETERS) {
      const text = `${parameters.length} parameters, more than ${MAX_PARAMETERS}: pass an object`;
      yield problemAt(source, node, text);
    }
    for (const parameter of parameters.filter(isBoolean)) {
      yield problemAt(source, parameter, "boolean parameter: use a union of words");
    }
  }
}

/**
 * What a function, a method or the type of one takes; `undefined` for all else.
 * @param {Node} node
 * @returns {readonly Node[] | undefined}
 */
function parametersOf(node) {
  if (!("params" in node) || node.type.startsWith("TSTypeParameter")) return undefined;
  return /** @type {readonly Node[]} */ (node.params);
}

/**
 * True for `a: boolean`, `a?: boolean`, `a: boolean | undefined` and `a = true`; not for a property of an object.
 * @param {Node} parameter
 * @returns {boolean}
 */
function isBoolean(parameter) {
  if (parameter.type === "AssignmentPattern") {
    const { left, right } = parameter;
    return (right.type === "Literal" && typeof right.value === "boolean") || isBoolean(left);
  }
  if (parameter.type !== "Identifier") return false;
  const annotation = parameter.typeAnnotation?.typeAnnotation;
  const parts = annotation?.type === "TSUnionType" ? annotation.types : [annotation];
  return parts.some((part) => part?.type === "TSBooleanKeyword");
}

/**
 * @param {Source} source
 * @returns {Generator<Problem>}
 */
export function* constructRule(source) {
  for (const node of nodesOf(source)) {
    const text = objectionTo(node, source);
    if (text) yield problemAt(source, node, text);
  }
}

/**
 * @param {Node} node
 * @param {Source} source
 * @returns {string | undefined}
 */
function objectionTo(node, source) {
  if (node.type === "TSAnyKeyword") return "`any`: use `unknown` and check, or say the type";
  if (node.type === "TSAsExpression" && node.expression.type === "TSAsExpression") {
    return "cast of a cast: check the value, or say the type where it comes from";
  }
  if (node.type === "ClassDeclaration" || node.type === "ClassExpression") {
    const parent = node.superClass?.type === "Identifier" ? node.superClass.name : "";
    return parent.endsWith("Error") ? undefined : "class: use plain data and functions";
  }
  if (node.type === "CallExpression" && /^src\/(?!cli\/index\.ts)/.test(source.path)) {
    const callee = source.text.slice(node.callee.start, node.callee.end);
    return callee === "process.exit" ? "process.exit: only src/cli/index.ts ends the process" : undefined;
  }
  return undefined;
}

/**
 * @param {Source} source
 * @returns {Generator<Problem>}
 */
export function* exportRule(source) {
  for (const entry of source.module.staticExports.flatMap((statement) => statement.entries)) {
    const { kind, name } = entry.exportName;
    if (kind === "Default" || name === "default") {
      yield problemAt(source, entry, "default export: give it a name");
    }
    if (entry.moduleRequest && !["src/index.ts", "src/testing.ts"].includes(source.path)) {
      yield problemAt(source, entry, "re-export: import it from where it is; only src/index.ts re-exports");
    }
  }
}

/**
 * @param {Source} source
 * @returns {Generator<Problem>}
 */
export function* nameRule(source) {
  const exported = source.module.staticExports.flatMap((statement) => statement.entries);
  const names = [
    ...source.path.split("/").map((name) => ({ name, start: 0 })),
    ...exported.map(({ exportName }) => ({ name: exportName.name ?? "", start: exportName.start ?? 0 })),
  ];
  for (const { name, start } of names) {
    for (const word of wordsOf(name).filter((word) => BANNED_WORD.test(word))) {
      yield problemAt(source, { start }, `"${word}" in the name ${name}: say what it is or does`);
    }
  }
}

/** @param {string} name in any case: `log-file.ts`, `logFile`, `LOG_FILE`, `HTMLFile` */
function wordsOf(name) {
  return name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
}
