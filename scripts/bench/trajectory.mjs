// A step that is followed by a trajectory file, late in a run and early; what the file costs beside a run without one; what a long log
// takes that is printed as a trajectory. Each step adds 10,000 characters.

import { once } from "node:events";
import { createWriteStream, statSync } from "node:fs";
import { join } from "node:path";
import {
  figure,
  instantModel,
  load,
  median,
  noop,
  plan,
  report,
  round,
  startBench,
  temporaryFolder,
} from "./bench.mjs";

const STEPS = 1_000;
const TURNS = 5;
/** Steps around the tenth, and up to the last, of which one is the mean. */
const WINDOW = 50;
const MB = 1_048_576;

const { createTrajectoryFile } = await load("src/legion/watching/trajectory-file.js");
const { trajectoryFacts } = await load("src/legion/watching/trajectory-facts.js");
const { tellTrajectory } = await load("src/past/trajectory/tell.js");
const { createFileReader } = await load("src/storage/files/reader/reader.js");
const { createClock } = await load("src/base/clock.js");
const { indexActions } = await load("src/agent/parts/module-set.js");
const { toolsProtocol } = await load("src/model/protocol/tools.js");
const { defineAction, defineModule, ok } = await load("src/domain/authoring/module.js");
const { core } = await load("modules/core.js");
const { z } = await import("zod");

const observation = "0123456789".repeat(1_000);
const print = defineAction({
  description: "Print much",
  parameters: { n: z.string() },
  effects: "none",
  execute: (/** @type {{n: string}} */ { n }) => ok(`${n} ${observation}`),
});
const actions = indexActions([core, defineModule({ name: "bench", actions: { print } })], toolsProtocol);

/** @param {readonly number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** @param {string} project */
function sourceIn(project) {
  const reader = createFileReader(project);
  return {
    events: (/** @type {number} */ from = 1) => reader.events("1", from),
    blobs: reader.blobs("1"),
  };
}

/**
 * The microseconds of each step, and what each quarter of the run left on the heap.
 * @param {{output: boolean, durability: "disk" | "process", takesMs?: number}} how `takesMs`: how long the model takes to answer
 */
async function run({ output, durability, takesMs = 0 }) {
  const project = temporaryFolder();
  /** @type {number[]} */
  const times = [];
  let last = performance.now();
  const instant = instantModel((index) => {
    times.push((performance.now() - last) * 1_000);
    if (index >= STEPS) return noop();
    return { calls: [{ id: `call-${index}`, name: "print", arguments: `{"n":"${index}"}` }] };
  });
  const model = {
    ...instant,
    async complete() {
      const answer = await instant.complete();
      if (takesMs > 0) await new Promise((resolve) => setTimeout(resolve, takesMs));
      last = performance.now();
      return answer;
    },
  };
  const legion = await startBench({
    project,
    durability,
    plans: [{ ...(await plan({ id: "1", model })), actions }],
  });
  const path = join(project, "run.traj.json");
  const tell = (/** @type {string} */ problem) => {
    throw new Error(problem);
  };
  const facts = trajectoryFacts("1", {});
  const file =
    output && createTrajectoryFile(path, { ...sourceIn(project), facts, clock: createClock(), tell });
  if (file) legion.inspector.watch(file.see);
  const cpu = process.cpuUsage();
  await legion.control.say(["1"], "go");
  await legion.untilIdle(new AbortController().signal);
  const { user, system } = process.cpuUsage(cpu);
  await legion.stop();
  if (file && (await file.close()) !== undefined) throw new Error("not written");
  const steps = times.slice(1, STEPS + 1);
  const early = mean(steps.slice(5, 5 + WINDOW));
  const late = mean(steps.slice(-WINDOW));
  return {
    early,
    late,
    ratio: late / early,
    cpuMs: (user + system) / 1_000,
    project,
    bytes: file ? statSync(path).size : 0,
  };
}

/** The medians of several runs. @param {Parameters<typeof run>[0]} how */
async function runs(how) {
  /** @type {Awaited<ReturnType<typeof run>>[]} */
  const all = [];
  for (let turn = 0; turn < TURNS; turn++) all.push(await run(how));
  const of = (/** @type {"early" | "late" | "ratio" | "cpuMs"} */ key) => median(all.map((one) => one[key]));
  return {
    early: of("early"),
    late: of("late"),
    ratio: of("ratio"),
    cpuMs: of("cpuMs"),
    bytes: all[0]?.bytes ?? 0,
  };
}

