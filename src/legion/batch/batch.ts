// The tasks of a batch, one after the other and some side by side: whoever works at one comes when its turn is there, and goes when
// it is over. What is kept of a task says what was begun; everything else the logs say. A task is begun once: what is kept of it names
// its agent before there is one. Whatever stops one task, the others go on.

import { codeOf, isLegionError, messageOf } from "../../base/errors.ts";
import { sendsOf } from "../../domain/event/event.ts";
import { CONTROL, laneOf, parseMessageId, type AgentId } from "../../domain/message/message.ts";
import type { RunEnd } from "../../past/run-state.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { STOPPED } from "../run/outcome.ts";
import { NO_BILL, standingOfWorker, type RunBill } from "../run/report.ts";
import type { ModeChoice } from "../run/task.ts";
import { completeTrajectory } from "../run/trajectory.ts";
import type { Workforce, TaskSite } from "./crew.ts";
import { createResults, type Prediction } from "./results.ts";
import { isEnded, type TaskRow } from "./row.ts";
import { workAt, type Shortage, type TaskPlace, type UnderWay } from "./work-at.ts";

export interface PlannedTask extends TaskSite {
  readonly id: string;
  /** Who works at it. */
  readonly agent: AgentId;
  /** Was it begun before? */
  readonly isBegun: boolean;
  /** Is it over, and its trajectory as the log says? */
  readonly isToldWhole: boolean;
  /** Absolute path of its trajectory. */
  readonly trajectory: string;
  /** What it says. */
  text(): Promise<string>;
  /** Keeps that it is begun by that agent. */
  keep(): Promise<void>;
  /** Keeps that it is over, with its trajectory. */
  keepWhole(): Promise<void>;
}

export interface BatchOrder extends Omit<TaskPlace, "legion"> {
  readonly tasks: readonly PlannedTask[];
  /** So many are worked at at once. */
  readonly workers: number;
  readonly crew: Pick<Workforce, "prepare">;
  /** How their person watches over all of them; absent: as they say of each. */
  readonly watch?: ModeChoice;
  /** Absolute path of the folder of the results. */
  readonly folder: string;
  /** The name of their model. */
  readonly model: string;
  /** Told of each that ends while it is worked at. */
  readonly onEnd: (row: TaskRow) => void;
}

export interface BatchProgress {
  readonly done: number;
  readonly atWork: number;
  /** So many of those wait for an answer of their person. */
  readonly asking: number;
}

export interface TaskBatch {
  /** In the order of the tasks, as far as is known. */
  rows(): readonly TaskRow[];
  far(): BatchProgress;
  /** Why no more tasks are begun, where that is so. */
  shortage(): Shortage | undefined;
  /** Works until all is done, or `signal` aborts. */
  work(legion: TaskPlace["legion"], signal: AbortSignal): Promise<void>;
  /** Resolves when everything is written, once the legion has stopped, with what stood against that. */
  settled(): Promise<readonly string[]>;
}

export function createBatch(order: BatchOrder): TaskBatch {
  const { tasks, reader } = order;
  const rows = new Map<string, TaskRow>(tasks.map((task) => [task.id, rowFor(task, WAITING)]));
  const underWay = new Map<string, UnderWay>();
  /** Those that end in this process: until then nothing is told of what came of them. */
  const due = new Set<string>();
  let shortage: Shortage | undefined;
  const results = createResults({ ...order, rows: () => [...rows.values()], told: () => submissions() });
  async function* submissions(): AsyncGenerator<Prediction, void> {
    for (const { id, agent } of tasks) {
      if (due.has(id) || !isEnded(rows.get(id)!)) continue;
      const isSubmitted = rows.get(id)!.status === "Submitted";
      const { end } = isSubmitted ? await standingOfWorker(agent, reader) : NOBODY;
      yield { id, submission: end?.submission ?? "" };
    }
  }
  const workOn = createWorking(order, {
    underWay,
    told: createTold(reader),
    ended(task, end, bill) {
      const row = rowFor(task, end, bill);
      rows.set(task.id, row);
      due.delete(task.id);
      results.add({ id: task.id, submission: end.submission });
      order.onEnd(row);
    },
    left: (task, bill) => void rows.set(task.id, rowFor(task, STOPPED, bill)),
    lacks: (what) => void (shortage ??= what),
  });
  return {
    rows: () => [...rows.values()],
    far: () => ({
      done: [...rows.values()].filter((row) => isEnded(row) && !due.has(row.id)).length,
      atWork: [...underWay.keys()].filter((id) => due.has(id)).length,
      asking: [...underWay.values()].filter(({ asks }) => asks()).length,
    }),
    shortage: () => shortage,
    async work(legion, signal) {
      for (const task of tasks) if (task.isBegun) rows.set(task.id, await rowOf(task, order));
      const open = tasks.filter(({ id }) => rows.get(id)!.status !== "Submitted");
      for (const { id } of open) due.add(id);
      const isOver = (): boolean => signal.aborted || shortage !== undefined;
      await sideBySide(open, order.workers, isOver, (task) => workOn(task, legion, signal));
    },
    async settled() {
      const problems: string[] = [];
      for (const [id, { bill, close }] of underWay) {
        rows.set(id, { ...rows.get(id)!, ...bill() });
        problems.push((await close()) ?? "");
      }
      // Of those that were to be gone on with, and were not, is told what was before.
      for (const id of due) if (isEnded(rows.get(id)!)) results.add({ id, submission: "" });
      due.clear();
      problems.push((await results.close()) ?? "");
      return problems.filter((problem) => problem !== "");
    },
  };
}

