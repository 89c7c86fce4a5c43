// One step of a conversation of 2,000 messages: two more of them, and the request body as bytes. Beside it the same
// step with all of the body serialised again, and with fragments that were serialised once and are only joined.

import { figure, load, median, report, round, timed } from "./bench.mjs";

const { jsonObject, toJson } = await load("src/model/http/body.js");
const { createAnthropicHistory } = await load("src/model/anthropic/history.js");
const { createOpenAiHistory } = await load("src/model/openai/history.js");

const MESSAGES = 2_000;
const STEPS = 100;
const ROUNDS = 25;
const system = "You are Agent 1 (agent id 1).";

/** A call and its result, two messages of about 190 bytes. @param {number} n */
function exchange(n) {
  const id = `call_${n}`;
  const parameters = { n: `${n}`, reason: "r".repeat(40) };
  return [
    { role: "assistant", text: `Step ${n}.`, calls: [{ id, action: "touch", parameters }] },
    { role: "results", results: [{ call: id, content: `Touched ${n}. ${"t".repeat(100)}`, isError: false }] },
  ];
}

/** A turn as a plain message. @param {any} turn */
function toMessage({ role, text, calls, results }) {
  if (role === "results") return { role: "tool", tool_call_id: results[0].call, content: results[0].content };
  const [{ id, action, parameters }] = calls;
  const called = { name: action, arguments: JSON.stringify(parameters) };
  return { role: "assistant", content: text, tool_calls: [{ id, type: "function", function: called }] };
}

/** @typedef {(turns: unknown[], pinned: string) => string} Writer */

/** @param {any} history @returns {Writer} */
const product = (history) => (turns, pinned) =>
  jsonObject({ model: toJson("m"), messages: history({ system, turns, pinned }) });

/** @returns {Writer} */
function serialiseAll() {
  /** @type {unknown[]} */
  const messages = [{ role: "system", content: system }];
  return (turns, pinned) => {
    for (const turn of turns.slice(messages.length - 1)) messages.push(toMessage(turn));
    return JSON.stringify({ model: "m", messages: [...messages, { role: "user", content: pinned }] });
  };
}

/** @returns {Writer} */
function joinFragments() {
  const fragments = [JSON.stringify({ role: "system", content: system })];
  return (turns, pinned) => {
    for (const turn of turns.slice(fragments.length - 1)) fragments.push(JSON.stringify(toMessage(turn)));
    const last = JSON.stringify({ role: "user", content: pinned });
    return `{"model":"m","messages":[${fragments.join(",")},${last}]}`;
  };
}

/** CPU microseconds of a step around message 2,000. @param {Writer} write */
async function run(write) {
  const first = (MESSAGES - STEPS) / 2;
  const turns = Array.from({ length: first }, (_, n) => exchange(n)).flat();
  Buffer.from(write(turns, "Goals: none."));
  const { cpuMs } = await timed(async () => {
    for (let n = first; n < first + STEPS; n++) {
      turns.push(...exchange(n));
      Buffer.from(write(turns, `Goals: reach step ${n + 1}.`));
    }
  });
  return (cpuMs * 1_000) / STEPS;
}

/** @type {Record<string, () => Writer>} */
const writers = {
  anthropic: () => product(createAnthropicHistory("anthropic/m", "keep")),
  openai: () => product(createOpenAiHistory("free")),
  all: serialiseAll,
  fragments: joinFragments,
};
const names = Object.keys(writers);
/** @type {Record<string, number[]>} */
const rounds = Object.fromEntries(names.map((name) => [name, []]));
for (let n = 0; n < ROUNDS; n++) {
  // Taken in turns, so that what else the machine does meets all of them alike.
  for (const name of names) rounds[name]?.push(await run(/** @type {() => Writer} */ (writers[name])()));
}
const cpu = (/** @type {string} */ name) => median((rounds[name] ?? []).slice(5));
const [all, fragments] = [cpu("all"), cpu("fragments")];
report(
  ["anthropic", "openai"].map((name) => {
    const us = cpu(name);
    return figure("6", `request body at 2,000 messages, ${name} (CPU)`, `${round(us, 0)} us`, {
      beside: `JSON.stringify ${round(all, 0)} us (${round(us / all, 2)}), fragments ${round(fragments, 0)} us (${round(us / fragments, 2)})`,
      goal: "<= 0.5 and <= 1.3 times",
      met: us <= 0.5 * all && us <= 1.3 * fragments,
    });
  }),
);
