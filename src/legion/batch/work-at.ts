// One task of a batch, from its agent's coming to its going.

import type { Clock } from "../../base/clock.ts";
import type { RunEnd } from "../../past/run-state.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { AgentPlan } from "../hosting/agent-plan.ts";
import type { Legion } from "../legion.ts";
import { timeOf } from "../run/limits.ts";
import { OUTAGE_MS } from "../run/outage.ts";
import { billOfRun, type RunBill } from "../run/report.ts";
import { takeUp, untilOver, type ModeChoice } from "../run/task.ts";
import { writeTrajectory } from "../run/trajectory.ts";
import { workerIn } from "../run/workshop.ts";

export interface TaskWork {
  readonly plan: AgentPlan;
  /** Absent: its agent was told before, and goes on with that. */
  readonly text?: string;
  /** Absent: as before. */
  readonly watch?: ModeChoice;
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

/** What all tasks share is used up. */
export interface Shortage {
  readonly why: string;
  /** ISO 8601: when it begins anew, being the person's own for all projects; absent: it does not by itself. */
  readonly until?: string;
}

/** A task that is under way: close it once its agent does nothing any more. */
export interface UnderWay {
  bill(): RunBill;
  /** Does it wait for an answer of its person? */
  asks(): boolean;
  /** Tells its agent. Resolves with the end of the task; `undefined` if `signal` aborts before, or if somebody stopped the agent. */
  work(signal: AbortSignal): Promise<RunEnd | undefined>;
  /** What of that which all tasks share it stands still for; `undefined`: it does not. */
  shortage(): Shortage | undefined;
  /** Resolves with what stood against writing its trajectory, if anything did. */
  close(): Promise<string | undefined>;
}

/** Has an agent come that works at it. Rejects as `host` does. */
export async function workAt(
  { plan, text, watch, trajectory }: TaskWork,
  { legion, ...place }: TaskPlace,
): Promise<UnderWay> {
  const agent = plan.identity.id;
  const workshop = { legion, agent };
  await legion.host(plan);
  // It is known of it what it spent also when it has gone.
  const supervised = workerIn(workshop);
  const file = await writeTrajectory(workshop, { path: trajectory, ...place });
  const patience = { outageMs: OUTAGE_MS, timeMs: timeOf(plan.limits) };
  return {
    bill: () => billOfRun(supervised.agent),
    asks: () => legion.questions().some((open) => open.agent === agent && !open.isAnswered),
    async work(signal) {
      await takeUp(workshop, { task: text, watch });
      return untilOver(workshop, signal, patience);
    },
    shortage() {
      const { halt } = supervised.agent?.memory.conversation ?? {};
      return halt?.shared && { why: halt.content, until: halt.until };
    },
    close: () => file.close(),
  };
}
