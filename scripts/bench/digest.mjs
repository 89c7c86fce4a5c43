// `ps` of 500 agents at rest, of 10,000 events each: the second time beside a full read of their logs, and what that is with the
// command around it.

import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { figure, load, median, report, round, temporaryFolder } from "./bench.mjs";
import { writeWorkedLog } from "./worked-log.mjs";

const AGENTS = 500;
const EVENTS = 10_000;
const TURNS = 5;

const { createFileReader } = await load("src/storage/files/reader/reader.js");
const { storedStanding, storedStatus } = await load("src/legion/status.js");
const { createBranch } = await load("src/past/fold.js");

// The person of this measure: what nobody signed is somebody else's, and nothing of that is kept.
process.env["XDG_CONFIG_HOME"] = temporaryFolder();
const project = temporaryFolder();
const root = join(project, ".ai-legion");
const first = join(root, "agents/1");
await writeWorkedLog(root, "1", EVENTS);
for (let id = 2; id <= AGENTS; id++) cpSync(first, join(root, "agents", String(id)), { recursive: true });

/** As many at once as `ps` reads. @param {(id: string, reader: unknown) => Promise<unknown>} look */
async function lookAtAll(look) {
  const reader = createFileReader(project);
  const started = performance.now();
  const seen = new Map();
  const ids = await reader.known();
  const left = ids.values();
  const readOn = async () => {
    for (const id of left) seen.set(id, await look(id, reader));
  };
  await Promise.all([readOn(), readOn(), readOn(), readOn()]);
  const ms = performance.now() - started;
  return { ms, seen: JSON.stringify(ids.map((/** @type {string} */ id) => seen.get(id))) };
}

function runNode() {
  const started = performance.now();
  spawnSync(process.execPath, ["-e", "0"]);
  return performance.now() - started;
}

function runPs() {
  const started = performance.now();
  const command = fileURLToPath(new URL("../../dist/src/cli/index.js", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [command, "ps", "--json", "--dir", project], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - started;
}

const whole = await lookAtAll(async (id, reader) => (await storedStanding(id, reader, createBranch)).status);
const anew = await lookAtAll(storedStatus);
const again = [];
const commands = [];
const nodes = [];
for (let turn = 0; turn < TURNS; turn++) {
  const { ms, seen } = await lookAtAll(storedStatus);
  if (seen !== whole.seen || seen !== anew.seen) throw new Error("the answers differ");
  again.push(ms);
  commands.push(runPs());
  nodes.push(runNode());
}
rmSync(join(root, "cache"), { recursive: true });
const cold = runPs();

const share = median(again) / whole.ms;
const besideWhole = `full read ${round(whole.ms / 1_000)} s: 1/${round(1 / share, 0)}`;
report([
  figure(
    "digest",
    `status of ${AGENTS} agents of ${EVENTS} events, the second time`,
    `${round(median(again), 0)} ms`,
    {
      beside: besideWhole,
      goal: "<= 1/20",
      met: share <= 1 / 20,
    },
  ),
  figure("digest", "the first time, which makes the digests", `${round(anew.ms / 1_000)} s`, {
    beside: `full read: ${round(anew.ms / whole.ms, 2)} times`,
  }),
  figure("digest", "`legion ps`, the second time", `${round(median(commands), 0)} ms`, {
    beside: `node -e 0 ${round(median(nodes), 0)} ms: ${round(median(commands) / median(nodes))} times; without digests ${round(cold / 1_000)} s`,
    goal: "<= 3 times",
    met: median(commands) / median(nodes) <= 3,
  }),
]);
