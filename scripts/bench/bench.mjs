// What the measures share: a temporary project, a legion around a model that answers at once, and numbers in a row.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const dist = new URL("../../dist/", import.meta.url);

/** @param {string} path below dist */
export const load = (path) => import(new URL(path, dist).href);

/** @param {readonly number[]} values @param {number} share from 0 to 1 */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** @param {readonly number[]} values */
export const median = (values) => quantile(values, 0.5);

/** @type {string[]} */
const folders = [];
process.on("exit", () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A folder that is gone when the process ends. */
export function temporaryFolder() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "legion-bench-")));
  folders.push(folder);
  return folder;
}

/**
 * A model that answers at once and costs nothing itself.
 * @param {(index: number) => {text?: string, calls?: {id: string, name: string, arguments: string}[]}} answer
 * @param {number} [window]
 */
export function instantModel(answer, window = 100_000_000) {
  let asked = 0;
  const usage = { input: 100, output: 10 };
  return {
    name: "instant",
    provider: "instant",
    isInside: true,
    profile: {
      window,
      maxOutput: 1_000,
      price: { input: 0, output: 0 },
      tools: true,
      summarises: false,
    },
    /** @returns {Promise<unknown>} */
    complete() {
      const { text = "", calls = [] } = answer(asked++);
      return Promise.resolve({ text, calls, usage, stop: calls.length > 0 ? "calls" : "end" });
    },
  };
}

/**
 * One call of an action that does next to nothing, with a result that differs every time.
 * @param {number} index @param {"touch" | "strike"} [name] the effects that it declares are `none` or `once`
 */
export function trivialCall(index, name = "touch") {
  return { calls: [{ id: `call-${index}`, name, arguments: `{"n":"${index}"}` }] };
}

/** Nothing to do. An empty answer would be a mistake of the model, and asked about again. */
export function noop() {
  return { calls: [{ id: "noop", name: "noop", arguments: "{}" }] };
}

/** @param {{id: string, model: unknown, tickMs?: number, threshold?: number, policy?: readonly object[]}} options */
export async function plan({ id, model, tickMs = 0, threshold = 0.75, policy = [] }) {
  const actions = await actionIndex();
  return {
    identity: { id, name: `Agent ${id}`, description: "", brief: "" },
    model,
    protocol: actions.protocol,
    actions: actions.index,
    limits: {},
    policy: [{ by: "the bench", as: "person", profile: "full", allow: ["action *"] }, ...policy],
    memory: { strategy: "legion", threshold, pin: "newest" },
    errors: "keep",
    tickMs,
  };
}

/** @type {Promise<{index: unknown, protocol: unknown}> | undefined} */
let indexed;
function actionIndex() {
  indexed ??= (async () => {
    const { indexActions } = await load("src/agent/parts/module-set.js");
    const { toolsProtocol } = await load("src/model/protocol/tools.js");
    const { defineAction, defineModule, ok } = await load("src/domain/authoring/module.js");
    const { core } = await load("modules/core.js");
    const { goals } = await load("modules/goals.js");
    const { notes } = await load("modules/notes.js");
    const { z } = await import("zod");
    const touch = defineAction({
      description: "Touch something",
      parameters: { n: z.string() },
      effects: "none",
      execute: (/** @type {{n: string}} */ { n }) => ok(`touched ${n}`),
    });
    const reach = defineAction({
      description: "Reach for a file, a command and a host",
      parameters: { n: z.string() },
      effects: "none",
      touches: (/** @type {{n: string}} */ { n }) => [
        { kind: "read", path: `src/part/file-${n}.ts` },
        { kind: "run", command: `git log --oneline -${n} src && npm test -- test/part` },
        { kind: "net", url: `https://docs.example.org/page/${n}`, isChosen: true },
      ],
      execute: (/** @type {{n: string}} */ { n }) => ok(`reached ${n}`),
    });
    const strike = defineAction({
      description: "Do something outside, once",
      parameters: { n: z.string() },
      effects: "once",
      touches: [],
      execute: (/** @type {{n: string}} */ { n }) => ok(`struck ${n}`),
    });
    const read = defineAction({
      description: "Read something that takes 100 ms",
      parameters: { n: z.string() },
      effects: "reads",
      touches: [],
      execute: async (/** @type {{n: string}} */ { n }) => {
        await sleep(100);
        return ok(`read ${n}`);
      },
    });
    const bench = defineModule({ name: "bench", actions: { touch, reach, strike, read } });
    return { index: indexActions([core, goals, notes, bench], toolsProtocol), protocol: toolsProtocol };
  })();
  return indexed;
}

