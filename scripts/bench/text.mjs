// What a text costs that is no prose, beside prose of its length: one word without end, base64, and what nobody writes;
// and how long the main thread stands still while an agent is given ten megabytes of it.

import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { figure, instantModel, load, noop, plan, report, round, startBench } from "./bench.mjs";

const { createTokenCounter, estimateTokens } = await load("src/model/tokens/tokens.js");
const { createRedactor } = await load("src/base/redaction/redactor.js");
const { readNativeCalls } = await load("src/model/protocol/native-calls.js");
const { textProtocol } = await load("src/model/protocol/text.js");
const { toolsProtocol } = await load("src/model/protocol/tools.js");
const { toJson } = await load("src/model/http/body.js");
const { toLine } = await load("src/storage/folder/line.js");
const { createView } = await load("src/past/view.js");
const { sha256 } = await load("src/past/log/blobs.js");

const MEGABYTE = 1_048_576;
/** @param {string} part @param {number} length */
const fill = (part, length) => part.repeat(Math.ceil(length / part.length)).slice(0, length);
const docs = new URL("../../docs/", import.meta.url);
const pages = readdirSync(docs).filter((name) => name.endsWith(".md"));
const words = pages.map((name) => readFileSync(new URL(name, docs), "utf8")).join("\n");
const random = randomBytes(8 * MEGABYTE).toString("base64");
const lines = random.replace(/.{76}/g, "$&\n");

/** @type {Record<string, (length: number) => string>} */
const KINDS = {
  prose: (length) => fill(words, length),
  word: (length) => fill("a", length),
  base64: (length) => random.slice(0, length),
  "base64 in lines": (length) => lines.slice(0, length),
  blanks: (length) => fill(" ", length),
  "line ends": (length) => fill("\n", length),
  backticks: (length) => fill("`", length),
  fences: (length) => fill("```\n", length),
  brackets: (length) => fill("[", length),
  families: (length) => fill("👩‍👩‍👧‍👦", length),
  joiners: (length) => fill("\u200d", length),
  accents: (length) => fill("\u0301", length),
  han: (length) => fill("字", length),
};
/** Those that the goal names. */
const NAMED = ["word", "base64", "base64 in lines"];

const secrets = Array.from({ length: 50 }, (_, index) => ({
  name: `SECRET_${index}`,
  value: `sk-${randomBytes(30).toString("base64")}`,
}));
const redactor = createRedactor(secrets);
const counter = createTokenCounter();

/** @param {string} text */
const completion = (text) => ({ text, calls: [], stop: "end" });
/** @param {string} text */
const result = (text) => ({ kind: "result", call: "1", outcome: "ok", content: text });
const stamp = { epoch: 1, at: "2026-11-23T00:00:00.000Z" };

/** @param {string} text */
function show(text) {
  const view = createView({ protocol: textProtocol, errors: "keep", window: 200_000 });
  const decision = { kind: "decision", text: "", calls: [{ id: "1", action: "touch", parameters: {} }] };
  view.see({ ...stamp, seq: 1, ...decision, protocol: "text", stop: "calls" });
  view.see({ ...stamp, seq: 2, ...result(text) });
  return [view.chain, view.tokens];
}

/** @type {Record<string, (text: string) => unknown>} */
const STAGES = {
  count: (text) => counter.count([text]),
  estimate: (text) => estimateTokens(text),
  redact: (text) => redactor.text(text),
  "read as text": (text) => textProtocol.parse(completion(text), []),
  "read as an answer": (text) => toolsProtocol.parse(completion(text), []),
  "read a call": (text) =>
    readNativeCalls({ calls: [{ id: "1", name: "touch", arguments: JSON.stringify({ n: text }) }] }),
  "mend a call": (text) =>
    readNativeCalls({ calls: [{ id: "1", name: "touch", arguments: `{"n":"${text}` }] }),
  hash: (text) => sha256(text),
  "write a line": (text) => toLine({ ...stamp, seq: 1, ...result(text) }),
  "write a body": (text) => toJson({ role: "user", content: text }),
  show,
};

