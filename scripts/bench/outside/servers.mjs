// Ten MCP servers, each slower than the one before, beside the slowest of them alone: until an agent's first prompt has their tools.

import { byTurns, figure, report, round } from "../bench.mjs";
import { openOutside, serverFiles } from "./outside.mjs";

const TURNS = 3;
/** As one is that has to be fetched first. */
const SLOWEST_MS = 3_000;
/** @type {[string, number[]][]} */
const ALL = Array.from({ length: 10 }, (_, n) => [`s${n}`, [((n + 1) * SLOWEST_MS) / 10, 5]]);

/** Milliseconds. @param {readonly (readonly [string, readonly number[]])[]} servers */
async function untilListed(servers) {
  let began = 0;
  let listedMs = 0;
  const { legion, agent } = await openOutside(serverFiles(Object.fromEntries(servers)), () => {
    listedMs = performance.now() - began;
    return "Done.";
  });
  began = performance.now();
  await agent.prompt("Go.");
  const tools = legion.model.requests[0].tools.filter((/** @type {{name: string}} */ { name }) =>
    /__/.test(name),
  );
  if (tools.length !== 5 * servers.length) throw new Error(`${tools.length} tools`);
  await legion.stop();
  return listedMs;
}

const { one, other, ratio } = await byTurns(
  () => untilListed(ALL.slice(-1)),
  () => untilListed(ALL),
  TURNS,
);
report([
  figure("15", "tools of 10 servers", `${round(other, 0)} ms`, {
    beside: `the slowest alone ${round(one, 0)} ms: ${round(ratio, 2)}`,
    goal: "<= 1.5",
    met: ratio <= 1.5,
  }),
]);
