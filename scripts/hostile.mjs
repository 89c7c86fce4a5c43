// The hostile cases among the tests: those below a `describe` that is titled `hostile: <group>`. Plain JavaScript on Node alone.

/** How many cases a whole run has at least, by group. */
export const LEAST_CASES = {
  SSRF: 37,
  "SSRF through a command's proxy": 32,
  paths: 24,
  "link races": 4,
  configurations: 27,
  sandbox: 26,
  "commands against rules": 20,
  approvals: 23,
  trust: 18,
  secrets: 15,
  "authority and taint": 12,
  pages: 6,
  skills: 33,
  definitions: 19,
  MCP: 100,
  workspaces: 20,
  "task files": 24,
  templates: 60,
  markers: 10,
  "folders of batches": 2,
  "memory files": 20,
  prompts: 12,
  dashboard: 75,
  "what agents say": 80,
  "an undo": 10,
};
const TITLE = /^hostile: (.+)$/;

/** @typedef {{ ancestorTitles: string[], status: string }} Result one test in the JSON report of vitest */
/** @typedef {{ group: string, blocked: number, failed: number, skipped: number }} Group */

/**
 * Those of `LEAST_CASES` in their order, then any others.
 * @param {Result[]} results
 * @returns {Group[]}
 */
export function groupsIn(results) {
  const groups = new Map(Object.keys(LEAST_CASES).map((group) => [group, noneOf(group)]));
  for (const { ancestorTitles, status } of results) {
    const name = ancestorTitles.map((title) => TITLE.exec(title)?.[1]).find(Boolean);
    if (!name) continue;
    const group = groups.get(name) ?? noneOf(name);
    groups.set(name, group);
    if (status === "passed") group.blocked++;
    else if (status === "failed") group.failed++;
    else group.skipped++;
  }
  return [...groups.values()];
}

/** @param {string} group */
function noneOf(group) {
  return { group, blocked: 0, failed: 0, skipped: 0 };
}

/** @param {Group} group */
export function casesOf({ blocked, failed, skipped }) {
  return blocked + failed + skipped;
}

/**
 * What is wrong with `groups` of a whole run, a sentence each. In CI (`CI=true`) a skipped case is none: there nobody would
 * notice.
 * @param {Group[]} groups
 */
export function lacksOf(groups) {
  return groups.flatMap((group) => {
    const least = Object.entries(LEAST_CASES).find(([name]) => name === group.group)?.[1];
    if (least === undefined) return [`hostile: ${group.group} is no group of scripts/hostile.mjs.`];
    const cases = casesOf(group) - (process.env.CI === "true" ? group.skipped : 0);
    return cases < least ? [`hostile: ${group.group} has ${cases} cases of at least ${least}.`] : [];
  });
}

/**
 * A table of the groups that have a case; nothing if none has.
 * @param {Group[]} groups
 */
export function tableOf(groups) {
  const present = groups.filter((group) => casesOf(group) > 0);
  if (present.length === 0) return "";
  /** @param {(group: Group) => number} count */
  const sum = (count) => present.reduce((total, group) => total + count(group), 0);
  const all = {
    group: "all",
    blocked: sum(({ blocked }) => blocked),
    failed: sum(({ failed }) => failed),
    skipped: sum(({ skipped }) => skipped),
  };
  const width = Math.max(...present.map(({ group }) => group.length), "hostile".length) + 2;
  const head = `${"hostile".padEnd(width)} cases blocked`;
  return [head, ...[...present, all].map((group) => lineOf(group, width))].join("\n");
}

/**
 * @param {Group} group
 * @param {number} width
 */
function lineOf(group, width) {
  const { failed, skipped, blocked } = group;
  const counts = `${String(casesOf(group)).padStart(6)} ${String(blocked).padStart(7)}`;
  const rest = [failed && `${failed} failed`, skipped && `${skipped} skipped`].filter(Boolean);
  return [group.group.padEnd(width) + counts, ...rest].join(", ");
}