/** The shortest of some times, in milliseconds. @param {string} stage @param {string} text */
async function time(stage, text) {
  let shortest = Infinity;
  for (let turn = 0; turn < (text.length > MEGABYTE ? 2 : 5); turn++) {
    const started = performance.now();
    await STAGES[stage]?.(text);
    shortest = Math.min(shortest, performance.now() - started);
  }
  return shortest;
}

/**
 * What the dearest of `kinds` costs beside prose, in a stage.
 * @param {string} stage @param {readonly string[]} kinds @param {number} length
 */
async function dearest(stage, kinds, length) {
  const prose = Math.max(await time(stage, KINDS["prose"]?.(length) ?? ""), 0.05);
  let most = { kind: "", ratio: 0, ms: 0 };
  for (const kind of kinds) {
    const ms = await time(stage, KINDS[kind]?.(length) ?? "");
    if (ms / prose > most.ratio) most = { kind, ratio: ms / prose, ms };
  }
  return { ...most, prose };
}

/** By an action. @param {string} text */
async function giveResult(text) {
  const { defineAction, defineModule, ok } = await load("src/domain/authoring/module.js");
  const { indexActions } = await load("src/agent/parts/module-set.js");
  const { core } = await load("modules/core.js");
  const spill = defineAction({
    description: "Spill",
    parameters: {},
    effects: "none",
    execute: () => ok(text),
  });
  const index = indexActions([core, defineModule({ name: "bench", actions: { spill } })], toolsProtocol);
  const model = instantModel(
    (asked) => (asked === 0 ? { calls: [{ id: "1", name: "spill", arguments: "{}" }] } : noop()),
    200_000,
  );
  return longestPause({ ...(await plan({ id: "1", model })), actions: index }, "go");
}

/** By its model. @param {string} text */
async function giveAnswer(text) {
  const model = instantModel((asked) => (asked === 0 ? { text } : noop()), 200_000);
  return longestPause(await plan({ id: "1", model }), "go");
}

/** By a person. @param {string} text */
async function giveMessage(text) {
  return longestPause(await plan({ id: "1", model: instantModel(noop, 200_000) }), text);
}

/** Of the main thread, in milliseconds, until the agent rests. @param {unknown} planned @param {string} said */
async function longestPause(planned, said) {
  const legion = await startBench({ plans: [planned], redactor });
  let longest = 0;
  let last = performance.now();
  let isOver = false;
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await legion.control.say(["1"], said);
  await legion.untilIdle(new AbortController().signal);
  isOver = true;
  await legion.stop();
  return longest;
}

const figures = [];
await counter.count(["warm up"]);
for (const stage of Object.keys(STAGES)) {
  for (const [length, kinds] of /** @type {[number, string[]][]} */ ([
    [20_000, NAMED],
    [10 * MEGABYTE, NAMED],
    [MEGABYTE, Object.keys(KINDS).slice(1)],
  ])) {
    const { kind, ratio, ms, prose } = await dearest(stage, kinds, length);
    const isNamed = kinds === NAMED;
    figures.push(
      figure("8", `${stage}: ${kind}, ${round(length / MEGABYTE, 2)} MB`, `${round(ms, 2)} ms`, {
        beside: `prose ${round(prose, 2)} ms: ${round(ratio, 2)}`,
        ...(isNamed && { goal: "<= 1.3", met: ratio <= 1.3 }),
      }),
    );
  }
}
for (const [what, give, length] of /** @type {[string, (text: string) => Promise<number>, number][]} */ ([
  ["a result", giveResult, 10 * MEGABYTE],
  ["an answer", giveAnswer, MEGABYTE / 2],
  ["a message", giveMessage, MEGABYTE / 4],
])) {
  await give(KINDS["prose"]?.(length) ?? "");
  for (const kind of Object.keys(KINDS)) {
    const pauses = [];
    // What the machine does besides only makes them longer.
    for (let turn = 0; turn < 3; turn++) pauses.push(await give(KINDS[kind]?.(length) ?? ""));
    const pauseMs = Math.min(...pauses);
    figures.push(
      figure(
        "8",
        `longest pause at ${what} of ${round(length / MEGABYTE, 2)} MB: ${kind}`,
        `${round(pauseMs)} ms`,
        {
          goal: "<= 20 ms",
          met: pauseMs <= 20,
        },
      ),
    );
  }
}
report(figures);
