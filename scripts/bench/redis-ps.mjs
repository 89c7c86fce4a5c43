// How a thousand agents in Redis stand that nobody runs: what `ps` of a machine that never looked at them costs, and the next one.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { figure, load, median, report, round, temporaryFolder } from "./bench.mjs";
import { openBenchLink, startServer, takeAgents } from "./redis-kit.mjs";
import { workedStep } from "./worked-log.mjs";

const { openRedisLog } = await load("src/storage/redis/log/log.js");

const AGENTS = 1_000;
const AT_ONCE = 50;
const TURNS = 5;
const agents = Array.from({ length: AGENTS }, (_, index) => String(index + 1));
const server = await startServer("off");
const link = await openBenchLink(server.url);

/** Gives each agent a log of so many events, and a few more; nobody runs them. @param {string} legion @param {number} events */
async function fill(legion, events) {
  const leases = await takeAgents(link, legion, agents);
  const steps = Array.from({ length: Math.ceil(events / 3) }, (_, index) => workedStep(index))
    .flat()
    .filter(({ kind }) => kind !== "message");
  const left = agents.values();
  const fillOn = async () => {
    for (const agent of left) {
      const tenure = leases.held(agent);
      const log = await openRedisLog({ link, legion, agent, tenure, now: Date.now }, () => 0);
      for (let from = 0; from < steps.length; from += 300) await log.append(steps.slice(from, from + 300));
      await log.close();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fillOn));
  await leases.close();
}

/** From a folder of its own: a machine that may have looked before. @param {string} legion @param {string} project */
function runPs(legion, project) {
  const command = fileURLToPath(new URL("../../dist/src/cli/index.js", import.meta.url));
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [command, "ps", "--json", "--dir", project, "--bus", server.url],
    { encoding: "utf8", env: { ...process.env, LEGION_NAME: legion }, maxBuffer: 64 * 1_048_576 },
  );
  if (status !== 0 || stdout.trim().split("\n").length !== AGENTS)
    throw new Error(stderr || "not all of them");
  return performance.now() - started;
}

function runNode() {
  const started = performance.now();
  spawnSync(process.execPath, ["-e", "0"]);
  return performance.now() - started;
}

const figures = [];
for (const events of [50, 1_000]) {
  const legion = `ps-${events}`;
  await fill(legion, events);
  const nobody = runPs(legion, temporaryFolder());
  const strangers = Array.from({ length: TURNS }, () => runPs(legion, temporaryFolder()));
  const project = temporaryFolder();
  runPs(legion, project);
  const again = Array.from({ length: TURNS }, () => runPs(legion, project));
  const nodes = Array.from({ length: TURNS }, runNode);
  const what = `Redis, \`legion ps\`, ${AGENTS} agents of ${events} events`;
  const first = median(strangers);
  figures.push(
    figure("19", `${what}: the first of a machine`, `${round(first / 1_000, 2)} s`, {
      beside: `when nobody had looked ${round(nobody / 1_000, 2)} s`,
      goal: "<= 1 s",
      met: first <= 1_000,
    }),
    figure("19", `${what}: the next`, `${round(median(again) / 1_000, 2)} s`, {
      beside: `node -e 0 ${round(median(nodes), 0)} ms`,
    }),
  );
}
await link.close();
await server.stop();
report(figures);
