// What it costs a node in Redis that its page is served, and others may watch its agents, while nobody does; beside a node without any of
// that. By turns, with agents that are always at work; Redis keeps nothing, so that nothing waits for a disk.

import { setTimeout as delay } from "node:timers/promises";
import {
  byTurns,
  figure,
  instantModel,
  load,
  localEnvironment,
  median,
  noop,
  plan,
  report,
  round,
  temporaryFolder,
  timed,
  trivialCall,
} from "./bench.mjs";
import { openBenchLink, startServer } from "./redis-kit.mjs";

const AGENTS = 50;
const TURNS = 25;
const TURN_MS = 2_000;

const { startLegion } = await load("src/legion/legion.js");
const { createRedisBackend } = await load("src/storage/redis/backend.js");
const { serveLegion } = await load("src/control/serve-legion.js");
const { watchLegion } = await load("src/control/reading/watched.js");
const { serveDashboard } = await load("src/control/web/server.js");
const { legionPaths } = await load("src/storage/folder/paths.js");

const server = await startServer("off");
const ids = Array.from({ length: AGENTS }, (_, index) => String(index + 1));

/** @param {string} name */
async function busyNode(name) {
  const link = await openBenchLink(server.url);
  const project = temporaryFolder();
  const own = { steps: 0, isOver: true };
  /** @type {number[]} */
  const cpus = [];
  const model = instantModel((index) => (own.steps++, own.isOver ? noop() : trivialCall(index)), 200_000);
  const backend = createRedisBackend({ link, legion: name, durability: "always" });
  const legion = await startLegion({
    ...{ project, plans: await Promise.all(ids.map((id) => plan({ id, model }))), limits: {} },
    ...{ durability: "process", delayMs: 0, heartbeatMs: "off", settings: () => ({}), backend },
    environment: await localEnvironment(),
  });
  return {
    legion,
    /** The processor time of a step, in microseconds. */
    cpu: () => median(cpus),
    /** As `legion start --dashboard` does it. */
    async serve() {
      const site = { project, backend, config: { durability: "process" } };
      const { watched } = await serveLegion({ legion, backend }, legionPaths(project).socket, {
        onStop: () => undefined,
        watch: (/** @type {unknown} */ node) => watchLegion(site, 1_000, { own: node }),
      });
      await serveDashboard(watched, { port: 0, hosts: [], access: "all" });
    },
    /** How long a step takes, in microseconds. */
    async turn() {
      own.isOver = false;
      await legion.control.say(ids, "go");
      await delay(TURN_MS / 4);
      const before = own.steps;
      const { wallMs, cpuMs } = await timed(() => delay(TURN_MS));
      const steps = own.steps - before;
      cpus.push((cpuMs * 1_000) / steps);
      own.isOver = true;
      await legion.untilIdle(new AbortController().signal);
      return (wallMs * 1_000) / steps;
    },
  };
}

const off = await busyNode("off");
const on = await busyNode("on");
await on.serve();
const { one, other, ratio } = await byTurns(off.turn, on.turn, TURNS);
report([
  figure("18", `${AGENTS} agents in Redis, steps a second, page served, unwatched`, round(1e6 / other, 0), {
    beside: `without ${round(1e6 / one, 0)}: ${round(1 / ratio, 3)}; processor time of a step ${round(on.cpu(), 0)} us, without ${round(off.cpu(), 0)}: ${round(off.cpu() / on.cpu(), 3)}`,
    goal: ">= 0.99",
    met: 1 / ratio >= 0.99,
  }),
]);
