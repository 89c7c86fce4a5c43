// A program that is asked before its agent writes a file, and answers.
//
//   node examples/questions.mjs [folder] [yes|no]

import { realpath } from "node:fs/promises";
import { createLocalEnvironment, loadConfig, packageDir, planRoster, startLegion } from "ai-legion";

const [folder = ".", word = "yes"] = process.argv.slice(2);
const project = await realpath(folder);
const config = await loadConfig({ projectDir: project, env: process.env, flags: {} });
const { roles, limits, protectedPaths } = await planRoster(
  { kind: "count", count: 1 },
  { config, places: { projectDir: project, packageDir } },
);

const legion = await startLegion({
  project,
  plans: roles.map(({ plan }) => plan),
  limits,
  durability: config.durability,
  delayMs: config.delayMs,
  heartbeatMs: config.heartbeatMs,
  environment: createLocalEnvironment(process.env),
  settings: (module) => (module === "system" ? { protectedPaths } : {}),
  // Judges each call besides the policies: "allow", { deny: why } or { ask: why }. It may tighten them, never widen.
  gate: ({ action }) => (action === "writeFile" ? { ask: "this program wants to know of files" } : "allow"),
});

const answer = ({ id, agent, action, parameters, rule, expires }) => {
  console.log(`Agent ${agent} asks ${id}: ${action} ${parameters.path}? (${rule}; a no at ${expires})`);
  const answered = word === "yes" ? legion.approve(id) : legion.deny(id, "say it in a message instead");
  // Somebody else may have been faster: `legion approve` works here as well.
  answered.catch(({ message }) => console.log(message));
};

// A question is seen when it comes, and again, with `ended`, when it is over. It waits also while no program runs: what an
// earlier run left open comes again.
legion.inspector.watch((seen) => {
  if (seen.kind !== "question") return;
  if (seen.ended) console.log(`${seen.question.id} was ${seen.ended.verdict}.`);
  else answer(seen.question);
});

await legion.control.say(["1"], "survey .");
await legion.untilIdle(new AbortController().signal);
await legion.stop();
