// A thousand agents on four nodes of this machine: until all run, what they cost while they have nothing to do, and how
// long a word to all of them takes.

import { setTimeout as delay } from "node:timers/promises";
import { figure, load, report, round } from "./bench.mjs";
import { connectRaw, openBenchLink, startServer } from "./redis-kit.mjs";
import { startNode, sum, until } from "./redis-nodes.mjs";

const { sizeOfAgent } = await load("src/storage/redis/scripts/size.js");

const NODES = 4;
const AGENTS = 1_000;
const WATCH_MS = 20_000;
const BROADCASTS = 5;
const LEGION = "scale";
const agents = Array.from({ length: AGENTS }, (_, index) => String(index + 1));
const now = () => performance.now();

const server = await startServer("always");
const redis = connectRaw(server);
const factsOf = async (/** @type {string} */ section) => {
  const text = await redis.info(section);
  return (/** @type {string} */ name) => Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(text)?.[1] ?? 0);
};
const emptyRedis = (await factsOf("memory"))("used_memory");

const started = now();
const order = { url: server.url, legion: LEGION, agents, life: /** @type {const} */ ("resting") };
const nodes = await Promise.all(Array.from({ length: NODES }, () => startNode(order)));
await until(async () => (await sum(nodes, "running")) === AGENTS);
const startMs = now() - started;
const spread = await Promise.all(nodes.map((node) => node.ask("running")));

const broadcasts = [];
for (let n = 1; n <= BROADCASTS; n++) {
  const before = await sum(nodes, "decisions");
  const said = now();
  await Promise.all([
    nodes[n % NODES]?.ask("sayAll"),
    until(async () => (await sum(nodes, "decisions")) >= before + AGENTS),
  ]);
  broadcasts.push(now() - said);
}

await delay(3_000);
const clients = String(await redis.client("LIST"))
  .trim()
  .split("\n");
const ofLegion = clients.filter((line) => line.includes("name=ai-legion"));
const [cpuBefore, statsBefore] = [await factsOf("cpu"), await factsOf("stats")];
const before = await Promise.all(nodes.map((node) => node.ask("cost")));
const watched = now();
await delay(WATCH_MS);
const seconds = (now() - watched) / 1_000;
const after = await Promise.all(nodes.map((node) => node.ask("cost")));
const [cpuAfter, statsAfter] = [await factsOf("cpu"), await factsOf("stats")];
const usedRedis = (await factsOf("memory"))("used_memory");
const link = await openBenchLink(server.url);
const sizes = await Promise.all(agents.map((agent) => sizeOfAgent({ link, legion: LEGION, agent })));
await link.close();

const cpuShare = (/** @type {number} */ ms) => `${round(ms / seconds / 10, 2)} %`;
const serverMs =
  1_000 *
  (cpuAfter("used_cpu_sys") +
    cpuAfter("used_cpu_user") -
    cpuBefore("used_cpu_sys") -
    cpuBefore("used_cpu_user"));
const commands = statsAfter("total_commands_processed") - statsBefore("total_commands_processed");
const kilobytes = (/** @type {number} */ bytes) => `${round(bytes / 1_024)} KB`;
const nodeBytes = after.reduce((all, { rss, emptyBytes }) => all + rss - emptyBytes, 0);
const blocked = ofLegion.filter((line) => / flags=\S*b/.test(line)).length;
const timers = Math.max(...after.map((cost) => cost.timers));

await Promise.all(nodes.map((node) => node.ask("stop")));
await server.stop();
report([
  figure("S", `${AGENTS} agents on ${NODES} nodes: from start until all run`, `${round(startMs / 1_000)} s`, {
    goal: "<= 10 s",
    met: startMs <= 10_000,
  }),
  figure("S", "agents of each node", spread.join(", ")),
  figure("S", "connections, those that block", `${ofLegion.length}, ${blocked}`, {
    goal: "a few per node, none",
    met: ofLegion.length <= 4 * NODES && blocked === 0,
  }),
  figure("S", "timers of a node at rest", `${timers}`, { goal: "<= 10", met: timers <= 10 }),
  figure(
    "S",
    "at rest, each node, of a core",
    after.map(({ cpuMs }, index) => cpuShare(cpuMs - before[index].cpuMs)).join(", "),
  ),
  figure("S", "at rest, redis-server, of a core", cpuShare(serverMs), {
    beside: `${round(commands / seconds, 0)} commands/s`,
  }),
  figure("S", "memory of an agent in its node", kilobytes(nodeBytes / AGENTS), {
    beside: `each node ${after.map(({ rss }) => round(rss / 1_048_576, 0)).join(", ")} MB`,
  }),
  figure(
    "S",
    `memory of an agent in Redis, after ${BROADCASTS} messages`,
    kilobytes((usedRedis - emptyRedis) / AGENTS),
    {
      beside: `its keys ${kilobytes(sizes.reduce((all, size) => all + size, 0) / AGENTS)}`,
    },
  ),
  figure(
    "S",
    "a word to all until all have decided",
    broadcasts.map((ms) => `${round(ms / 1_000, 2)} s`).join(", "),
  ),
]);
