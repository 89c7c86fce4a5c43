// What the gate costs: a step under two hundred rules and with fifty secrets, beside one with neither.

import { randomBytes } from "node:crypto";
import { byTurns, figure, load, report, round, timeStep } from "./bench.mjs";

const { createRedactor } = await load("src/base/redaction/redactor.js");

const secrets = Array.from({ length: 50 }, (_, index) => ({
  name: `SECRET_${index}`,
  value: `sk-${randomBytes(30).toString("base64")}`,
}));
/** Of each subject some, none of which fits what is called. @param {number} n */
const rulesOf = (n) => [
  `run tool${n} push *`,
  `run npm run job${n} *`,
  `read private/area${n}/**`,
  `write build/area${n}/*.lock`,
  `net *.site${n}.example:443`,
  `send agent${n}`,
  `action mcp${n}__*`,
];
const rules = Array.from({ length: 29 }, (_, index) => rulesOf(index))
  .flat()
  .slice(0, 200);
const policy = [
  { by: "config.yaml", as: "anybody", deny: rules.slice(0, 70), ask: rules.slice(70, 140) },
  { by: "the person", as: "person", allow: rules.slice(140) },
];

/** @param {"touch" | "reach"} action */
async function compare(action) {
  return byTurns(
    () => timeStep({ action }),
    () => timeStep({ action, policy, redactor: createRedactor(secrets) }),
    9,
  );
}

/** @param {string} what @param {{one: number, other: number, ratio: number}} found */
const line = (what, { one, other, ratio }) =>
  figure("", what, `${round(other)} us`, {
    beside: `without ${round(one)} us: ${round(ratio, 3)}`,
    goal: "<= 1.1",
    met: ratio <= 1.1,
  });

const plain = await compare("touch");
const reaching = await compare("reach");
report([
  line("step, 200 rules and 50 secrets", plain),
  line("the same, a call that names a file, a command and a host", reaching),
]);
