// A step that sends a message with three receipts, beside one that sends the same without: in turn in one run, in files and in Redis.

import {
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
} from "./bench.mjs";
import { openBenchLink, startServer } from "./redis-kit.mjs";

const { indexActions } = await load("src/agent/parts/module-set.js");
const { toolsProtocol } = await load("src/model/protocol/tools.js");
const { defineAction, defineModule, ok } = await load("src/domain/authoring/module.js");
const { core } = await load("modules/core.js");
const { messaging } = await load("modules/messaging.js");
const { startLegion } = await load("src/legion/legion.js");
const { createRedisBackend } = await load("src/storage/redis/backend.js");
const { z } = await import("zod");

const CITED = 3;
const WARM_UP = 200;
const STEPS = 2_000;

const write = defineAction({
  description: "Write a file",
  parameters: { path: z.string() },
  effects: "idempotent",
  touches: (/** @type {{path: string}} */ { path }) => [{ kind: "write", path }],
  execute: (/** @type {{path: string}} */ { path }) => ok(`wrote ${path}`),
});
const actions = indexActions(
  [core, messaging, defineModule({ name: "bench", actions: { write } })],
  toolsProtocol,
);

/** The median microseconds of each kind of step. @param {object} [backend] @param {"disk" | "process"} [durability] */
async function run(backend, durability = "process") {
  /** @type {{ without: number[], with: number[] }} */
  const times = { without: [], with: [] };
  let last = 0;
  /** @type {readonly string[]} */
  let receipts = [];
  const model = instantModel((index) => {
    const now = performance.now();
    if (index > CITED + WARM_UP) times[index % 2 === 0 ? "without" : "with"].push((now - last) * 1_000);
    last = now;
    if (index < CITED) return callOf(index, "write", { path: `file-${index}.ts` });
    if (index === STEPS) return noop();
    if (receipts.length === 0)
      receipts = [...legion.agents.get("1").agent.memory.conversation.proofs.results.keys()].map(
        (seq) => `#${seq}`,
      );
    const cites = index % 2 === 0 ? { receipts } : {};
    return callOf(index, "sendMessage", {
      targetAgentId: "0",
      message: `Part ${index} of the work is done.`,
      ...cites,
    });
  });
  const legion = await startLegion({
    project: temporaryFolder(),
    plans: [{ ...(await plan({ id: "1", model })), actions, protocol: toolsProtocol, receipts: "on" }],
    limits: {},
    ...{ durability, delayMs: 0, heartbeatMs: "off", environment: await localEnvironment() },
    settings: () => ({}),
    ...(backend && { backend }),
  });
  await legion.control.say(["1"], "go");
  await legion.untilIdle(new AbortController().signal);
  await legion.stop();
  return { without: median(times.without), with: median(times.with) };
}

/** @param {number} index @param {string} name @param {object} parameters */
function callOf(index, name, parameters) {
  return { calls: [{ id: `call-${index}`, name, arguments: JSON.stringify(parameters) }] };
}

const server = await startServer("always");
const link = await openBenchLink(server.url);
const places = {
  "in files, not flushed": await run(),
  "in files, flushed": await run(undefined, "disk"),
  "in Redis": await run(createRedisBackend({ link, legion: "receipts", durability: "always" })),
};
report(
  Object.entries(places).map(([place, each]) => {
    const ratio = each.with / each.without;
    return figure("receipts", `a step that sends with three receipts, ${place}`, `${round(each.with)} us`, {
      beside: `${round(each.without)} us without: ${ratio.toFixed(3)} times`,
      goal: "<= 1.1 times",
      met: ratio <= 1.1,
    });
  }),
);
