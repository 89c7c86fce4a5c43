// `ps` of 500 agents at rest, of 10,000 events each: the second time beside a full read of their logs, and what that is with the
// command around it.

import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { figure, load, median, report, round, temporaryFolder } from "./bench.mjs";

const AGENTS = 500;
const EVENTS = 10_000;
const BATCH = 1_000;
const TURNS = 5;

const { createDisk } = await load("src/base/files/disk.js");
const { openFileLog } = await load("src/storage/files/log.js");
const { createFileReader } = await load("src/storage/files/reader/reader.js");
const { authorshipOf } = await load("src/storage/folder/person/authorship.js");
const { openPersonFolder } = await load("src/storage/folder/person/folder.js");
const { storedStanding, storedStatus } = await load("src/legion/status.js");
const { createBranch } = await load("src/past/fold.js");

// The person of this measure: what nobody signed is somebody else's, and nothing of that is kept.
process.env["XDG_CONFIG_HOME"] = temporaryFolder();
const project = temporaryFolder();
const root = join(project, ".ai-legion");
const usage = { input: 1_200, output: 60, cacheRead: 900, cost: 0.004 };

/** What an agent that works has of one step; every 50th is for a new message of the person. @param {number} index */
function step(index) {
  const id = `0>1#${index / 50 + 1}`;
  const message = {
    ...{
      id,
      type: "agentToAgent",
      source: { type: "agent", id: "0" },
      targetAgentIds: ["1"],
      root: id,
      hops: 0,
    },
    ...{ content: `Task ${index}: see to the parts.`, sentAt: new Date().toISOString(), delivery: "normal" },
  };
  const mail = { kind: "message", message, mail: index / 50 + 1, from: "log of 0" };
  const call = {
    id: `call-${index}`,
    action: "writeFile",
    parameters: { path: `src/part-${index % 97}.ts`, content: "x" },
  };
  const text = `Part ${index % 97} is next; I look at how it ends before I change anything.`;
  const details = {
    created: false,
    diff: `--- part\n+++ part\n@@ -1 +1 @@\n${"-export const value = 1;\n".repeat(4)}`,
  };
  return [
    ...(index % 50 === 0 ? [mail] : []),
    {
      kind: "prompted",
      model: "bench",
      prompt: "f".repeat(64),
      introduction: "0".repeat(64),
      reserved: usage,
    },
    {
      kind: "decision",
      text,
      calls: [call],
      protocol: "tools",
      model: "bench",
      usage,
      cost: usage.cost,
      stop: "calls",
    },
    { kind: "result", call: call.id, outcome: "ok", content: `Wrote to ${call.parameters.path}.`, details },
  ];
}

const first = join(root, "agents/1");
let now = Date.parse("2026-01-01T00:00:00.000Z");
const { log } = await openFileLog(
  {
    ...{
      folder: first,
      disk: createDisk(join(root, "tmp")),
      corruptFolder: join(root, "corrupt"),
      durability: "process",
    },
    ...{ lock: { epoch: 1, held: () => true }, clock: { now: () => (now += 500) } },
    authorship: await authorshipOf(openPersonFolder(process.env)),
  },
  () => undefined,
);
for (let index = 0; log.last < EVENTS;) {
  const events = [];
  while (events.length < Math.min(BATCH, EVENTS - log.last)) events.push(...step(index++));
  await log.append(events);
}
await log.close();
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
for (let turn = 0; turn < TURNS; turn++) {
  const { ms, seen } = await lookAtAll(storedStatus);
  if (seen !== whole.seen || seen !== anew.seen) throw new Error("the answers differ");
  again.push(ms);
  commands.push(runPs());
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
    beside: `without digests ${round(cold / 1_000)} s`,
  }),
]);
