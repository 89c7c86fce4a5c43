// What one decision asks of Redis: an agent takes in one message, decides, does one action that sends one message, and
// decides that nothing is left to do. Counted at the link, by the name of the script.

import {
  figure,
  instantModel,
  load,
  noop,
  plan,
  report,
  round,
  temporaryFolder,
  localEnvironment,
} from "./bench.mjs";
import { openBenchLink, startServer } from "./redis-kit.mjs";

const { startLegion } = await load("src/legion/legion.js");
const { createRedisBackend } = await load("src/storage/redis/backend.js");
const { indexActions } = await load("src/agent/parts/module-set.js");
const { toolsProtocol } = await load("src/model/protocol/tools.js");
const { core } = await load("modules/core.js");
const { messaging } = await load("modules/messaging.js");

const MESSAGES = 50;
/** What goes on in any case, however much agents decide. */
const BACKGROUND = new Set(["renew", "attend", "agents", "ZRANGE", "EXISTS", "release", "leave"]);

/** @type {string[]} */
const asked = [];
/** Counts what is asked. @param {any} link */
function counted(link) {
  return {
    ...link,
    get standing() {
      return link.standing;
    },
    run(/** @type {{ name: string }} */ script, /** @type {unknown[]} */ ...rest) {
      asked.push(script.name);
      return link.run(script, ...rest);
    },
    command(/** @type {string} */ name, /** @type {unknown[]} */ ...rest) {
      asked.push(name);
      return link.command(name, ...rest);
    },
  };
}

const server = await startServer("always");
const link = await openBenchLink(server.url);
const model = instantModel((index) => (index % 2 === 0 ? answer : noop()));
const answer = {
  calls: [{ id: "c", name: "sendMessage", arguments: '{"targetAgentId":"0","message":"done"}' }],
};
const agent = {
  ...(await plan({ id: "1", model })),
  actions: indexActions([core, messaging], toolsProtocol),
};
const legion = await startLegion({
  project: temporaryFolder(),
  plans: [agent],
  limits: {},
  durability: "process",
  delayMs: 0,
  heartbeatMs: "off",
  environment: await localEnvironment(),
  settings: () => ({}),
  backend: createRedisBackend({ link: counted(link), legion: "trips", durability: "always" }),
});
const idle = () => legion.untilIdle(new AbortController().signal);
await legion.control.say(["1"], "first");
await idle();
asked.length = 0;
for (let n = 0; n < MESSAGES; n++) {
  await legion.control.say(["1"], `message ${n}`);
  await idle();
}
await legion.stop();
await link.close();
await server.stop();
/** @type {Map<string, number>} */
const counts = new Map();
for (const name of asked) counts.set(name, (counts.get(name) ?? 0) + 1);
const shown = [...counts]
  .sort((a, b) => b[1] - a[1])
  .map(([name, count]) => ({ name, each: count / MESSAGES }));
const own = shown.filter(({ name }) => !BACKGROUND.has(name)).reduce((all, { each }) => all + each, 0);
report([
  figure("R", "asked of Redis for a message, two decisions, an action and a message", round(own)),
  ...shown.map(({ name, each }) => figure("R", `  ${name}`, round(each, 2))),
]);
