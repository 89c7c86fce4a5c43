// What a step writes beside what is new in it, where an agent has a hundred goals, notes and mail to write: what is pinned
// and what an action changed are long, and little of either is new.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  figure,
  instantModel,
  load,
  noop,
  plan,
  report,
  round,
  startBench,
  temporaryFolder,
} from "./bench.mjs";

const { createDisk } = await load("src/base/files/disk.js");
const { readFileLog } = await load("src/storage/files/log.js");
const { indexActions } = await load("src/agent/parts/module-set.js");
const { toolsProtocol } = await load("src/model/protocol/tools.js");
const { core } = await load("modules/core.js");
const { goals } = await load("modules/goals.js");
const { notes } = await load("modules/notes.js");
const { messaging } = await load("modules/messaging.js");

const STEPS = 1_000;
const LISTED = 100;

/** Varied, as what people write is. @param {number} n @param {number} words */
function sentence(n, words) {
  const parts = Array.from({ length: words }, (_, at) => ((n * 7_919 + at * 104_729) % 46_656).toString(36));
  return `${parts.join(" ")}.`;
}

/** @param {number} n */
function callOf(n) {
  if (n < LISTED) return { name: "addGoal", arguments: { goal: sentence(n, 12) } };
  switch (n % 5) {
    case 0:
      return { name: "completeGoal", arguments: { goalNumber: 1 + ((n * 37) % LISTED) } };
    case 1:
      return { name: "addGoal", arguments: { goal: sentence(n, 12) } };
    case 2:
      return { name: "writeNote", arguments: { title: sentence(n % 150, 4), content: sentence(n, 40) } };
    case 3:
      return { name: "sendMessage", arguments: { targetAgentId: "2", message: sentence(n, 30) } };
    default:
      return { name: "viewNote", arguments: { title: sentence((n - 2) % 150, 4) } };
  }
}

const worker = instantModel((asked) => {
  if (asked >= STEPS) return noop();
  const { name, arguments: given } = callOf(asked);
  return { calls: [{ id: `call-${asked}`, name, arguments: JSON.stringify(given) }] };
});
const reader = instantModel(noop);
const index = indexActions([core, goals, notes, messaging], toolsProtocol);
const project = temporaryFolder();
const legion = await startBench({
  project,
  plans: [
    { ...(await plan({ id: "1", model: worker })), actions: index },
    { ...(await plan({ id: "2", model: reader })), actions: index },
  ],
});
await legion.control.say(["1"], "Go on with your work.");
await legion.untilIdle(new AbortController().signal);
await legion.stop();

const folder = join(project, ".ai-legion", "agents", "1");
const segments = readdirSync(join(folder, "log"));
const written = segments.reduce((sum, name) => sum + statSync(join(folder, "log", name)).size, 0);

let whole = 0;
let fresh = 0;
let strict = 0;
let steps = 0;
/** @type {Map<string, Set<string>>} */
const lists = new Map();
/** @type {Set<string>} */
const seen = new Set();

/** The bytes of what was not in the text before in the same place. @param {string} place @param {string[]} entries */
function newIn(place, entries) {
  const before = lists.get(place) ?? new Set();
  lists.set(place, new Set(entries));
  return entries.reduce((sum, entry) => sum + (before.has(entry) ? 0 : Buffer.byteLength(entry) + 1), 0);
}

/** What of a value was written in this log before, in whatever place. @param {unknown} value @returns {number} */
function repeated(value) {
  if (typeof value === "object" && value !== null)
    return Object.values(value).reduce((sum, one) => sum + repeated(one), 0);
  if (typeof value !== "string" || value.length < 16) return 0;
  if (seen.has(value)) return Buffer.byteLength(value);
  seen.add(value);
  return 0;
}

for await (const event of readFileLog({ folder, disk: createDisk(join(project, "tmp")) })) {
  const { pinned, state, ...rest } = event;
  const line = Buffer.byteLength(JSON.stringify(rest)) + ',"crc":"00000000"\n'.length;
  whole += Buffer.byteLength(JSON.stringify(event)) + ',"crc":"00000000"\n'.length;
  let added = line;
  if (event.kind === "prompted") steps++;
  if (pinned !== undefined) added += newIn("pinned", pinned.split("\n"));
  let again = repeated(rest);
  for (const [module, key, value] of state ?? []) {
    const entries = Array.isArray(value)
      ? value.map((item) => JSON.stringify(item))
      : [JSON.stringify(value)];
    added += newIn(`${module} ${key}`, entries);
    if (typeof value === "string") again += repeated(value);
  }
  fresh += added;
  strict += added - again;
}

const ratio = written / fresh;
report([
  figure("7", "bytes of the log, a step", `${round(written / steps, 0)} B`, {
    beside: `new in it ${round(fresh / steps, 0)} B: ${round(ratio, 2)}`,
    goal: "<= 1.5",
    met: ratio <= 1.5,
  }),
  figure("7", "the same where every text is written whole", `${round(whole / steps, 0)} B`, {
    beside: `new in it ${round(fresh / steps, 0)} B: ${round(whole / fresh, 2)}`,
  }),
  figure("7", "the same beside what no earlier place of the log has", `${round(strict / steps, 0)} B`, {
    beside: `written ${round(written / steps, 0)} B: ${round(written / strict, 2)}`,
  }),
]);
