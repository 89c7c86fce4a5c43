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
const { pastFile } = await load("src/storage/folder/cache/past-file.js");
const { legionPaths } = await load("src/storage/folder/paths.js");
const { authorshipOf } = await load("src/storage/folder/person/authorship.js");
const { openPersonFolder } = await load("src/storage/folder/person/folder.js");
const { toolsProtocol } = await load("src/model/protocol/tools.js");

const usage = { input: 1_200, output: 60 };

/** @param {string} folder @param {any} each @param {any} [goOn] @param {any} [past] */
function openLog(folder, each, goOn, past) {
  const disk = createDisk(join(folder, "tmp"));
  const lock = { epoch: 1, held: () => true };
  const durability = "process";
  const clock = { now: Date.now };
  const place = { folder, disk, lock, durability, clock, corruptFolder: folder, past };
  return openFileLog(place, each, undefined, goOn);
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

/** @param {string} folder @param {number} count */
async function write(folder, count) {
  const { log } = await openLog(folder, () => undefined);
  for (let index = 0; log.last < count;) {
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

/** @param {string} folder @param {"kept" | undefined} how */
async function open(folder, how) {
  const person = openPersonFolder({ XDG_CONFIG_HOME: join(folder, "person") });
  const past = how && pastFile(legionPaths(folder), "1", await authorshipOf(person));
  const started = performance.now();
  const view = { protocol: toolsProtocol, errors: "keep", window: 200_000 };
  const projector = { write: () => Promise.resolve(), reconcile: () => Promise.resolve([]) };
  const memory = await openMemory(
    { agent: "1", view, inspect: () => undefined, projector },
    async (/** @type {any} */ each, /** @type {any} */ goOn) => ({
      ...(await openLog(folder, each, goOn, past)),
      findings: [],
    }),
  );
  const ms = performance.now() - started;
  const events = memory.ledger.last;
  await memory.close();
  return { ms, events, peakMb: process.resourceUsage().maxRSS / 1_024 };
}

const [task, place = "", how = ""] = process.argv.slice(2);
if (task === "write") await write(place, Number(how));
else if (task === "open") console.log(JSON.stringify(await open(place, how === "kept" ? how : undefined)));
else {
  const root = temporaryFolder();
  /** @param {string} task @param {string} folder @param {string} [how] */
  const inProcess = (task, folder, how = "") => {
    const script = fileURLToPath(import.meta.url);
    const { status, stdout } = spawnSync(process.execPath, [script, task, folder, how], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (status !== 0) throw new Error(`${task} failed`);
    return stdout;
  };
  const [long, short] = [join(root, "long"), join(root, "short")];
  inProcess("write", long, String(EVENTS));
  inProcess("write", short, "1000");
  /** @param {string} folder @param {string} [how] */
  const opened = (folder, how) => JSON.parse(inProcess("open", folder, how));
  const whole = opened(long);
  // The first finds nothing, and leaves it.
  for (const folder of [long, short]) opened(folder, "kept");
  const pairs = [1, 2, 3, 4, 5].map(() => [opened(long, "kept").ms, opened(short, "kept").ms]);
  const [longMs, shortMs] = [0, 1].map((which) => median(pairs.map((pair) => pair[which])));
  report([
    figure("9", `open a log of ${whole.events} events`, `${round(whole.ms / 1_000, 1)} s`, {
      beside: `peak memory of the process ${round(whole.peakMb, 0)} MB`,
      goal: "",
      met: undefined,
    }),
    figure(
      "9",
      `open a log of ${whole.events} events from what was kept of it`,
      `${round(longMs ?? 0, 0)} ms`,
      {
        beside: `a log of 1,000 events ${round(shortMs ?? 0, 0)} ms`,
        goal: "the time of 1,000 events",
        met: (longMs ?? 0) <= 1.5 * (shortMs ?? 0),
      },
    ),
  ]);
}
