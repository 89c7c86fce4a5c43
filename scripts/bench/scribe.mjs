// What it costs 500 agents that a scribe listens: a person says 1,000 messages a second to them for a minute, with and without one,
// by turns, each time in a process of its own; then it catches up. The scribe's model writes no texts. BENCH_SECONDS: for shorter.

import { spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  figure,
  instantModel,
  load,
  median,
  noop,
  plan,
  quantile,
  report,
  round,
  startBench,
  temporaryFolder,
} from "./bench.mjs";

const AGENTS = 500;
const EACH_SECOND = 1_000;
const MINUTE_MS = Number(process.env["BENCH_SECONDS"] ?? 60) * 1_000;
/** Said at once, each to another agent. */
const AT_ONCE = 20;
const TURNS = 2;
const MEMORY = "main/legion";

/**
 * @typedef {object} Course
 * @property {number} said
 * @property {number} answered by the end of the minute
 * @property {number} cpu seconds of the process in that time
 * @property {number[]} waits from saying to prompt, p50 and p99, milliseconds
 * @property {number} minuteRss megabytes at most, until the end of the minute
 * @property {number} rss the same until all was there
 * @property {number} behindSeconds from the end of the minute until all was there
 * @property {number} atMinute entries at the end of the minute
 * @property {number} entries
 */

async function scribePlan() {
  const { indexActions } = await load("src/agent/parts/module-set.js");
  const { toolsProtocol } = await load("src/model/protocol/tools.js");
  const { scribe } = await load("modules/memory/scribe/direct.js");
  const { scribeActions } = await load("modules/memory/scribe/index.js");
  const model = instantModel(() => noop());
  return {
    ...(await plan({ id: "scribe", model })),
    actions: indexActions([scribeActions], toolsProtocol),
    ...{ director: scribe, memories: [MEMORY], observe: "all" },
  };
}

const maxRss = () => process.resourceUsage().maxRSS / 1_024;

/** @param {boolean} isHeard @returns {Promise<Course>} */
async function live(isHeard) {
  const { createFileMemories } = await load("src/storage/files/memories/memories.js");
  const { openPersonFolder } = await load("src/storage/folder/person/folder.js");
  const project = temporaryFolder();
  const memories = createFileMemories({
    ...{ project, person: openPersonFolder(process.env), durability: "process" },
    redactor: { value: (/** @type {unknown} */ value) => value },
  });
  const entries = async () => (await memories.read(MEMORY).standing()).entries;
  /** @type {Map<string, number[]>} */
  const saidAt = new Map();
  /** @type {number[]} */
  const waits = [];
  let answered = 0;
  const ids = Array.from({ length: AGENTS }, (_, index) => String(index + 1));
  /** @param {string} id */
  const modelOf = (id) =>
    instantModel(() => {
      const now = performance.now();
      // All that came since is answered at once.
      for (const at of saidAt.get(id)?.splice(0) ?? []) {
        answered++;
        waits.push(now - at);
      }
      return noop();
    });
  const plans = await Promise.all(ids.map((id) => plan({ id, model: modelOf(id) })));
  if (isHeard) plans.push(/** @type {any} */ (await scribePlan()));
  const legion = await startBench({ project, plans });
  // A log that was there before is heard from where it stood, and the first word to each makes its files.
  await legion.untilIdle(new AbortController().signal);
  await legion.control.say(ids, "Hello");
  await legion.untilIdle(new AbortController().signal);
  const cpu = process.cpuUsage();
  const started = performance.now();
  let said = AGENTS;
  for (let next = 0; performance.now() - started < MINUTE_MS; next++) {
    const dueMs = (next * AT_ONCE * 1_000) / EACH_SECOND - (performance.now() - started);
    await delay(Math.max(0, dueMs));
    const to = Array.from({ length: AT_ONCE }, (_, index) => ids[(next * AT_ONCE + index) % AGENTS] ?? "");
    const now = performance.now();
    for (const id of to) saidAt.set(id, [...(saidAt.get(id) ?? []), now]);
    said += AT_ONCE;
    void legion.control.say(
      to,
      `Message ${next}: the boat of the harbour master is called Ada, and sails on ${next}.`,
    );
  }
  const { user, system } = process.cpuUsage(cpu);
  const course = { said, answered, cpu: (user + system) / 1_000_000, minuteRss: maxRss() };
  const atMinute = await entries();
  const ended = performance.now();
  await legion.untilIdle(new AbortController().signal);
  const behindSeconds = (performance.now() - ended) / 1_000;
  await legion.stop();
  return {
    ...{ ...course, atMinute, behindSeconds, rss: maxRss(), entries: await entries() },
    waits: [quantile(waits, 0.5), quantile(waits, 0.99)],
  };
}

/** @param {"with" | "without"} who @returns {Course} */
function inProcess(who) {
  const { status, stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), who], {
    ...{ encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] },
  });
  if (status !== 0) process.exit(1);
  return JSON.parse(stdout);
}

const [who] = process.argv.slice(2);
if (who === "with" || who === "without") report(/** @type {any} */ (await live(who === "with")));

/** @type {Course[]} */
const alone = [];
/** @type {Course[]} */
const heard = [];
for (let turn = 0; turn < TURNS; turn++) {
  alone.push(inProcess("without"));
  heard.push(inProcess("with"));
}
/** @param {readonly Course[]} courses @param {(course: Course) => number} what */
const of = (courses, what) => median(courses.map(what));
const rate = (/** @type {Course} */ { answered }) => (answered * 1_000) / MINUTE_MS;
const loss = 1 - of(heard, rate) / of(alone, rate);
const missing = heard.reduce((sum, { said, entries }) => sum + Math.abs(said - entries), 0);
const waits = (/** @type {readonly Course[]} */ courses) =>
  [0, 1]
    .map((at) =>
      round(
        of(courses, (course) => course.waits[at] ?? 0),
        0,
      ),
    )
    .join(" / ");
report([
  figure(
    "17",
    `${AGENTS} agents, ${EACH_SECOND} messages/s, with a scribe`,
    `${round(of(heard, rate), 0)}/s`,
    {
      beside: `without ${round(of(alone, rate), 0)}/s: loss ${round(loss * 100)} %`,
      goal: "< 3 %",
      met: loss < 0.03,
    },
  ),
  figure("17", "processor in that minute, with a scribe", `${round(of(heard, ({ cpu }) => cpu))} s`, {
    beside: `without ${round(of(alone, ({ cpu }) => cpu))} s`,
  }),
  figure("17", "from saying to prompt, p50 / p99", `${waits(heard)} ms`, {
    beside: `without ${waits(alone)} ms`,
  }),
  figure(
    "17",
    "resident at most, until all is there",
    `${round(
      of(heard, ({ rss }) => rss),
      0,
    )} MB`,
    {
      beside: `until the end of the minute ${round(
        of(heard, ({ minuteRss }) => minuteRss),
        0,
      )} MB, without ${round(
        of(alone, ({ rss }) => rss),
        0,
      )} MB`,
    },
  ),
  figure("17", "entries when all is there", `${of(heard, ({ entries }) => entries)}`, {
    beside: `${round(
      of(heard, ({ atMinute }) => atMinute),
      0,
    )} at the end of the minute, the rest in ${round(of(heard, ({ behindSeconds }) => behindSeconds))} s`,
    goal: "all",
    met: missing === 0,
  }),
]);
