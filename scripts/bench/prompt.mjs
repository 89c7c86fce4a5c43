// A prompt of a program, in memory, beside the bare step that it comes to (a message, a decision, rest), and beside the loop
// of another library, that keeps nothing.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { byTurns, figure, load, report, round } from "./bench.mjs";
import { bring } from "./bring.mjs";

const TURNS = 15;
const BATCH = 200;

/**
 * The microseconds of one of `BATCH` exchanges, each of a scripted answer without calls.
 * @param {(legion: any, agent: any) => Promise<unknown>} exchange
 */
async function timeOf(exchange) {
  const { Legion, createScriptedModel } = await load("src/index.js");
  const model = createScriptedModel(() => "Hello.", { remember: 1 });
  const legion = await Legion.open({ store: "memory", model });
  const agent = await legion.spawn({ modules: ["core"] });
  const before = performance.now();
  for (let index = 0; index < BATCH; index++) await exchange(legion, agent);
  const us = ((performance.now() - before) / BATCH) * 1_000;
  await legion.stop();
  return us;
}

/** @param {any} legion */
function step({ runtime: { inspector, control } }) {
  return new Promise((resolve, reject) => {
    const unwatch = inspector.watch((/** @type {{kind: string, state?: string}} */ seen) => {
      if (seen.kind !== "live:state" || seen.state !== "idle") return;
      unwatch();
      resolve(undefined);
    });
    control.say(["1"], "Hi.").catch(reject);
  });
}

/** The same of `@mariozechner/pi-agent-core`; undefined if it is not to be had. */
async function findPi() {
  const packages = bring("@mariozechner/pi-agent-core", "0.73.1");
  if (!packages) return undefined;
  const take = (/** @type {string} */ name) =>
    import(pathToFileURL(join(packages, name, "dist/index.js")).href);
  const { Agent } = await take("@mariozechner/pi-agent-core");
  const { createAssistantMessageEventStream } = await take("@mariozechner/pi-ai");
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = {
    id: "scripted",
    name: "scripted",
    api: "scripted",
    provider: "scripted",
    input: ["text"],
    cost,
  };
  const usage = { ...cost, totalTokens: 0, cost: { ...cost, total: 0 } };
  const answer = {
    role: "assistant",
    content: [{ type: "text", text: "Hello." }],
    stopReason: "stop",
    usage,
  };
  const streamFn = () => {
    const stream = createAssistantMessageEventStream();
    const message = {
      ...answer,
      api: "scripted",
      provider: "scripted",
      model: "scripted",
      timestamp: Date.now(),
    };
    stream.push({ type: "start", partial: message });
    stream.push({ type: "done", reason: "stop", message });
    return stream;
  };
  return () => new Agent({ initialState: { model, systemPrompt: "", tools: [] }, streamFn });
}

/** As `timeOf`. @param {() => any} openAgent */
async function timeOfPi(openAgent) {
  const agent = openAgent();
  const before = performance.now();
  for (let index = 0; index < BATCH; index++) await agent.prompt("Hi.");
  const us = ((performance.now() - before) / BATCH) * 1_000;
  if (agent.state.messages.length !== 2 * BATCH) throw new Error("not all of it was answered");
  return us;
}

const prompt = () => timeOf((_, agent) => agent.prompt("Hi."));
const { one, other, ratio } = await byTurns(() => timeOf(step), prompt, TURNS);
const openPi = await findPi();
const beside = openPi && (await byTurns(() => timeOfPi(openPi), prompt, TURNS));
report([
  figure("15", "a prompt in memory", `${round(other, 0)} us`, {
    beside: `bare step ${round(one, 0)} us: ${round(ratio, 2)}`,
    goal: "<= 1.5",
    met: ratio <= 1.5,
  }),
  ...(beside
    ? [
        figure("15", "a prompt in memory", `${round(beside.other, 0)} us`, {
          beside: `pi-agent-core, keeping nothing, ${round(beside.one, 0)} us: ${round(beside.ratio, 2)}`,
        }),
      ]
    : []),
]);
