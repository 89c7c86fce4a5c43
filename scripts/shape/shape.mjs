// The shape of the house: every rule, over every file.

import { circleRule, directionRule, startUpRule } from "./imports.mjs";
import { invariantRule } from "./invariants.mjs";
import { readSources } from "./source.mjs";
import { typeNameRule } from "./type-names.mjs";
import { constructRule, exportRule, fileRule, functionRule, nameRule } from "./syntax.mjs";

const FILE_RULES = [fileRule, functionRule, constructRule, exportRule, nameRule, directionRule];
const HOUSE_RULES = [startUpRule, circleRule, typeNameRule, invariantRule];

/**
 * @param {string} root the repository
 * @returns {import("./source.mjs").Problem[]} by file and line; empty is good
 */
export function checkShape(root) {
  const sources = readSources(root);
  const problems = [
    ...sources.flatMap((source) => FILE_RULES.flatMap((rule) => [...rule(source)])),
    ...HOUSE_RULES.flatMap((rule) => [...rule(sources)]),
  ];
  return problems.sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
}
