// A file of conversations and questions, in whichever of the known forms.

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { LegionError, codeOf } from "../../../base/errors.ts";
import { quote } from "../../../base/text/wording.ts";
import { readLocomo } from "./locomo.ts";
import { readLongMemEval } from "./longmemeval.ts";
import type { RecallSample, RecallSet } from "./recall-set.ts";

/** The longest text that a program of this kind can hold. */
const MAX_BYTES = 500_000_000;

/** Throws USAGE for a file that is none, or of no form that is known; nothing of it is looked at twice. */
export async function readRecallSet(path: string, shown: string): Promise<RecallSet> {
  const text = await textOf(path, shown);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new LegionError("USAGE", `${quote(shown)} is not JSON`);
  }
  const problems: string[] = [];
  for (const read of [readLocomo, readLongMemEval]) {
    const found = read(parsed);
    if (typeof found !== "string")
      return { samples: checked(found, shown), digest: createHash("sha256").update(text).digest("hex") };
    problems.push(found);
  }
  throw new LegionError(
    "USAGE",
    `${quote(shown)} is neither LoCoMo (${problems[0]}) nor LongMemEval (${problems[1]})`,
  );
}

function checked(samples: readonly RecallSample[], shown: string): readonly RecallSample[] {
  if (samples.some(({ questions, sessions }) => questions.length > 0 && sessions.length > 0)) return samples;
  throw new LegionError("USAGE", `${quote(shown)} has no questions about conversations`);
}

async function textOf(path: string, shown: string): Promise<string> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      if (size > MAX_BYTES)
        throw new LegionError("USAGE", `${quote(shown)} has ${size} bytes; at most ${MAX_BYTES} are read`);
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") throw new LegionError("USAGE", `there is no file ${quote(shown)}`);
    if (code === "EISDIR") throw new LegionError("USAGE", `${quote(shown)} is a folder, not a file`);
    if (code === "EACCES") throw new LegionError("USAGE", `${quote(shown)} may not be read`);
    throw error;
  }
}
