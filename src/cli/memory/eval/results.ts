// What came of the questions so far, and where that is kept.

import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { codeOf } from "../../../base/errors.ts";

const rank = z.int().min(1).nullable();

const result = z.object({
  sample: z.string(),
  question: z.string(),
  kind: z.string(),
  /** By way of finding it, the place of the first entry that answers it; `null`: it is not among the first ten. */
  ranks: z.object({ scribe: rank, raw: rank, newest: rank }),
  /** Nothing that was said answers it. */
  isUnanswerable: z.boolean(),
});

export type RecallResult = z.output<typeof result>;
export type RecallWay = keyof RecallResult["ranks"];

export interface ResultFile {
  readonly path: string;
  /** In the order in which they were asked. */
  readonly results: readonly RecallResult[];
  /** Those of one sample, together. */
  add(results: readonly RecallResult[]): Promise<void>;
}

/** In `folder`, which is made. */
export async function openResults(folder: string): Promise<ResultFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "results.jsonl");
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  });
  // Of a line that a crash cut off the sample is asked again.
  const results = text.split("\n").flatMap((line) => parse(line) ?? []);
  return {
    path,
    results,
    async add(more) {
      await appendFile(path, `\n${more.map((one) => JSON.stringify(one)).join("\n")}\n`);
      results.push(...more);
    },
  };
}

function parse(line: string): RecallResult | undefined {
  try {
    return result.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
