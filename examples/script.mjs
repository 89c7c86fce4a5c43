// A legion in a program of your own: three agents survey a folder, and what they say to you is printed.
//
//   node examples/script.mjs [folder]

import { realpath } from "node:fs/promises";
import {
  createLocalEnvironment,
  displayName,
  loadConfig,
  packageDir,
  planRoster,
  startLegion,
} from "ai-legion";

const project = await realpath(process.argv[2] ?? ".");
const config = await loadConfig({ projectDir: project, env: process.env, flags: {} });

// Who takes part: here three of the default agent, `legionnaire`, with the ids 1, 2 and 3.
const { roles, limits, protectedPaths } = await planRoster(
  { kind: "count", count: 3 },
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
  // Everything that happens can be watched. Agent 0 is you: this is your mail.
  watch({ agent, kind, event }) {
    if (agent !== "0" || kind !== "event" || event.kind !== "message") return;
    console.log(`${displayName(event.message.source.id)}: ${event.message.content}`);
  },
});

await legion.control.say(["1"], "survey .");
await legion.untilIdle(new AbortController().signal);
console.log(`It took ${legion.budget.spentHere().steps} decisions.`);
await legion.stop();
