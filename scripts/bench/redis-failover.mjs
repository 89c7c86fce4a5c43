// How long agents of a node that is gone do nothing: from its end, and from its last event, to their first decision
// elsewhere. Agents decide all the time; what is in their logs is read from Redis.

import { setTimeout as delay } from "node:timers/promises";
import { figure, load, quantile, report, round } from "./bench.mjs";
import { connectRaw, startServer } from "./redis-kit.mjs";
import { startNode, sum, until } from "./redis-nodes.mjs";

const { agentKeys } = await load("src/storage/redis/scripts/keys.js");

const NODES = 3;
const agents = Array.from({ length: 9 }, (_, index) => String(index + 1));
const server = await startServer("always");
const redis = connectRaw(server);

/** @param {[string, string[]]} entry */
function toEvent([, fields]) {
  const { at, kind } = JSON.parse(fields[fields.indexOf("e") + 1] ?? "{}");
  return { kind, atMs: Date.parse(at), epoch: Number(fields[fields.indexOf("p") + 1]) };
}

/** More than an agent writes between two looks. */
const TAIL = 200;

/** The newest events of an agent, newest first. @param {string} legion @param {string} agent */
async function tailOf(legion, agent) {
  const entries = await redis.xrevrange(agentKeys(legion, agent).log, "+", "-", "COUNT", TAIL);
  return entries.map(toEvent);
}

/**
 * When `agent` did its last act in `epoch`, and when it first decided in a later one.
 * @param {string} legion @param {string} agent @param {number} epoch
 */
async function passage(legion, agent, epoch) {
  let lastMs = 0;
  let firstMs = 0;
  await until(async () => {
    const tail = await tailOf(legion, agent);
    lastMs = tail.find((event) => event.epoch === epoch)?.atMs ?? lastMs;
    firstMs = tail.findLast((event) => event.epoch > epoch && event.kind === "decision")?.atMs ?? 0;
    return firstMs > 0;
  });
  return { lastMs, firstMs };
}

/** @param {{ end: "kill" | "stop", leaseMs: number, rounds: number }} course */
async function measure({ end, leaseMs, rounds }) {
  const legion = `${end}-${leaseMs}`;
  const order = { url: server.url, legion, agents, life: /** @type {const} */ ("busy"), leaseMs };
  let nodes = await Promise.all(Array.from({ length: NODES }, () => startNode(order)));
  await until(async () => (await sum(nodes, "running")) === agents.length);
  await nodes[0]?.ask("sayEach");
  const share = agents.length / NODES;
  const fromEnd = [];
  const fromLast = [];
  for (let n = 0; n < rounds; n++) {
    await until(async () =>
      (await Promise.all(nodes.map((node) => node.ask("running")))).every((count) => count === share),
    );
    // The end comes at any moment of a lease.
    await delay(1_000 + Math.random() * 3_000);
    const [victim, ...others] = nodes;
    /** @type {string[]} */
    const orphans = (await victim?.ask("agents")) ?? [];
    const epochs = await Promise.all(
      orphans.map(async (agent) => (await tailOf(legion, agent))[0]?.epoch ?? 0),
    );
    const endMs = Date.now();
    const ended = end === "kill" ? victim?.kill() : victim?.ask("stop");
    const passages = await Promise.all(
      orphans.map((agent, index) => passage(legion, agent, epochs[index] ?? 0)),
    );
    await ended;
    for (const { lastMs, firstMs } of passages) {
      fromEnd.push(firstMs - endMs);
      fromLast.push(firstMs - lastMs);
    }
    nodes = [...others, await startNode(order)];
  }
  await Promise.all(nodes.map((node) => node.ask("stop")));
  return { fromEnd, fromLast };
}

/** @param {readonly number[]} times */
const shown = (times) =>
  `p50 ${round(quantile(times, 0.5) / 1_000, 2)} s, p95 ${round(quantile(times, 0.95) / 1_000, 2)} s, most ${round(Math.max(...times) / 1_000, 2)} s`;

/** @type {readonly { end: "kill" | "stop", leaseMs: number, rounds: number, goalMs?: number }[]} */
const COURSES = [
  { end: "kill", leaseMs: 10_000, rounds: 8, goalMs: 11_000 },
  { end: "kill", leaseMs: 1_000, rounds: 8 },
  { end: "stop", leaseMs: 10_000, rounds: 8, goalMs: 2_000 },
];

const figures = [];
for (const course of COURSES) {
  const { end, leaseMs, rounds, goalMs } = course;
  const { fromEnd, fromLast } = await measure(course);
  const what = end === "kill" ? "SIGKILL" : "a clean stop";
  figures.push(
    figure("F", `lease ${leaseMs / 1_000} s: ${what} of a node -> decision elsewhere`, shown(fromEnd), {
      beside: `${rounds} rounds, ${fromEnd.length} agents`,
      ...(goalMs && { goal: `p95 <= ${goalMs / 1_000} s`, met: quantile(fromEnd, 0.95) <= goalMs }),
    }),
    figure("F", `lease ${leaseMs / 1_000} s: last event of the node -> decision elsewhere`, shown(fromLast)),
  );
}
await server.stop();
report(figures);
