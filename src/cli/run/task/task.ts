// The task of a run, among what the agents of a start are there for: one agent has it, and it ends.

import { join } from "node:path";
import { createClock } from "../../../base/clock.ts";
import { displayName, type AgentId } from "../../../domain/message/message.ts";
import { checkFirstWords, firstPlace } from "../../../legion/run/first-words.ts";
import type { OpenedConfiguration } from "../../../legion/run/configuration.ts";
import { limitsOfOne, timeOf } from "../../../legion/run/limits.ts";
import { OUTAGE_MS } from "../../../legion/run/outage.ts";
import { outcomeOf, type RunOutcome } from "../../../legion/run/outcome.ts";
import { TRAJECTORY, writeTrajectory } from "../../../legion/run/trajectory.ts";
import { takeUp, untilOver } from "../../../legion/run/task.ts";
import { wholeBill, type WholeBill } from "../../../legion/run/whole-bill.ts";
import { workerIn, type Workshop } from "../../../legion/run/workshop.ts";
import type { TrajectoryFile } from "../../../legion/watching/trajectory-file.ts";
import type { Reader } from "../../../storage/contract/reader.ts";
import { createFileReader } from "../../../storage/files/reader/reader.ts";
import type { RunEnd } from "../../../past/run-state.ts";
import type { Watcher } from "../start/view.ts";
import type { RunFloor } from "./floor.ts";
import { settleMode, type RunWatch } from "./watching.ts";
import { planWorkload, type Workload, type WorkloadOrder } from "../start/workload.ts";

export interface Task {
  /** As `planWorkload`. */
  readonly plan: (order: WorkloadOrder, watcher: Watcher) => Promise<Workload>;
  /** As far as is known. */
  outcome(): RunOutcome;
  /** Where its trajectory is written; absolute. */
  trajectory(): string;
  /** Resolves when its trajectory is whole, and all of what it cost is known, with what stood against that, if anything did. */
  settled(): Promise<string | undefined>;
}

export interface TaskOrder {
  /** Its name, for whoever wants to go on with it. */
  readonly run: string;
  /** Absent: the agent goes on with what it has. */
  readonly text?: string;
  /** Absolute path of its home. */
  readonly home: string;
  /** Absolute: where its trajectory is written; absent: where its configuration says, or in its home. */
  readonly output?: string;
  /** In place of a definition. */
  readonly configuration?: Pick<OpenedConfiguration, "latest">;
  readonly watching: RunWatch;
  /** Absent: nobody is at a prompt. */
  readonly floor?: RunFloor;
}

const EXIT = { Submitted: 0, stopped: 130 } as const;
const BROKEN: RunEnd = { status: "Error", submission: "", reason: "something broke" };

export function createTask(asked: TaskOrder): Task {
  const { run, text, home, output, configuration, watching, floor } = asked;
  let worker: (Workshop & { readonly reader: Reader }) | undefined;
  let file: TrajectoryFile | undefined;
  let ending: RunEnd | undefined = BROKEN;
  let whole: WholeBill | undefined;
  const outcome = (): RunOutcome => ({
    ...outcomeOf(worker && workerIn(worker).agent, ending),
    ...whole,
  });
  const trajectory = (): string => output ?? configuration?.latest().run.outputPath ?? join(home, TRAJECTORY);
  return {
    outcome,
    trajectory,
    async settled() {
      if (worker) whole = await wholeBill(worker.agent, outcome(), worker.reader);
      return file?.close();
    },
    async plan(order, watcher) {
      const { workload, agent, mode, patience } = await planTask(order, watcher, asked);
      return {
        ...workload,
        started: workload.started && { ...workload.started, flags: { ...workload.started.flags, output } },
        inSandbox: (watching.typed ?? watching.before) === "usual" ? undefined : "unasked",
        mode,
        // Said at the very end.
        farewell: "",
        async begin(legion) {
          const reader = createFileReader(order.project, { home });
          worker = { legion, agent, reader };
          file = await writeTrajectory(worker, {
            ...{ path: trajectory(), reader },
            clock: createClock(),
            tell: (problem) => watcher.tell(problem),
          });
          await takeUp(worker, { task: text, watch: { mode, said: watching.typed ?? watching.before } });
          floor?.open(worker);
        },
        async done(legion, signal) {
          ending = await untilOver({ legion, agent }, signal, patience, floor?.hold);
        },
        obstacle: () => Promise.resolve(ending && whyNot(ending, agent)),
        outcome() {
          const { end } = outcome();
          const words = `The run ${run} is over: ${end}.`;
          return { words, exitCode: end === "Submitted" || end === "stopped" ? EXIT[end] : 1 };
        },
      };
    },
  };
}

/** Throws, before anything is written, where the task could not be begun. */
async function planTask(
  order: WorkloadOrder,
  watcher: Watcher,
  { text, configuration, watching }: TaskOrder,
) {
  const { roster, ...workload } = await planWorkload(
    { ...order, config: limitsOfOne(order.config) },
    watcher,
  );
  const { plan, isSandboxed } = roster.roles[0]!;
  const { run, remarks = [] } = configuration?.latest() ?? {};
  const place = { isSandboxed, approvals: saidOfQuestions(order) };
  const mode = settleMode({ ...watching, configured: run?.mode }, place);
  if (text !== undefined)
    await checkFirstWords(plan, text, firstPlace(order.project, order.machine?.variables ?? {}));
  return {
    workload: { ...workload, roster: { ...roster, remarks: [...roster.remarks, ...remarks] } },
    agent: plan.identity.id,
    mode,
    patience: { outageMs: OUTAGE_MS, timeMs: timeOf(roster.limits, plan.limits) },
  };
}

/** A project may say that questions wait; that they are denied only the person, as then not all is asked. */
export function saidOfQuestions({ config, flags }: WorkloadOrder): "wait" | "deny" | undefined {
  const { mode } = config.approvals;
  return mode === "deny" && flags.approvals === undefined ? undefined : mode;
}

function whyNot({ status, reason }: RunEnd, agent: AgentId): string | undefined {
  return status === "Submitted" ? undefined : `${displayName(agent)} ended with ${status}: ${reason}`;
}
