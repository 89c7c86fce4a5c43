// What a batch shows: how far it is on standard error, and a table, or JSON, of what came of its tasks on standard output.

import { join, sep } from "node:path";
import { formatDuration } from "../../../base/text/duration.ts";
import { count } from "../../../base/text/wording.ts";
import type { TaskBatch } from "../../../legion/batch/batch.ts";
import { totalsOf, type BatchTotals, type TaskRow } from "../../../legion/batch/row.ts";
import { runName } from "../../../storage/folder/paths.ts";
import { formatCost } from "../../console/narration/narration.ts";
import type { Io } from "../../kit/command.ts";
import { columnsFor, oneLine, print, printJson, warn } from "../../kit/output.ts";
import { createProgress } from "../../kit/progress.ts";
import { costCell, tableRows, type Column } from "../../look/table.ts";
import type { OpenDisplay } from "../start/view.ts";
import { openQuiet } from "../task/display.ts";
import { onceAnew, pathFrom } from "../task/last-line.ts";
import type { BatchWork } from "./work.ts";

export interface BatchOutput {
  /** Absolute path of its folder. */
  readonly folder: string;
  readonly work: BatchWork;
  readonly stdout: Io["stdout"];
  readonly prints: "table" | "json";
}

const EVERY_MS = 1_000;

export function displayFor({ folder, work, stdout, prints }: BatchOutput): OpenDisplay {
  return async (options) => {
    const { io, project } = options;
    const batch = work.batch()!;
    const beganMs = performance.now();
    const progress = createProgress(io);
    const stderr = clearing(io.stderr, progress.clear);
    const quiet = openQuiet({ ...options, io: { ...io, stderr } }, runName(project, folder));
    const show = (): void => progress.show(progressLine(batch, performance.now() - beganMs));
    const showing = setInterval(show, EVERY_MS).unref();
    work.follow((row) => {
      show();
      if (io.stderr.isTTY) return;
      const { done } = batch.far();
      stderr.write(`${row.id}: ${billLine(row.status, row)} (${done} of ${batch.rows().length})\n`);
    });
    return {
      ...quiet,
      async conclude() {
        clearInterval(showing);
        progress.clear();
        for (const problem of await batch.settled()) warn({ stderr }, problem);
        const rows = batch.rows();
        if (prints === "json") printResults({ stdout }, rows, folder);
        else print({ stdout }, table(rows, stdout));
        const why = wayOn(work, rows);
        if (why !== undefined) warn({ stderr }, why);
        stderr.write(`${lastLine(totalsOf(rows), performance.now() - beganMs, pathFrom(io.cwd, folder))}\n`);
      },
    };
  };
}

/** What is written there stands on lines of its own. */
function clearing(stderr: Io["stderr"], clear: () => void): Io["stderr"] {
  const write = (text: string): boolean => {
    clear();
    return stderr.write(text);
  };
  return Object.create(stderr, { write: { value: write } }) as Io["stderr"];
}

function progressLine(batch: TaskBatch, sinceMs: number): string {
  const rows = batch.rows();
  const { done, atWork, asking } = batch.far();
  const { submitted, cost } = totalsOf(rows);
  const parts = [
    `${done} of ${rows.length} done`,
    `${atWork} at work`,
    ...(asking > 0 ? [`${asking} ${asking === 1 ? "waits" : "wait"} for you`] : []),
    ...(done > submitted ? [`${done - submitted} not submitted`] : []),
    ...(cost ? [formatCost(cost)] : []),
    formatDuration(Math.floor(sinceMs / EVERY_MS) * EVERY_MS),
  ];
  return parts.join(" · ");
}

const COLUMNS: readonly Column<TaskRow>[] = [
  { title: "TASK", align: "left", rank: 0, cell: ({ id }) => id },
  { title: "STATUS", align: "left", rank: 0, cell: ({ status }) => status },
  { title: "STEPS", align: "right", rank: 1, cell: ({ steps }) => String(steps) },
  { title: "COST", align: "right", rank: 2, cell: ({ cost }) => costCell(cost) },
  {
    title: "TIME",
    align: "right",
    rank: 3,
    cell: ({ timeMs }) => (timeMs === 0 ? "-" : formatDuration(timeMs)),
  },
  { title: "WHY", align: "left", rank: 4, cell: ({ reason }) => oneLine(reason) },
];

function table(rows: readonly TaskRow[], stdout: Io["stdout"]): string {
  const columns = stdout.isTTY ? columnsFor({ stdout }) : Infinity;
  const isPlain = rows.every(({ reason }) => reason === "");
  const wanted = isPlain ? COLUMNS.slice(0, -1) : COLUMNS;
  return tableRows(rows, wanted, { columns, nowMs: Date.now() }).join("\n");
}

function printResults(io: Pick<Io, "stdout">, rows: readonly TaskRow[], folder: string): void {
  for (const row of rows) printJson(io, { kind: "task", ...row });
  printJson(io, { kind: "end", ...totalsOf(rows), folder, predictions: join(folder, "preds.json") });
}

/** Why not all is done, and what has it go on; `undefined` if it is. */
function wayOn({ batch, goesOn }: BatchWork, rows: readonly TaskRow[]): string | undefined {
  const open = rows.filter(({ status }) => status !== "Submitted");
  if (open.length === 0) return undefined;
  const shortage = batch()!.shortage();
  const why = shortage
    ? oneLine(shortage.why).replace(/\.$/, "")
    : `${count(open.length, "task")} ${open.length === 1 ? "is" : "are"} not submitted`;
  // The person's purse no flag lifts.
  if (shortage?.until !== undefined) return `${why}; ${goesOn()} ${onceAnew(shortage.until)}`;
  const isLimited = shortage !== undefined || open.every(({ status }) => LIMITS.has(status));
  return `${why}; ${goesOn(...(isLimited ? ["with higher --limits"] : []))}`;
}

const LIMITS: ReadonlySet<TaskRow["status"]> = new Set(["LimitsExceeded", "TimeExceeded"]);

function billLine(what: string, { steps, cost, timeMs }: Pick<TaskRow, "steps" | "cost" | "timeMs">): string {
  const price = cost === null ? "cost unknown" : cost > 0 ? formatCost(cost) : "free";
  return [what, count(steps, "step"), price, formatDuration(timeMs)].join(" · ");
}

function lastLine(totals: BatchTotals, tookMs: number, folder: string): string {
  const what = `${totals.submitted} of ${count(totals.tasks, "task")} submitted`;
  const place = `${oneLine(folder)}${sep}preds.json`;
  return `${billLine(what, { ...totals, timeMs: Math.round(tookMs) })} · ${place}`;
}
