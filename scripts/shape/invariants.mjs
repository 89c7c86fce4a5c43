// A numbered invariant is a promise. Each one is kept by a test that names it.

import { nodesOf, problemAt } from "./source.mjs";

/** @typedef {import("./source.mjs").Source} Source */
/** @typedef {import("./source.mjs").Node} Node */
/** @typedef {import("./source.mjs").Problem} Problem */

/** A comment line that opens with the number: `//   A1. Only the actor...` or ` *   B1. ...`. */
const INVARIANT = /^[\s*]*([A-Z]\d+)\.\s/gm;
const TAG = /\b[A-Z]\d+\b/g;

/**
 * @param {readonly Source[]} sources
 * @returns {Generator<Problem>}
 */
export function* invariantRule(sources) {
  const tests = sources.filter(({ path }) => path.startsWith("test/"));
  const tested = new Set(tests.flatMap((source) => [...tagsOf(source)]));
  /** @type {Map<string, string>} */
  const owners = new Map();
  for (const source of sources.filter(({ path }) => /^(src|modules)\//.test(path))) {
    for (const { tag, start } of invariantsOf(source)) {
      const owner = owners.get(tag) ?? source.path;
      owners.set(tag, owner);
      if (owner !== source.path) {
        yield problemAt(source, { start }, `${tag} is an invariant of ${owner} already`);
      } else if (!tested.has(tag)) {
        yield problemAt(source, { start }, `no test title names invariant ${tag}`);
      }
    }
  }
}

/** @param {Source} source */
function* invariantsOf(source) {
  for (const comment of source.comments) {
    for (const match of comment.value.matchAll(INVARIANT)) {
      // The two characters that open the comment are no part of its value.
      yield { tag: match[1] ?? "", start: comment.start + 2 + match.index + match[0].length - 1 };
    }
  }
}

/**
 * The tags in the titles of the tests that run.
 * @param {Source} source
 */
function* tagsOf(source) {
  for (const node of nodesOf(source)) {
    if (node.type !== "CallExpression" || !isTest(node.callee)) continue;
    const title = node.arguments[0];
    if (title?.type === "Literal" || title?.type === "TemplateLiteral") {
      yield* source.text.slice(title.start, title.end).match(TAG) ?? [];
    }
  }
}

/**
 * True for `it`, `test` and `describe`, also as `it.each(table)`; not for `it.skip` and `it.todo`.
 * @param {Node} callee
 * @returns {boolean}
 */
function isTest(callee) {
  if (callee.type === "Identifier") return ["it", "test", "describe"].includes(callee.name);
  if (callee.type === "CallExpression") return isTest(callee.callee);
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return false;
  return !["skip", "todo"].includes(callee.property.name) && isTest(callee.object);
}
