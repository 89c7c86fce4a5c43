// One task of a program, to its end: as `legion run` does it, in a home of its own.

import { join, resolve } from "node:path";
import { isLegionError, LegionError } from "../base/errors.ts";
import { createClock } from "../base/clock.ts";
import { checkPlace } from "../base/files/growing-file.ts";
import { linkSignals } from "../base/process/signals.ts";
import type { Variables } from "../base/process/variables.ts";
import type { Config } from "../config/config.ts";
import { hideInErrors } from "../config/hide-in-errors.ts";
import { findEnvironment } from "../environment/open.ts";
import type { OpenedLegion } from "../legion/opening/open-node.ts";
import type { OpenedConfiguration } from "../legion/run/configuration.ts";
import { checkFirstWords, firstPlace } from "../legion/run/first-words.ts";
import { forOne, timeOf } from "../legion/run/limits.ts";
import { OUTAGE_MS } from "../legion/run/outage.ts";
import { outcomeOf, type RunOutcome } from "../legion/run/outcome.ts";
import { takeUp, untilOver } from "../legion/run/task.ts";
import { TRAJECTORY, writeTrajectory } from "../legion/run/trajectory.ts";
import { DEFAULT_AGENT, workerIn, type Workshop } from "../legion/run/workshop.ts";
import type { RunEnd } from "../past/run-state.ts";
import { createFileReader } from "../storage/files/reader/reader.ts";
import { chooseSession, type SessionHome } from "../storage/files/sessions.ts";
import { legionPaths } from "../storage/folder/paths.ts";
import { openPersonFolder } from "../storage/folder/person/folder.ts";
import { openCasting, type Cast } from "./casting.ts";
import { createStop, createWarner, openProgramNode, type ProgramSetting } from "./node.ts";
import { findProject } from "./place.ts";
import { programPaths } from "./program-paths.ts";
import { checkText } from "./prompt.ts";
import { modeOfRun, readRunOptions, typedLimits, type RunOptions, type RunWish } from "./run-options.ts";

/** What came of a run. Times are milliseconds, costs US dollars: 0 is free, null is unknown. */
export interface RunResult extends Omit<
  RunOutcome,
  "isHandedIn" | "limit" | "until" | "ownSteps" | "agents"
> {
  /** Its name, for `legion run --resume` and `--run`. */
  readonly run: string;
  /** The absolute path of its trajectory, in the format of mini-SWE-agent. */
  readonly trajectory: string;
}

/**
 * Gives one agent one task, and resolves with how that ended, whichever way: `end` is `Submitted`, `LimitsExceeded`, `TimeExceeded`,
 * `RepeatedFormatError`, `UserInterruption`, `ContextExceeded`, `Error` or, where it was told to stop, `stopped`. The run has a folder of
 * its own in the project, so any number of them may run there at once, and every command with `--run` reaches it.
 *
 * Rejects with USAGE or CONFIG, with one line that says what is wrong and what would be right, before anything is written; with the
 * reason of `signal` if that has aborted already.
 *
 * @example
 * const { end, submission, cost } = await run("Make the failing test pass.", { agent: "swe", mode: "yolo" });
 */
export function run(task: string, options: RunOptions = {}): Promise<RunResult> {
  return runIn({ env: process.env }, task, options);
}

const WORKER = "1";

interface RunOrder extends ProgramSetting, SessionHome {
  readonly task: string;
  /** Real path of its folder. */
  readonly project: string;
  readonly wish: RunWish;
  /** As `--limits` takes them. */
  readonly limits: string | undefined;
  readonly warn: (text: string) => void;
  readonly configuration: (OpenedConfiguration & { readonly reference: string }) | undefined;
}

/** As `run`. */
export async function runIn(
  { env: variables, clock }: ProgramSetting,
  task: string,
  options: RunOptions,
): Promise<RunResult> {
  checkText("run", task);
  const wish = readRunOptions(options);
  wish.signal?.throwIfAborted();
  if (wish.output !== undefined) await checkOutput(wish.output);
  const env: Variables = Object.freeze({ ...variables });
  const project = await findProject(wish, env);
  const home = await chooseSession(project, "new", openPersonFolder(env));
  const configuration = await configurationIn(wish, project, env);
  try {
    const limits = typedLimits(options);
    return await cast({
      ...home,
      task,
      project,
      wish,
      env,
      clock,
      configuration,
      limits,
      warn: createWarner(),
    });
  } finally {
    await configuration?.close();
  }
}

async function checkOutput(path: string): Promise<void> {
  await checkPlace(path).catch((error: unknown) => {
    if (!isLegionError(error)) throw error;
    throw new LegionError(error.code, `run: output: ${error.message}`, { cause: error });
  });
}

