// One task of a batch, from its agent's coming to its going.

import type { Clock } from "../../base/clock.ts";
import type { Mode } from "../../domain/supervision.ts";
import type { RunEnd } from "../../past/run-state.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { AgentPlan } from "../hosting/agent-plan.ts";
import type { Legion } from "../legion.ts";
import { timeOf } from "../run/limits.ts";
import { OUTAGE_MS } from "../run/outage.ts";
import { billOfRun, type RunBill } from "../run/report.ts";
import { takeUp, untilOver } from "../run/task.ts";
import { writeTrajectory } from "../run/trajectory.ts";
import { workerIn } from "../run/workshop.ts";

export interface TaskWork {
  readonly plan: AgentPlan;
  /** Absent: its agent was told before, and goes on with that. */
  readonly text?: string;
  /** How its person watches over it from now on; absent: as before. */
  readonly mode?: Mode;
  /** Absolute path of its trajectory. */
  readonly trajectory: string;
}

export interface TaskPlace {
  readonly legion: Legion;
  /** Of the home of the batch. */
  readonly reader: Reader;
  readonly clock: Pick<Clock, "sleep">;
  readonly tell: (problem: string) => void;
}

/** A task that is under way: close it once its agent does nothing any more. */
export interface UnderWay {
  bill(): RunBill;
  /** Resolves with the end of the task; `undefined` if `signal` aborts before, or if somebody stopped the agent. */
  over(signal: AbortSignal): Promise<RunEnd | undefined>;
  /** Does it stand still for want of what all tasks share? */
  isOutOfMeans(): boolean;
  /** Resolves with what stood against writing its trajectory, if anything did. */
  close(): Promise<string | undefined>;
}

/** Has an agent come that works at it. Rejects as `host` does. */
export async function workAt(
  { plan, text, mode, trajectory }: TaskWork,
  { legion, ...place }: TaskPlace,
): Promise<UnderWay> {
  const agent = plan.identity.id;
  const workshop = { legion, agent };
  await legion.host(plan);
  // It is known of it what it spent also when it has gone.
  const supervised = workerIn(workshop);
  const file = await writeTrajectory(workshop, { path: trajectory, ...place });
  await takeUp(workshop, { task: text, mode });
  const patience = { outageMs: OUTAGE_MS, timeMs: timeOf(plan.limits) };
  return {
    bill: () => billOfRun(supervised.agent),
    over: (signal) => untilOver(workshop, signal, patience),
    isOutOfMeans: () => supervised.agent?.memory.conversation.halt?.shared === true,
    close: () => file.close(),
  };
}
