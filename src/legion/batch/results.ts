// What a batch leaves beside the trajectories: `preds.json`, as SWE-bench takes it, and `summary.json`. Both are whole at every
// moment, and a few seconds behind at most.

import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import { createGrowingFile, type GrowingFile } from "../../base/files/growing-file.ts";
import { totalsOf, type TaskRow } from "./row.ts";

/** What was handed in for a task; empty where nothing was. */
export interface Prediction {
  readonly id: string;
  readonly submission: string;
}

export interface Results {
  /** The task ended, for as long as this process has it. */
  add(prediction: Prediction): void;
  /** Writes what is still missing. Resolves with what stood against writing, if anything did. */
  close(): Promise<string | undefined>;
}

export interface ResultsOrder {
  /** Absolute path of a folder. */
  readonly folder: string;
  /** The name of the model that all of them had. */
  readonly model: string;
  rows(): readonly TaskRow[];
  /** What was handed in for every task that is told by now. */
  told(): AsyncIterable<Prediction>;
  readonly clock: Pick<Clock, "sleep">;
  /** Told once what stands against writing them. */
  readonly tell: (problem: string) => void;
}

const PAUSE_MS = 1_000;
/** So many times as long as the disk needs for them, others have it. */
const SHARE = 10;

export function createResults(order: ResultsOrder): Results {
  const { folder, rows, clock, tell } = order;
  const preds = createPredictions(createGrowingFile(join(folder, "preds.json")), order);
  const summary = createGrowingFile(join(folder, "summary.json"));
  const over = new AbortController();
  let running: Promise<void> | undefined;
  let isBehind = false;
  let problem: string | undefined;
  const write = async (how: "seen" | "kept"): Promise<number> => {
    const beganMs = performance.now();
    isBehind = false;
    try {
      await preds.write(how);
      await writeSummary(summary, rows(), how);
      problem = undefined;
    } catch (error) {
      isBehind = true;
      if (problem === undefined) tell(`the results cannot be written: ${messageOf(error)}`);
      problem = `the results cannot be written: ${messageOf(error)}`;
    }
    return performance.now() - beganMs;
  };
  const run = async (): Promise<void> => {
    let tookMs = 0;
    while (isBehind && !over.signal.aborted) {
      await clock.sleep(Math.max(PAUSE_MS, tookMs * SHARE), over.signal);
      if (!over.signal.aborted) tookMs = await write("seen");
    }
    running = undefined;
  };
  return {
    add(prediction) {
      preds.add(prediction);
      isBehind = true;
      running ??= run();
    },
    async close() {
      over.abort();
      await running;
      await write("kept");
      await preds.close();
      await summary.close();
      return problem;
    },
  };
}

/** What was written is never held; where somebody changed the file, all of it is told again. */
function createPredictions(file: GrowingFile, { model, told }: Pick<ResultsOrder, "model" | "told">) {
  /** What nobody told yet, by the id of its task: one that ends while `told` is read may be told by that. */
  const waiting = new Map<string, Prediction>();
  let isFirst = true;
  const entry = ({ id, submission }: Prediction): string => {
    const said = { model_name_or_path: model, instance_id: id, model_patch: submission };
    const text = `${isFirst ? "{" : ","}\n  ${JSON.stringify(id)}: ${JSON.stringify(said)}`;
    isFirst = false;
    return text;
  };
  return {
    add: (prediction: Prediction) => void waiting.set(prediction.id, prediction),
    async write(how: "seen" | "kept"): Promise<void> {
      const growth = await file.next("settled");
      try {
        if (growth.isEmpty) isFirst = true;
        const news = growth.isEmpty ? told() : [...waiting.values()];
        for await (const prediction of news) {
          waiting.delete(prediction.id);
          await growth.settle(entry(prediction));
        }
        await growth.place(isFirst ? "{}\n" : "\n}\n", how);
      } catch (error) {
        await growth.discard();
        // Where that stood against it, what is in place is told anew.
        await file.close();
        throw error;
      }
    },
    close: () => file.close(),
  };
}

async function writeSummary(
  file: GrowingFile,
  rows: readonly TaskRow[],
  how: "seen" | "kept",
): Promise<void> {
  const growth = await file.next("anew");
  try {
    const lines = rows.map((row) => `    ${JSON.stringify(row)}`);
    const totals = JSON.stringify(totalsOf(rows)).slice(1, -1);
    await growth.place(`{\n  "totals": {${totals}},\n  "tasks": [\n${lines.join(",\n")}\n  ]\n}\n`, how);
  } catch (error) {
    await growth.discard();
    throw error;
  }
}