function heapMb() {
  for (let n = 0; n < 3; n++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MB;
}

/** The heap after the first and the last quarter of a run that is only watched, in megabytes. */
async function watched() {
  const { project } = await run({ output: false, durability: "process" });
  const source = sourceIn(project);
  const path = join(project, "watched.json");
  /** @type {number[]} */
  const quarters = [];
  const clock = createClock();
  const file = createTrajectoryFile(path, {
    facts: trajectoryFacts("1", {}),
    clock,
    tell: () => undefined,
    blobs: source.blobs,
    // There is nothing in the log before.
    events: async function* () {},
  });
  let seen = 0;
  for await (const event of source.events()) {
    file.see({ kind: "event", agent: "1", event });
    if (++seen % 100 === 0) await clock.sleep(20, new AbortController().signal);
    if (seen % STEPS === 0) {
      await clock.sleep(1_100, new AbortController().signal);
      quarters.push(heapMb());
    }
  }
  await file.close();
  return { first: quarters[0] ?? 0, last: quarters.at(-1) ?? 0 };
}

/** What printing it takes at most beyond what the process has, in megabytes, and how long, for as many events. */
async function printed() {
  const { project } = await run({ output: false, durability: "process" });
  const source = sourceIn(project);
  const path = join(project, "printed.json");
  let count = 0;
  for await (const _ of source.events()) count++;
  const times = Math.ceil(100_000 / count);
  const many = {
    ...source,
    events: async function* (from = 1) {
      let seq = 0;
      for (let round = 0; round < times; round++)
        for await (const event of source.events()) if (++seq >= from) yield { ...event, seq };
    },
  };
  const before = heapMb();
  let most = before;
  let bytes = 0;
  let pieces = 0;
  const started = performance.now();
  const out = createWriteStream(path);
  for await (const piece of tellTrajectory("atif", many, trajectoryFacts("1", {}))) {
    bytes += piece.length;
    if (!out.write(piece)) await once(out, "drain");
    if (++pieces % 5_000 === 0) most = Math.max(most, heapMb());
  }
  return { events: times * count, mb: most - before, bytes, ms: performance.now() - started };
}

await run({ output: true, durability: "process" });
const without = await runs({ output: false, durability: "process" });
const instant = await runs({ output: true, durability: "process" });
const flushed = await runs({ output: true, durability: "disk" });
const flushedWithout = await runs({ output: false, durability: "disk" });
const slow = await runs({ output: true, durability: "process", takesMs: 10 });
const slowWithout = await runs({ output: false, durability: "process", takesMs: 10 });
const heap = await watched();
const long = await printed();
const beside = (/** @type {{ratio: number}} */ { ratio }) => `without a file ${round(ratio, 2)}`;
report([
  figure("16", "step 1,000 / step 10 with a trajectory file", round(instant.ratio, 2), {
    beside: beside(without),
    goal: "<= 1.3",
    met: instant.ratio <= 1.3,
  }),
  figure("16", "step 1,000 / step 10 with a trajectory file, on the disk", round(flushed.ratio, 2), {
    beside: beside(flushedWithout),
    goal: "<= 1.3",
    met: flushed.ratio <= 1.3,
  }),
  figure("16", "step 1,000 / step 10 with a trajectory file, the model takes 10 ms", round(slow.ratio, 2), {
    beside: beside(slowWithout),
    goal: "<= 1.3",
    met: slow.ratio <= 1.3,
  }),
  figure(
    "16",
    `CPU of ${STEPS} such steps, with a file of ${round(slow.bytes / MB)} MB`,
    `${round(slow.cpuMs, 0)} ms`,
    {
      beside: `without a file ${round(slowWithout.cpuMs, 0)} ms`,
    },
  ),
  figure("16", "heap of who writes a trajectory, last / first quarter", round(heap.last / heap.first, 2), {
    beside: `${round(heap.last)} / ${round(heap.first)} MB`,
    goal: "<= 1.2",
    met: heap.last / heap.first <= 1.2,
  }),
  figure("16", `heap for printing ${long.events} events`, `${round(long.mb)} MB`, {
    beside: `${round(long.bytes / MB, 0)} MB printed in ${round(long.ms / 1_000)} s`,
    goal: "<= 64 MB",
    met: long.mb <= 64,
  }),
]);
