// A call of an MCP server's tool, as the action that an agent has of it, beside the bare call of the protocol's own library over stdio.
// They take turns in the work of one agent: a server that is called again at once answers sooner than one that has rested since.

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { figure, load, median, report, round } from "../bench.mjs";
import { openOutside, SERVER, serverFiles } from "./outside.mjs";

const CALLS = 2_000;
const WARM = 200;

const { defineAction, defineModule, ok } = await load("src/domain/authoring/module.js");
const { mcp } = await load("modules/mcp/index.js");
const { z } = await import("zod");
/** @type {{bare: number[], action: number[], stage: number[]}} */
const times = { bare: [], action: [], stage: [] };

/** @param {number[]} into @param {() => Promise<unknown>} work */
async function timed(into, work) {
  const started = performance.now();
  const result = await work();
  into.push(performance.now() - started);
  return result;
}

const client = new Client({ name: "bench", version: "1" });
await client.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER] }));
const touchBare = defineAction({
  description: "Touches something by the library alone",
  parameters: { n: z.string() },
  execute: async (/** @type {{n: string}} */ given) => {
    await timed(times.bare, () => client.callTool({ name: "touch0", arguments: given }));
    return ok("touched");
  },
});
const bare = defineModule({ name: "bare", actions: { touchBare } });
/** Our own module, with a watch at its actions. */
const watched = {
  ...mcp,
  offers: {
    ...mcp.offers,
    actions: (/** @type {unknown} */ offer) =>
      Object.fromEntries(
        Object.entries(mcp.offers.actions(offer)).map(([name, action]) => [
          name,
          {
            ...action,
            execute: (/** @type {unknown} */ given, /** @type {unknown} */ host) =>
              timed(times.action, () => action.execute(given, host)),
          },
        ]),
      ),
  },
};

// A request without tools is for a summary.
const { legion, agent } = await openOutside(
  serverFiles({ bench: [] }),
  ({ tools }, index) => {
    if (tools.length === 0 || times.action.length === CALLS) return "Done.";
    const action = index % 2 === 0 ? "touchBare" : "bench__touch0";
    return { calls: [{ action, parameters: { n: String(index) } }] };
  },
  ["core", watched, bare],
);
let began = 0;
legion.runtime.inspector.watch((/** @type {any} */ { kind, phase, action }) => {
  if (kind !== "live:call" || action !== "bench__touch0") return;
  if (phase === "running") began = performance.now();
  if (phase === "ended") times.stage.push(performance.now() - began);
});
await agent.prompt("Touch.");
await legion.stop();
await client.close();

const [one = 0, other = 0, stage = 0] = [times.bare, times.action, times.stage].map(
  (of) => median(of.slice(WARM)) * 1_000,
);
report([
  figure("15", "action of an MCP server's tool, p50", `${round(other, 0)} us`, {
    beside: `the library alone ${round(one, 0)} us: ${round(other / one, 2)}`,
    goal: "<= 1.3",
    met: other / one <= 1.3,
  }),
  figure("15", "the same, from where it may run to its result", `${round(stage, 0)} us`),
]);
