// What a thousand agents of one node in Redis hold of its memory, each used once and at rest: all open, and closed as in `legion start`.

import { figure, report, round } from "./bench.mjs";
import { startServer } from "./redis-kit.mjs";
import { startNode, until } from "./redis-nodes.mjs";

const AGENTS = 1_000;
const KEPT_OPEN = 64;
const agents = Array.from({ length: AGENTS }, (_, index) => String(index + 1));
const server = await startServer("off");

/** The heap of each agent above an empty node, and the seconds until as few are open as shall be. @param {boolean} closesIdle */
async function measure(closesIdle) {
  const legion = closesIdle ? "closed" : "open";
  const node = await startNode({ url: server.url, legion, agents, life: "resting", closesIdle });
  await until(async () => (await node.ask("running")) === AGENTS);
  await node.ask("sayAll");
  await until(async () => (await node.ask("decisions")) >= AGENTS);
  const rested = performance.now();
  if (closesIdle) await until(async () => (await node.ask("open")) <= KEPT_OPEN);
  const closedMs = performance.now() - rested;
  const { heapBytes, rss, emptyBytes } = await node.ask("cost");
  await node.ask("stop");
  return { kilobytes: heapBytes / AGENTS / 1_024, rssMb: (rss - emptyBytes) / 1_048_576, closedMs };
}

const open = await measure(false);
const closed = await measure(true);
await server.stop();
report([
  figure("19", `Redis, ${AGENTS} agents of a node at rest: held of each`, `${round(closed.kilobytes)} KB`, {
    beside: `all open ${round(open.kilobytes)} KB; above an empty node ${round(closed.rssMb, 0)} and ${round(open.rssMb, 0)} MB`,
    goal: "<= 40 KB",
    met: closed.kilobytes <= 40,
  }),
  figure(
    "19",
    "Redis, the same: from the last decision until all but 64 are closed",
    `${round(closed.closedMs / 1_000)} s`,
  ),
]);