async function configurationIn(
  { config, mode, output }: RunWish,
  projectDir: string,
  env: Variables,
): Promise<RunOrder["configuration"]> {
  if (config === undefined) return undefined;
  const [{ openConfiguration }, { referenceTo }, { wholePath }] = await Promise.all([
    import("../legion/run/configuration.ts"),
    import("../config/mini/reference.ts"),
    import("../config/mini/sources.ts"),
  ]);
  const folders = { cwd: process.cwd(), projectDir };
  const said = await Promise.all(config.map((spec) => wholePath(spec, folders)));
  const reference = referenceTo(said);
  const finding = await findEnvironment(env);
  const typed = { mode, outputPath: output && resolve(output) };
  return { ...(await openConfiguration(reference, { ...folders, finding, typed, said })), reference };
}

/** Nothing is written before all of it is settled. */
async function cast(order: RunOrder): Promise<RunResult> {
  const { project, env, wish, warn, configuration } = order;
  const { agent, config: _, mode: __, output: ___, signal: ____, limits, ...rest } = wish;
  const casting = await openCasting({
    ...{ project, env, warn, others: configuration?.others },
    wish: { ...rest, session: order.name, limits: limits && forOne(limits) },
  });
  return hideInErrors(casting.config, async () => {
    const who = configuration?.reference ?? agent.agent ?? DEFAULT_AGENT;
    const found = await casting.cast({ ...agent, agent: who }, WORKER);
    configuration?.latest().remarks.forEach(warn);
    return work({ ...order, config: casting.config, found });
  });
}

interface CastRun extends RunOrder {
  readonly config: Config;
  readonly found: Cast;
}

async function work(order: CastRun): Promise<RunResult> {
  const { project, home, name, wish, found, configuration, config } = order;
  const { plan, isSandboxed } = found.role;
  const approvals = saidOfQuestions(wish, config);
  const configured = approvals === "deny" ? undefined : configuration?.latest().run.mode;
  const mode = modeOfRun(wish.mode ?? configured, { isSandboxed, approvals });
  await checkFirstWords(plan, order.task, firstPlace(project, order.env));
  const { legion, ...opened } = await openRun(order);
  const settled = (): Promise<void> => Promise.resolve();
  const { stop, serve } = createStop({ legion, ...opened }, { settled, leave: settled });
  /** Aborts when somebody with a command ends it. */
  const ended = new AbortController();
  const over = linkSignals(wish.signal ?? ended.signal, ended.signal);
  const workshop = { legion, agent: WORKER };
  let trajectory: OpenedTrajectory | undefined;
  let ending: RunEnd | undefined;
  try {
    trajectory = await openTrajectory(workshop, order);
    await serve(legionPaths(project, home).socket, () => ended.abort());
    await takeUp(workshop, { task: order.task, watch: { mode, said: wish.mode } });
    const patience = { outageMs: OUTAGE_MS, timeMs: timeOf(found.limits, plan.limits) };
    ending = await untilOver(workshop, over.signal, patience);
  } finally {
    over.unlink();
    if (over.signal.aborted) legion.interrupt();
    try {
      await stop();
    } finally {
      await trajectory?.close();
    }
  }
  const { end, submission, answer, reason, steps, tokens, cost, timeMs } = outcomeOf(
    workerIn(workshop).agent,
    ending,
  );
  const told = { end, submission, answer, reason, steps, tokens, cost, timeMs };
  return { run: name, ...told, trajectory: trajectory.path };
}

/** As `planWorkload` has a start: `--resume` finds who had the task, and with which limits. */
async function openRun(order: CastRun): Promise<OpenedLegion> {
  const { project, wish, found, limits } = order;
  const { role, protectedPaths } = found;
  const own = await programPaths(project);
  const model = typeof wish.model === "string" ? wish.model : undefined;
  const agent = role.plan.origin?.definition ?? role.definition;
  return openProgramNode(order, {
    ...{ plans: [role.plan], limits: found.limits },
    protectedPaths: () => [...own, ...protectedPaths],
    started: { agents: [{ id: WORKER, agent, model: undefined }], flags: { model, limits } },
    inSandbox: wish.mode === "usual" ? undefined : "unasked",
  });
}

/** A project may say that questions wait; that they are denied only the program. */
function saidOfQuestions({ approvals }: RunWish, config: Config): "wait" | "deny" | undefined {
  return approvals ?? (config.approvals.mode === "wait" ? "wait" : undefined);
}

interface OpenedTrajectory {
  readonly path: string;
  /** Resolves when it is whole, or cannot be. */
  close(): Promise<void>;
}

async function openTrajectory(
  workshop: Workshop,
  { project, home, wish, configuration, warn, clock = createClock() }: RunOrder,
): Promise<OpenedTrajectory> {
  const { run: said } = configuration?.latest() ?? {};
  const path = resolve(wish.output ?? said?.outputPath ?? join(home, TRAJECTORY));
  const reader = createFileReader(project, { home });
  const file = await writeTrajectory(workshop, { path, reader, clock, tell: warn });
  return {
    path,
    async close() {
      const problem = await file.close();
      if (problem !== undefined) warn(problem);
    },
  };
}
