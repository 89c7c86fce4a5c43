// Opening a log of 50,000 events beside reading and parsing the same bytes.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  figure,
  instantModel,
  load,
  median,
  plan,
  report,
  round,
  startBench,
  temporaryFolder,
  trivialCall,
  noop,
} from "./bench.mjs";

const project = temporaryFolder();
const steps = 16_667;
// As agents have it: what does not fit into the window is summarised, and the log keeps all of it.
const model = instantModel((index) => (index < steps ? trivialCall(index) : noop()), 200_000);
const legion = await startBench({ project, plans: [await plan({ id: "1", model })] });
await legion.control.say(["1"], "go");
await legion.untilIdle(new AbortController().signal);
await legion.stop();

const folder = join(project, ".ai-legion/agents/1");
function floor() {
  const started = performance.now();
  let events = 0;
  for (const name of readdirSync(join(folder, "log"))) {
    for (const line of readFileSync(join(folder, "log", name), "utf8").split("\n")) {
      if (line !== "") events += JSON.parse(line).seq > 0 ? 1 : 0;
    }
  }
  return { ms: performance.now() - started, events };
}

const { createDisk } = await load("src/base/files/disk.js");
const { createBlobs } = await load("src/past/log/blobs.js");
const { openFileLog } = await load("src/storage/files/log.js");
const { openMemory } = await load("src/past/past.js");
const { pastFile } = await load("src/storage/folder/cache/past-file.js");
const { legionPaths } = await load("src/storage/folder/paths.js");
const { authorshipOf } = await load("src/storage/folder/person/authorship.js");
const { openPersonFolder } = await load("src/storage/folder/person/folder.js");
const { toolsProtocol } = await load("src/model/protocol/tools.js");
const person = openPersonFolder({ XDG_CONFIG_HOME: temporaryFolder() });
const past = pastFile(legionPaths(project), "1", await authorshipOf(person));
/** @param {unknown} [kept] where what it comes to is kept */
async function open(kept) {
  const disk = createDisk(join(project, "tmp"));
  const blobs = createBlobs(join(folder, "blobs"), disk);
  const options = {
    folder,
    disk,
    blobs,
    lock: { epoch: 9, held: () => true },
    durability: "process",
    clock: Date,
    corruptFolder: "",
    past: kept,
  };
  const started = performance.now();
  const view = { protocol: toolsProtocol, errors: "keep", window: 200_000 };
  const projector = { write: () => Promise.resolve(), reconcile: () => Promise.resolve([]) };
  const memory = await openMemory(
    { agent: "1", view, inspect: () => undefined, projector },
    async (/** @type {any} */ each, /** @type {any} */ goOn) => ({
      ...(await openFileLog(options, each, undefined, goOn)),
      findings: [],
    }),
  );
  const ms = performance.now() - started;
  await memory.close();
  return ms;
}

const floors = [];
const opens = [];
const known = [];
for (let n = 0; n < 7; n++) {
  floors.push(floor().ms);
  opens.push(await open());
  // The first finds nothing, and leaves it.
  if (n === 0) await open(past);
  known.push(await open(past));
}
const share = median(known) / median(opens);
const ratio = median(opens) / median(floors);
report([
  figure(
    "9",
    `open a log of ${floor().events} events, view and totals folded`,
    `${round(median(opens), 0)} ms`,
    {
      beside: `read and parse ${round(median(floors), 0)} ms: ${round(ratio, 2)} times`,
      goal: "<= 2 times",
      met: ratio <= 2,
    },
  ),
  figure(
    "9",
    `open a log of ${floor().events} events from what was kept of it`,
    `${round(median(known), 1)} ms`,
    {
      beside: `without 1 : ${round(1 / share, 1)}`,
      goal: "<= 1/20",
      met: share <= 1 / 20,
    },
  ),
]);
