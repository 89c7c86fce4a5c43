// Opening a log of a million events: seconds, and the memory that it takes.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { figure, load, median, report, round, temporaryFolder } from "./bench.mjs";

const EVENTS = 1_000_000;
const BATCH = 1_000;
/** An agent that lives that long has summarised all but the end. */
const SUMMARY_EVERY = 3_000;

const { createDisk } = await load("src/base/files/disk.js");
const { openFileLog } = await load("src/storage/files/log.js");
const { openMemory } = await load("src/past/past.js");
const { toolsProtocol } = await load("src/model/protocol/tools.js");

const usage = { input: 1_200, output: 60 };

/** @param {string} folder @param {(event: unknown) => void} each */
function openLog(folder, each) {
  const disk = createDisk(join(folder, "tmp"));
  const lock = { epoch: 1, held: () => true };
  const durability = "process";
  const clock = { now: Date.now };
  return openFileLog({ folder, disk, lock, durability, clock, corruptFolder: folder }, each);
}

/** A decision and its result, as an agent that works has them. @param {number} index */
function turn(index) {
  const call = {
    id: `call-${index}`,
    action: "readFile",
    parameters: { path: `src/part-${index % 97}.ts`, limit: 40 },
  };
  const text = `Part ${index % 97} is next; I look at how it ends before I change anything.`;
  const decision = {
    kind: "decision",
    text,
    calls: [call],
    protocol: "tools",
    model: "bench",
    usage,
    stop: "calls",
  };
  const content = `Contents of ${call.parameters.path}: ${"export const value = 1; ".repeat(6)}${index}`;
  return [decision, { kind: "result", call: call.id, outcome: "ok", content }];
}

/** @param {string} folder */
async function write(folder) {
  const { log } = await openLog(folder, () => undefined);
  for (let index = 0; log.last < EVENTS;) {
    const events = [];
    while (events.length < BATCH) events.push(...turn(index++));
    if (log.last % SUMMARY_EVERY < BATCH)
      events.push({
        kind: "summary",
        covers: [1, log.last],
        content: "All parts up to here are done.",
        strategy: "legion",
        usage,
      });
    await log.append(events);
  }
  await log.close();
}

/** @param {string} folder */
async function open(folder) {
  const started = performance.now();
  const view = { protocol: toolsProtocol, errors: "keep", window: 200_000 };
  const projector = { write: () => Promise.resolve(), reconcile: () => Promise.resolve([]) };
  const memory = await openMemory(
    { agent: "1", view, inspect: () => undefined, projector },
    async (/** @type {(event: unknown) => void} */ each) => ({
      log: (await openLog(folder, each)).log,
      findings: [],
    }),
  );
  const ms = performance.now() - started;
  const events = memory.ledger.last;
  await memory.close();
  return { ms, events, peakMb: process.resourceUsage().maxRSS / 1_024 };
}

const [task, place = ""] = process.argv.slice(2);
if (task === "write") await write(place);
else if (task === "open") console.log(JSON.stringify(await open(place)));
else {
  const folder = join(temporaryFolder(), "1");
  /** @param {string} task */
  const inProcess = (task) => {
    const script = fileURLToPath(import.meta.url);
    const { status, stdout } = spawnSync(process.execPath, [script, task, folder], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (status !== 0) throw new Error(`${task} failed`);
    return stdout;
  };
  inProcess("write");
  const opened = [1, 2, 3].map(() => JSON.parse(inProcess("open")));
  const ms = median(opened.map(({ ms }) => ms));
  const peakMb = median(opened.map(({ peakMb }) => peakMb));
  report([
    figure("9", `open a log of ${opened[0].events} events`, `${round(ms / 1_000, 1)} s`, {
      beside: `peak memory of the process ${round(peakMb, 0)} MB`,
      goal: "",
      met: undefined,
    }),
  ]);
}
