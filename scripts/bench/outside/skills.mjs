// Finding a thousand skills, beside reading and parsing a thousand such files by hand.

import { mkdirSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { byTurns, figure, load, report, round, temporaryFolder } from "../bench.mjs";
import { skillFiles } from "./outside.mjs";

const COUNT = 1_000;
const TURNS = 12;

const { findSkills } = await load("modules/skills/find.js");
const folder = temporaryFolder();
for (const [path, text] of Object.entries(skillFiles(COUNT))) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** @param {() => Promise<number>} find how many */
async function timeOf(find) {
  const started = performance.now();
  const found = await find();
  if (found !== COUNT) throw new Error(`${found} skills`);
  return performance.now() - started;
}

async function byHand() {
  const root = join(folder, ".claude/skills");
  const names = await readdir(root);
  const fronts = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(root, name, "SKILL.md"), "utf8");
      return parse(text.split(/^---$/m)[1] ?? "");
    }),
  );
  return fronts.filter(({ name, description }) => name && description).length;
}

/** @param {Map<string, unknown>} [known] what was read before */
async function find(known) {
  const { skills } = await findSkills([join(folder, ".claude/skills")], new AbortController().signal, known);
  return skills.length;
}

const { one, other, ratio } = await byTurns(
  () => timeOf(byHand),
  () => timeOf(find),
  TURNS,
);
const known = new Map();
await find(known);
const again = await timeOf(() => find(known));
report([
  figure("15", `${COUNT} skills`, `${round(other, 0)} ms`, {
    beside: `read and parsed by hand ${round(one, 0)} ms: ${round(ratio, 2)}`,
    goal: "<= 1.5",
    met: ratio <= 1.5,
  }),
  figure("15", `${COUNT} skills that are known`, `${round(again, 0)} ms`),
]);
