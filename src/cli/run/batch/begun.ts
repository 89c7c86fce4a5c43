// What was begun of the tasks of a batch, and whether it is still what the command says.

import { LegionError } from "../../../base/errors.ts";
import { didYouMean, quote } from "../../../base/text/wording.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import type { BatchFolder, BegunTask } from "../../../storage/files/batches.ts";
import type { BatchTask, TaskFile } from "./tasks.ts";

/** A task, and who works at it. */
export interface SettledTask {
  readonly task: BatchTask;
  readonly agent: AgentId;
  readonly isBegun: boolean;
  /** As it was kept. */
  readonly isToldWhole: boolean;
}

export interface BegunOrder {
  readonly folder: BatchFolder;
  /** Of who works at all of them. */
  readonly worker: string;
  /** The ids of those that shall be begun anew. */
  readonly redo: readonly string[];
  /** Agents that the home knows. */
  readonly known: readonly AgentId[];
}

/** Throws USAGE, naming the task, for one that was begun as something else, and for one to begin anew that is not there. */
export async function settleTasks(
  { tasks, shown }: TaskFile,
  { folder, worker, redo, known }: BegunOrder,
): Promise<readonly SettledTask[]> {
  const ids = tasks.map(({ id }) => id);
  const stranger = redo.find((id) => !ids.includes(id));
  if (stranger !== undefined)
    throw new LegionError(
      "USAGE",
      `--redo: there is no task ${quote(stranger)} in ${shown}.${didYouMean(stranger, ids)}`,
    );
  const taken = new Set([...known, ...tasks.map(({ agent }) => agent)]);
  const changed: string[] = [];
  const settled: SettledTask[] = [];
  for (const task of tasks) {
    const isAnew = redo.includes(task.id);
    const begun = isAnew ? undefined : await folder.begun(task.id);
    if (begun && begun.line !== task.digest) throw changedLine(task, shown);
    if (begun && begun.worker !== worker) changed.push(task.id);
    const isFree = !isAnew && !known.includes(task.agent);
    const agent = begun?.agent ?? (isFree ? task.agent : freeName(task.agent, taken));
    taken.add(agent);
    const { isToldWhole = false } = begun ?? {};
    settled.push({ task, agent, isBegun: begun !== undefined, isToldWhole });
  }
  if (changed.length > 0) throw changedWorker(changed);
  return settled;
}

/** What is kept of it when it is begun. */
export function begunAs({ task, agent }: SettledTask, worker: string): BegunTask {
  return { agent, line: task.digest, worker, isToldWhole: false };
}

function freeName(agent: AgentId, taken: ReadonlySet<AgentId>): AgentId {
  for (let n = 2; ; n++) if (!taken.has(`${agent}-${n}`)) return `${agent}-${n}`;
}

function changedLine({ id, line }: BatchTask, shown: string): LegionError {
  return new LegionError(
    "USAGE",
    `${shown}:${line}: the task ${quote(id)} was begun as another one; put that back, or \`--redo ${id}\` begins it anew`,
  );
}

const MAX_NAMED = 5;

function changedWorker(ids: readonly string[]): LegionError {
  const and = (more: number): string => (more > 0 ? ` and ${more} more` : "");
  const named = ids.slice(0, MAX_NAMED);
  return new LegionError(
    "USAGE",
    `${quote(named[0]!)}${and(ids.length - 1)} began with another agent, model or configuration; say the same again, ` +
      `name a new --output, or begin anew with \`--redo ${named.join()}\`${and(ids.length - named.length)}`,
  );
}