/** What is left to do for a task that is over. */
type PutAway = () => Promise<void>;

/** One after the other, so many at once, until there is none or `isOver`. Whoever is next does not wait until the one before is put away. */
async function sideBySide<T>(
  all: readonly T[],
  most: number,
  isOver: () => boolean,
  work: (one: T) => Promise<PutAway>,
): Promise<void> {
  const queue = all.values();
  const leaving: Promise<void>[] = [];
  const worker = async (): Promise<void> => {
    for (const one of queue) {
      if (isOver()) return;
      const putAway = await work(one);
      leaving.push(putAway());
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, all.length) }, worker));
  await Promise.all(leaving);
}

async function tellWhole(task: PlannedTask, order: BatchOrder): Promise<void> {
  await keepTold(task, await completeTrajectory(task.agent, { ...order, path: task.trajectory }), order);
}

/** @param problem what stood against writing its trajectory, if anything did */
async function keepTold(
  task: PlannedTask,
  problem: string | undefined,
  { tell }: Pick<BatchOrder, "tell">,
): Promise<void> {
  if (problem !== undefined) tell(problem);
  else await task.keepWhole().catch((error: unknown) => tell(reasonOf(error)));
}

const NOBODY: { readonly end?: RunEnd } = {};
const WAITING = { status: "waiting", reason: "" } as const;

function rowFor(
  { id, agent }: PlannedTask,
  { status, reason }: Pick<TaskRow, "status" | "reason">,
  { steps, tokens, cost, timeMs }: RunBill = NO_BILL,
): TaskRow {
  return { id, agent, status, reason, steps, tokens, cost, timeMs };
}

/** Of one that was begun. The process before may have died before it told the end: then that is told now. */
async function rowOf(task: PlannedTask, order: BatchOrder): Promise<TaskRow> {
  const row = await storedRow(task, order.reader);
  if (row.status === "Submitted" && !task.isToldWhole) await tellWhole(task, order);
  return row;
}

async function storedRow(task: PlannedTask, reader: Reader): Promise<TaskRow> {
  try {
    const standing = await standingOfWorker(task.agent, reader);
    return rowFor(task, standing.end ?? STOPPED, standing);
  } catch (error) {
    return rowFor(task, { status: "Error", reason: reasonOf(error) });
  }
}

interface Workings {
  readonly underWay: Map<string, UnderWay>;
  readonly told: () => Promise<ReadonlySet<AgentId>>;
  ended(task: PlannedTask, end: RunEnd, bill: RunBill): void;
  left(task: PlannedTask, bill: RunBill): void;
  lacks(what: Shortage | undefined): void;
}

function createWorking(order: BatchOrder, { underWay, told, ended, left, lacks }: Workings) {
  const { crew, watch, tell } = order;
  const begin = async (task: PlannedTask, legion: TaskPlace["legion"], signal: AbortSignal) => {
    await task.keep();
    const { plan, remarks } = await crew.prepare(task.agent, task, signal);
    for (const remark of remarks) tell(`${task.id}: workspace: ${remark}`);
    const text = task.isBegun && (await told()).has(task.agent) ? undefined : await task.text();
    return workAt({ plan, text, watch, trajectory: task.trajectory }, { ...order, legion });
  };
  return async (task: PlannedTask, legion: TaskPlace["legion"], signal: AbortSignal): Promise<PutAway> => {
    const { id, agent } = task;
    let way: UnderWay | undefined;
    let end: RunEnd | undefined;
    try {
      way = await begin(task, legion, signal);
      underWay.set(id, way);
      end = await way.work(signal);
      if (end) ended(task, end, way.bill());
      else left(task, way.bill());
      if (end) lacks(way.shortage());
    } catch (error) {
      if (signal.aborted) left(task, way?.bill() ?? NO_BILL);
      else ended(task, { status: "Error", submission: "", reason: reasonOf(error) }, way?.bill() ?? NO_BILL);
    }
    // What is stopped is let go with the legion.
    if (signal.aborted) return () => Promise.resolve();
    return async () => {
      if (legion.agents.has(agent))
        await legion.retire(agent).catch((error: unknown) => tell(reasonOf(error)));
      const problem = await way?.close();
      if (end?.status === "Submitted") await keepTold(task, problem, order);
      underWay.delete(id);
    };
  };
}

/** What somebody's files or machine stand against is that task's trouble; anything else is ours. */
function reasonOf(error: unknown): string {
  if (isLegionError(error) || codeOf(error) !== "") return messageOf(error);
  throw error;
}

/** Whom the person told something by now, before this process: from then on it is on its way, whatever becomes of it. */
function createTold(reader: Reader): () => Promise<ReadonlySet<AgentId>> {
  let reading: Promise<ReadonlySet<AgentId>> | undefined;
  const read = async (): Promise<ReadonlySet<AgentId>> => {
    const found = new Set<AgentId>();
    for await (const event of reader.events(CONTROL))
      for (const message of sendsOf(event))
        if (laneOf(message) === "normal") found.add(parseMessageId(message.id).to);
    return found;
  };
  return () => (reading ??= read());
}