/** As `legion start` has it. */
export async function localEnvironment() {
  const { createLocalEnvironment } = await load("src/environment/local.js");
  return createLocalEnvironment(process.env);
}

/**
 * The microseconds of a self-driving step that is written and not flushed.
 * @param {{redactor?: unknown, policy?: readonly object[], purse?: unknown, action?: "touch" | "reach", steps?: number,
 *   follow?: (legion: any) => unknown}} options
 */
export async function timeStep({ redactor, policy, purse, action = "touch", steps = 4_000, follow }) {
  /** @type {number[]} */
  const times = [];
  let last = 0;
  const model = instantModel((index) => {
    const now = performance.now();
    if (index > 0) times.push((now - last) * 1_000);
    last = now;
    if (index === steps) return noop();
    return { calls: [{ id: `call-${index}`, name: action, arguments: `{"n":"${index}"}` }] };
  });
  const legion = await startBench({ plans: [await plan({ id: "1", model, policy })], redactor, purse });
  follow?.(legion);
  await legion.control.say(["1"], "go");
  await legion.untilIdle(new AbortController().signal);
  await legion.stop();
  return median(times.slice(steps / 8));
}

/**
 * The medians of both, measured by turns, and that of what the other is of the one in the same turn.
 * @param {() => Promise<number>} one @param {() => Promise<number>} other @param {number} turns
 */
export async function byTurns(one, other, turns) {
  const times = { one: /** @type {number[]} */ ([]), other: /** @type {number[]} */ ([]) };
  await one();
  await other();
  for (let turn = 0; turn < turns; turn++) {
    times.one.push(await one());
    times.other.push(await other());
  }
  const ratio = median(times.other.map((time, turn) => time / (times.one[turn] ?? 0)));
  return { one: median(times.one), other: median(times.other), ratio };
}

/**
 * @param {{project?: string, plans: unknown[], durability?: "disk" | "process", heartbeatMs?: number | "off", closesIdle?: boolean,
 *   redactor?: unknown, purse?: unknown}} options
 * @returns {Promise<any>}
 */
export async function startBench({
  project = temporaryFolder(),
  plans,
  durability = "process",
  heartbeatMs = "off",
  closesIdle,
  redactor,
  purse,
}) {
  const { startLegion } = await load("src/legion/legion.js");
  return startLegion({
    project,
    plans,
    limits: {},
    durability,
    delayMs: 0,
    heartbeatMs,
    closesIdle,
    redactor,
    purse,
    environment: await localEnvironment(),
    settings: () => ({}),
  });
}

/** CPU milliseconds used by `work`, and its wall time. @param {() => Promise<void>} work */
export async function timed(work) {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1_000 };
}

/**
 * @param {string} row @param {string} what @param {string} value
 * @param {{beside?: string, goal?: string, met?: boolean}} [rest]
 */
export function figure(row, what, value, { beside = "", goal = "", met } = {}) {
  return { row, what, value, beside, goal, verdict: met === undefined ? "" : met ? "met" : "missed" };
}

/** @param {object[]} figures */
export function report(figures) {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  process.exit(0);
}

/** @param {number} value @param {number} [digits] */
export const round = (value, digits = 1) => value.toFixed(digits);
