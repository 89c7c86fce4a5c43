// What connected servers, and skills that are known, hold of a node's heap: of an agent that has them, beside one in the same project
// that has not.

import { figure, report, round } from "../bench.mjs";
import { openOutside, serverFiles, skillFiles } from "./outside.mjs";

const SERVERS = 10;
const SKILLS = 1_000;

/**
 * Megabytes of the heap while an agent rests.
 * @param {Readonly<Record<string, string>>} files @param {readonly string[]} modules of the agent
 */
async function heapWith(files, modules) {
  const { legion, agent } = await openOutside(files, undefined, modules);
  await agent.prompt("Go.");
  for (let n = 0; n < 3; n++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  await legion.stop();
  return (heapUsed + external) / 1_048_576;
}

/** @param {number} count */
const servers = (count) =>
  serverFiles(Object.fromEntries(Array.from({ length: count }, (_, n) => [`s${n}`, [0, 20]])));

/** What the module takes of it. @param {Readonly<Record<string, string>>} files @param {string} module */
async function taken(files, module) {
  const without = await heapWith(files, ["core"]);
  return (await heapWith(files, ["core", module])) - without;
}

// What is loaded with the first of each is counted beside.
await heapWith({}, ["core"]);
const first = await taken(servers(1), "mcp");
const one = await taken(servers(1), "mcp");
const connected = ((await taken(servers(1 + SERVERS), "mcp")) - one) / SERVERS;
await taken(skillFiles(1), "skills");
const known = await taken(skillFiles(SKILLS), "skills");
report([
  figure("15", "heap of a connected MCP server with 20 tools", `${round(connected, 2)} MB`, {
    beside: `the first, with the library ${round(first)} MB`,
    goal: "<= 3 MB",
    met: connected <= 3,
  }),
  figure("15", `heap of ${SKILLS} skills`, `${round(known, 2)} MB`, { goal: "<= 5 MB", met: known <= 5 }),
]);
