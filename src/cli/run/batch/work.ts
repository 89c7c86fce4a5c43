// The tasks of a batch, as what the node of a start is there for.

import { join } from "node:path";
import { createClock } from "../../../base/clock.ts";
import { packageDir } from "../../../base/package.ts";
import { createBatch, type TaskBatch } from "../../../legion/batch/batch.ts";
import { openWorkforce, type Workforce } from "../../../legion/batch/crew.ts";
import { totalsOf, type TaskRow } from "../../../legion/batch/row.ts";
import type { BatchFolder } from "../../../storage/files/batches.ts";
import { createFileReader } from "../../../storage/files/reader/reader.ts";
import type { Watcher } from "../start/view.ts";
import { planWorkload, type Workload, type WorkloadOrder } from "../start/workload.ts";
import type { OpenedConfiguration } from "../../../legion/run/configuration.ts";
import { saidOfQuestions } from "../task/task.ts";
import { settleMode, type RunWatch } from "../task/watching.ts";
import { begunAs, settleTasks, type SettledTask } from "./begun.ts";
import type { TaskFile } from "./tasks.ts";

export interface BatchWork {
  /** As `planWorkload`. */
  readonly plan: (order: WorkloadOrder, watcher: Watcher) => Promise<Workload>;
  /** Absent: it is not planned yet. */
  batch(): TaskBatch | undefined;
  /** What has it go on, in words: the same command, but for `changes`, such as `with higher --limits`. */
  goesOn(...changes: readonly string[]): string;
  /** From now on `onEnd` is told of each task that ends. */
  follow(onEnd: (row: TaskRow) => void): void;
}

export interface BatchWorkOrder {
  readonly file: TaskFile;
  readonly folder: BatchFolder;
  readonly workers: number;
  /** The ids of those that shall be begun anew. */
  readonly redo: readonly string[];
  /** Name or path of the definition of all agents. */
  readonly reference: string;
  /** In place of a definition. */
  readonly configuration?: Pick<OpenedConfiguration, "latest">;
  readonly watching: RunWatch;
}

const STOPPED = 130;

export function createBatchWork(order: BatchWorkOrder): BatchWork {
  let batch: TaskBatch | undefined;
  let tell: (row: TaskRow) => void = () => undefined;
  const goesOn = createWayOn(order);
  return {
    batch: () => batch,
    goesOn,
    follow: (onEnd) => void (tell = onEnd),
    async plan(workload, watcher) {
      const crew = await openWorkforce(await forceOrder(order, workload));
      const planned = await planWorkload({ ...workload, who: standIn(workload.who, crew) }, watcher);
      const { roles, remarks } = planned.roster;
      const { plan, isSandboxed } = roles[0]!;
      const configured = order.configuration?.latest().run.mode;
      const watching = { ...order.watching, configured };
      const mode = settleMode(watching, { isSandboxed, approvals: saidOfQuestions(workload) });
      const reader = createFileReader(workload.project, { home: order.folder.home });
      const known = await reader.known();
      const settled = await settleTasks(order.file, { ...order, worker: crew.digest, known });
      await checkImages(settled, crew);
      await order.folder.make();
      const made = createBatch({
        ...{ reader, crew, model: plan.model.name, workers: order.workers },
        watch: { mode, said: watching.typed },
        onEnd: (row) => tell(row),
        clock: createClock(),
        folder: order.folder.home,
        tasks: settled.map((task) => taskOf(task, order, crew.digest)),
        tell: (problem) => watcher.tell(problem),
      });
      batch = made;
      let isStopped = false;
      return {
        ...planned,
        roster: {
          ...planned.roster,
          roles: [],
          remarks: [...remarks, ...(order.configuration?.latest().remarks ?? [])],
        },
        started: undefined,
        inSandbox: order.watching.typed === "usual" ? undefined : "unasked",
        farewell: `Ending: what runs is finished first; ${goesOn()}. Ctrl-C again stops at once.`,
        begin: () => keepAnew(settled, order, crew.digest),
        async done(legion, signal) {
          await made.work(legion, signal);
          isStopped = signal.aborted;
        },
        obstacle: () => Promise.resolve(whyNot(made.rows())),
        outcome() {
          const { tasks, submitted } = totalsOf(made.rows());
          const words = `The batch is ${isStopped ? "stopped" : "over"}: ${submitted} of ${tasks} submitted.`;
          return { words, exitCode: submitted === tasks ? 0 : isStopped ? STOPPED : 1 };
        },
      };
    },
  };
}

function createWayOn({ redo }: BatchWorkOrder): BatchWork["goesOn"] {
  return (...changes) => {
    // Said again, it would begin anew what has begun anew.
    const all = redo.length > 0 ? [...changes, "without --redo"] : changes;
    return ["the same command", all.join(" and "), "goes on"].filter(Boolean).join(" ");
  };
}

/** Stands for all of them, and has its commands run where theirs run. */
function standIn(
  who: WorkloadOrder["who"],
  { environment }: Pick<Workforce, "environment">,
): WorkloadOrder["who"] {
  if (who.kind !== "given") return who;
  return { ...who, members: who.members.map((member) => ({ ...member, environment })) };
}

async function forceOrder(order: BatchWorkOrder, workload: WorkloadOrder) {
  const { reference, folder, file } = order;
  const { config, project, others, admit, machine } = workload;
  const places = { projectDir: project, packageDir, others };
  const image = await imageOf(order);
  return { config, places, admit, machine: machine!, reference, home: folder.home, tasks: file.path, image };
}

/** Of the first that is still to be begun, where each has one: what is begun has had its image. */
async function imageOf({ file, folder, redo }: BatchWorkOrder): Promise<string | undefined> {
  if (file.tasks.some(({ image }) => image === undefined)) return undefined;
  for (const { id, image } of file.tasks) if (redo.includes(id) || !(await folder.begun(id))) return image;
  return undefined;
}

function taskOf(settled: SettledTask, { file, folder }: BatchWorkOrder, worker: string) {
  const { task, agent, isBegun, isToldWhole } = settled;
  const { id, source, image, inImage } = task;
  const begun = begunAs(settled, worker);
  return {
    ...{ id, agent, isBegun, isToldWhole, source, image, inImage },
    trajectory: join(folder.home, id, `${id}.traj.json`),
    text: () => file.read(task),
    keep: () => (isBegun ? Promise.resolve() : folder.keep(id, begun)),
    keepWhole: () => folder.keep(id, { ...begun, isToldWhole: true }),
  };
}

const LOOKS_AT_ONCE = 8;

/** Of those that are still to be begun: what is begun has had its image. */
async function checkImages(settled: readonly SettledTask[], crew: Pick<Workforce, "check">): Promise<void> {
  const images = new Set(settled.flatMap(({ task, isBegun }) => (isBegun ? [] : (task.image ?? []))));
  const queue = images.values();
  const look = async (): Promise<void> => {
    for (const image of queue) await crew.check(image);
  };
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, look));
}

/** That they are begun anew holds from here on, whatever becomes of this process. */
async function keepAnew(
  settled: readonly SettledTask[],
  { redo, folder }: BatchWorkOrder,
  worker: string,
): Promise<void> {
  for (const one of settled)
    if (redo.includes(one.task.id)) await folder.keep(one.task.id, begunAs(one, worker));
}

function whyNot(rows: readonly TaskRow[]): string | undefined {
  const open = rows.filter(({ status }) => status !== "Submitted");
  const [first] = open;
  if (!first) return undefined;
  const more = open.length > 1 ? `, and ${open.length - 1} more are not submitted` : "";
  return `${first.id}: ${first.status}${more}`;
}
