// Secrets: what hiding fifty of them costs a megabyte, and a step.

import { randomBytes } from "node:crypto";
import { byTurns, figure, load, median, report, round, timeStep } from "./bench.mjs";

const { createRedactor } = await load("src/base/redaction/redactor.js");

const MEGABYTE = 1_048_576;
const secrets = Array.from({ length: 50 }, (_, index) => ({
  name: `SECRET_${index}`,
  value: `sk-${randomBytes(30).toString("base64")}`,
}));

/** The median time in milliseconds. @param {string} text */
function hide(text) {
  const { text: redact } = createRedactor(secrets);
  /** @type {number[]} */
  const times = [];
  for (let round = 0; round < 25; round++) {
    const started = performance.now();
    redact(text);
    times.push(performance.now() - started);
  }
  return median(times);
}

const words = "The quick brown fox of agent 7 wrote src/past/log.ts:112 { at: '2026-11-23', ok: true }\n";
const prose = words.repeat(MEGABYTE / words.length + 1).slice(0, MEGABYTE);
const base64 = randomBytes(MEGABYTE).toString("base64").replace(/.{76}/g, "$&\n").slice(0, MEGABYTE);
let held = 0;
const full = prose.replaceAll("brown fox", () => secrets[held++ % 50]?.value ?? "").slice(0, MEGABYTE);

const redactor = createRedactor(secrets);
const { one, other, ratio } = await byTurns(
  () => timeStep({}),
  () => timeStep({ redactor }),
  5,
);
const times = { text: hide(prose), lines: hide(base64), full: hide(full) };
report([
  figure("", "1 MB without a secret, of 50", `${round(times.text, 2)} ms`, {
    goal: "<= 10 ms",
    met: times.text <= 10,
  }),
  figure("", "1 MB of base64 in lines", `${round(times.lines, 2)} ms`, {
    goal: "<= 10 ms",
    met: times.lines <= 10,
  }),
  figure("", "1 MB full of secrets", `${round(times.full, 2)} ms`, {
    goal: "<= 10 ms",
    met: times.full <= 10,
  }),
  figure("", "step with 50 secrets", `${round(other)} us`, {
    beside: `without ${round(one)} us: ${round(ratio, 3)}`,
    goal: "<= 1.1",
    met: ratio <= 1.1,
  }),
]);
