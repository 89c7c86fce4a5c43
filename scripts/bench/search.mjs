// What an agent's search costs, from its decision to the prompt that shows the hits, beside ripgrep by hand in the same folder.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { root } from "../repo.mjs";
import { findRipgrep } from "../ripgrep.mjs";
import { byTurns, figure, load, report, round } from "./bench.mjs";

const TURNS = 15;
/** Some hits, and fewer than an agent is shown. */
const PATTERN = "EWOULDBLOCK\\b";
const TREES = ["/usr/include", "/usr/share/doc", `${root}/node_modules`, root].filter((path) =>
  existsSync(path),
);

const program = findRipgrep();
if (!program) throw new Error("no ripgrep here: node scripts/check.mjs brings one");
const { Legion, createScriptedModel } = await load("src/index.js");

/** @param {string} tree */
async function openSearcher(tree) {
  let began = 0;
  let tookMs = 0;
  const model = createScriptedModel(
    (/** @type {unknown} */ _, /** @type {number} */ index) => {
      if (index % 2 === 1) tookMs = performance.now() - began;
      began = performance.now();
      return index % 2 === 0
        ? { calls: [{ action: "searchText", parameters: { pattern: PATTERN } }] }
        : "Found.";
    },
    { remember: 1 },
  );
  const legion = await Legion.open({
    project: tree,
    store: "memory",
    model,
    policy: { allow: ["action *"] },
  });
  const agent = await legion.spawn({ modules: ["core", "system"], environment: "local" });
  const search = async () => {
    await agent.prompt("Search.");
    return tookMs;
  };
  return { search, stop: () => legion.stop() };
}

/** @param {string} tree */
function byHand(tree) {
  const started = performance.now();
  spawnSync(program ?? "", ["--line-number", "--regexp", PATTERN, "."], { cwd: tree });
  return performance.now() - started;
}

const figures = [];
for (const tree of TREES) {
  const { search, stop } = await openSearcher(tree);
  const { one, other, ratio } = await byTurns(() => Promise.resolve(byHand(tree)), search, TURNS);
  await stop();
  const name = tree.startsWith(root) ? `this project, ${tree.slice(root.length + 1) || "."}` : tree;
  figures.push(
    figure("", `searchText in ${name}`, `${round(other)} ms`, {
      beside: `rg by hand ${round(one)} ms: ${round(ratio, 2)}`,
      goal: "<= 1.3",
      met: ratio <= 1.3,
    }),
  );
}
report(figures);
