// One process of a legion in Redis, for the measures that need several: told by its parent what to do, and telling how it is.

import { setTimeout as delay } from "node:timers/promises";
import { instantModel, load, noop, plan, temporaryFolder, trivialCall, localEnvironment } from "./bench.mjs";
import { openBenchLink } from "./redis-kit.mjs";

/**
 * @typedef {object} NodeOrder
 * @property {string} url
 * @property {string} legion
 * @property {readonly string[]} agents every node of the legion could run all of them
 * @property {"busy" | "resting"} life busy: each decides again and again
 * @property {number} [leaseMs]
 * @property {boolean} [closesIdle] those that have nothing to do are closed, as in `legion start`
 */

/** How long a busy agent waits after each decision. */
const PAUSE_MS = 20;

const { startLegion } = await load("src/legion/legion.js");
const { createRedisBackend } = await load("src/storage/redis/backend.js");
/** @type {NodeOrder} */
const { url, legion: name, agents, life, leaseMs, closesIdle } = JSON.parse(process.argv[2] ?? "");
const model = instantModel((index) => (life === "busy" ? trivialCall(index) : noop()));
const link = await openBenchLink(url);
globalThis.gc?.();
const { rss: emptyBytes, heapUsed: emptyHeap } = process.memoryUsage();
const legion = await startLegion({
  project: temporaryFolder(),
  plans: await Promise.all(agents.map((id) => plan({ id, model }))),
  limits: {},
  durability: "process",
  delayMs: life === "busy" ? PAUSE_MS : 0,
  heartbeatMs: "off",
  environment: await localEnvironment(),
  settings: () => ({}),
  ...(closesIdle && { closesIdle }),
  backend: createRedisBackend({ link, legion: name, durability: "always", ...(leaseMs && { leaseMs }) }),
});
/** Decisions since the last question. */
let decisions = 0;
legion.inspector.watch((/** @type {any} */ { kind, event }) => {
  if (kind === "event" && event.kind === "decision") decisions++;
});

/** @type {Record<string, () => unknown>} */
const answers = {
  running: () => legion.agents.size,
  agents: () => [...legion.agents.keys()],
  open: () => [...legion.agents.values()].filter(({ agent }) => agent).length,
  decisions: () => decisions,
  sayAll: () => legion.control.say("all", "go"),
  sayEach: () => Promise.all(agents.map((id) => legion.control.say([id], "go"))),
  async cost() {
    for (let n = 0; n < 3; n++) {
      globalThis.gc?.();
      await delay(50);
    }
    const { user, system } = process.cpuUsage();
    const timers = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const { rss, heapUsed } = process.memoryUsage();
    return { cpuMs: (user + system) / 1_000, timers, rss, emptyBytes, heapBytes: heapUsed - emptyHeap };
  },
  async stop() {
    await legion.stop();
    await link.close();
  },
};

/** @param {{ id: number, ask: string }} question */
async function reply({ id, ask }) {
  process.send?.({ id, answer: await answers[ask]?.() });
  if (ask === "stop") process.exit(0);
}

process.on("message", (/** @type {any} */ question) => void reply(question));
process.on("disconnect", () => process.exit(1));
process.send?.({ id: 0 });
