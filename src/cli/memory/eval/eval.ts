// How well a memory is found in: a data set is kept by scribes, and its questions are asked.

import { resolve } from "node:path";
import { LegionError } from "../../../base/errors.ts";
import { shownPath } from "../../../base/files/project-file.ts";
import { count } from "../../../base/text/wording.ts";
import { confirm, canAsk } from "../../consent/confirm.ts";
import { printJson, printRows, print, warn } from "../../kit/output.ts";
import { createProgress } from "../../kit/progress.ts";
import { tableRows, tableSpace, type Column } from "../../look/table.ts";
import type { Ordered } from "../order.ts";
import { readRecallSet } from "./read-set.ts";
import type { RecallSample, RecallSet } from "./recall-set.ts";
import { evaluate } from "./evaluate.ts";
import { planEvaluation, type PlannedEvaluation } from "./open-evaluation.ts";
import { openResults, type RecallResult, type RecallWay, type ResultFile } from "./results.ts";
import { scoresOf, type Score } from "./scores.ts";

export async function order(ordered: Ordered): Promise<number> {
  const { typed, io, site } = ordered;
  const [file = ""] = typed.args;
  if (file === "") throw new LegionError("USAGE", "name a file: LoCoMo or LongMemEval, as JSON");
  const set = await readRecallSet(resolve(io.cwd, file), file);
  const planned = await planEvaluation({ ...site, digest: set.digest, typed, io });
  for (const remark of planned.remarks) warn(io, remark);
  if (!(await isWanted(set, planned, ordered))) return 1;
  const results = await openResults(planned.folder);
  await evaluateAll(set, { planned, results }, ordered);
  show(results.results, ordered);
  if (!typed.options["json"])
    printRows(
      io,
      `\n${shownPath(site.project, results.path)} has each question; deleted with its folder, all is asked anew.`,
    );
  return 0;
}

/** What costs money is asked first. */
async function isWanted(
  { samples }: RecallSet,
  { model, limits }: PlannedEvaluation,
  { typed, io }: Ordered,
): Promise<boolean> {
  const { price } = model.profile;
  const isFree = price !== undefined && price.input === 0 && price.output === 0;
  if (isFree || typed.options["yes"]) return true;
  const messages = messagesOf(samples);
  const calls =
    messages + Math.ceil(messages / FLUSHED_AFTER) + samples.flatMap(({ sessions }) => sessions).length;
  const most = limits.cost === undefined ? "no limit" : `a limit of ${limits.cost} USD`;
  const says = `${count(messages, "message")} are about ${count(calls, "call")} of ${model.name}, with ${most}`;
  if (canAsk(io) && !typed.options["json"]) return confirm(`${says}. Ask it?`, io);
  throw new LegionError("USAGE", `${says}; --yes says that it may be asked, --model offline costs nothing`);
}

const FLUSHED_AFTER = 6;

async function evaluateAll(
  { samples }: RecallSet,
  { planned, results }: { readonly planned: PlannedEvaluation; readonly results: ResultFile },
  { io }: Ordered,
): Promise<void> {
  const done = new Set(results.results.map(({ sample }) => sample));
  const left = samples
    .map((sample, index) => ({ sample, number: index + 1 }))
    .filter(({ sample }) => !done.has(sample.id));
  if (left.length === 0) return;
  const progress = createProgress(io);
  const opened = await planned.open();
  try {
    for (const { sample, number } of left) {
      const all = messagesOf([sample]);
      const onProgress = (kept: number): void =>
        progress.show(`conversation ${number} of ${samples.length}: ${kept} of ${all} messages are kept`);
      await results.add(await evaluate({ ...opened, onProgress }, sample, number));
    }
  } finally {
    progress.clear();
    await opened.close();
  }
}

function messagesOf(samples: readonly RecallSample[]): number {
  return samples.flatMap(({ sessions }) => sessions).reduce((sum, { messages }) => sum + messages.length, 0);
}

const WAYS: Readonly<Record<RecallWay, string>> = {
  scribe: "scribe",
  raw: "raw text alone",
  newest: "newest ten",
};

interface ScoreLine extends Score {
  readonly way: string;
}

function show(results: readonly RecallResult[], { typed, io }: Ordered): void {
  const asked = results.filter(({ isUnanswerable }) => !isUnanswerable);
  const ways = Object.keys(WAYS) as RecallWay[];
  const lines = ways.flatMap((way) =>
    scoresOf(asked.map(({ kind, ranks }) => ({ kind, rank: ranks[way] }))).map((score) => ({
      ...score,
      way: WAYS[way],
    })),
  );
  const kinds = [...new Set(lines.map(({ kind }) => kind))];
  const sorted = kinds.flatMap((kind) => lines.filter((line) => line.kind === kind));
  if (typed.options["json"]) for (const line of sorted) printJson(io, line);
  else print(io, tableRows(sorted, COLUMNS, tableSpace(io)).join("\n"));
  const left = results.length - asked.length;
  if (left > 0 && !typed.options["json"])
    printRows(
      io,
      `${count(left, "question")} without an answer in what was said left out: whatever is found there is wrong.`,
    );
}

const COLUMNS: readonly Column<ScoreLine>[] = [
  { title: "QUESTIONS ABOUT", align: "left", rank: 0, cell: ({ kind }) => kind },
  { title: "FOUND IN", align: "left", rank: 0, cell: ({ way }) => way },
  { title: "ASKED", align: "right", rank: 2, cell: ({ asked }) => String(asked) },
  { title: "HIT@1", align: "right", rank: 1, cell: ({ hit1 }) => shown(hit1) },
  { title: "HIT@5", align: "right", rank: 1, cell: ({ hit5 }) => shown(hit5) },
  { title: "HIT@10", align: "right", rank: 1, cell: ({ hit10 }) => shown(hit10) },
  { title: "MRR", align: "right", rank: 1, cell: ({ mrr }) => shown(mrr) },
];

function shown(share: number): string {
  return share.toFixed(2);
}
