// Our self-driving step beside those of other agent runtimes, in one run and by turns: each loop in a process of its own, with one
// tool that does next to nothing and a model in the process that answers at once. npm brings the others.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import {
  figure,
  instantModel,
  median,
  noop,
  plan,
  report,
  round,
  startBench,
  trivialCall,
} from "./bench.mjs";
import { bring } from "./bring.mjs";

/** What npm brings, and what has to stand beside it. */
const PI = ["@mariozechner/pi-agent-core@0.73.1"];
const LANGGRAPH = ["@langchain/langgraph@1.7.3", "@langchain/core@1.4.0", "zod@4.6.7"];
// The last one whose client runs on Node 20.
const OPENAI = ["@openai/agents@0.14.3", "zod@4.6.7"];

/** @type {readonly { name: string, script: string, packages: readonly string[], args: readonly string[] }[]} */
const PEERS = [
  { name: "pi-agent-core 0.73.1, runAgentLoop", script: "pi", packages: PI, args: [] },
  { name: "LangGraph.js 1.7.3, createReactAgent", script: "langgraph", packages: LANGGRAPH, args: [] },
  {
    ...{ name: "LangGraph.js 1.7.3 with MemorySaver", script: "langgraph" },
    ...{ packages: LANGGRAPH, args: ["saver"] },
  },
  { name: "OpenAI Agents JS 0.14.3, Runner.run", script: "openai-agents", packages: OPENAI, args: [] },
];
const STEPS = [200, 1_000];
const TURNS = 3;
const LONGEST_MS = 180_000;

/** @param {number} steps @param {"disk" | "process"} durability */
async function runOurs(steps, durability) {
  let started = 0;
  const model = instantModel((index) => {
    started ||= performance.now();
    return index < steps ? trivialCall(index) : noop();
  });
  const legion = await startBench({ plans: [await plan({ id: "1", model })], durability });
  await legion.control.say(["1"], "go");
  await legion.untilIdle(new AbortController().signal);
  const us = ((performance.now() - started) * 1_000) / steps;
  await legion.stop();
  console.log(JSON.stringify({ us }));
  process.exit(0);
}

/** The microseconds of a step of that process; undefined if it does not end well. @param {string[]} args @param {string} [cwd] */
function timeOf(args, cwd) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    ...{ cwd, encoding: "utf8", timeout: LONGEST_MS, maxBuffer: 16 * 1_048_576 },
  });
  if (status === 0) return Number(JSON.parse(stdout.trim().split("\n").at(-1) ?? "").us);
  process.stderr.write(`\n${stderr.split("\n").slice(0, 8).join("\n")}\n`);
  return undefined;
}

const self = fileURLToPath(import.meta.url);
/** @param {(typeof PEERS)[number]} peer @param {number} steps */
function timeOfPeer({ script, packages, args }, steps) {
  const [first = "", ...beside] = packages;
  const at = first.lastIndexOf("@");
  const there = bring(first.slice(0, at), first.slice(at + 1), beside);
  if (there === undefined) return undefined;
  const text = readFileSync(new URL(`./peers/${script}.mjs`, import.meta.url), "utf8");
  return timeOf(["--input-type=module", "-e", text, String(steps), ...args], dirname(there));
}

function measure() {
  const figures = [];
  for (const steps of STEPS) {
    /** @type {number[]} */
    const written = [];
    /** @type {number[]} */
    const synced = [];
    /** @type {(number | undefined)[][]} */
    const theirs = PEERS.map(() => []);
    for (let turn = 0; turn < TURNS; turn++) {
      written.push(timeOf([self, "ours", String(steps), "process"]) ?? 0);
      synced.push(timeOf([self, "ours", String(steps), "disk"]) ?? 0);
      for (const [index, peer] of PEERS.entries()) theirs[index]?.push(timeOfPeer(peer, steps));
    }
    const ours = median(written);
    figures.push(
      figure("3", `a step of ${steps}: AI Legion, written`, `${round(ours, 0)} us`),
      figure("3", `a step of ${steps}: AI Legion, on the disk`, `${round(median(synced), 0)} us`),
    );
    for (const [index, { name }] of PEERS.entries()) {
      const times = (theirs[index] ?? []).filter((us) => us !== undefined);
      const value = times.length > 0 ? `${round(median(times), 0)} us` : "not brought";
      const beside = times.length > 0 ? `${round(median(times) / ours, 1)} times ours, written` : "";
      figures.push(figure("3", `a step of ${steps}: ${name}`, value, { beside }));
    }
  }
  report(figures);
}

const [word, steps, durability] = process.argv.slice(2);
if (word === "ours") await runOurs(Number(steps), durability === "disk" ? "disk" : "process");
else measure();
