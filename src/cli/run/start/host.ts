// One node, from its first word to its last: plans the work, opens the legion, lets people watch and talk, ends in order.

import { createClock } from "../../../base/clock.ts";
import { LegionError } from "../../../base/errors.ts";
import { aborted } from "../../../base/process/signals.ts";
import type { Config } from "../../../config/config.ts";
import { settleTrusted } from "../../../config/grants/settle-trusted.ts";
import { loadConfig } from "../../../config/load-config.ts";
import type { NodeApi } from "../../../control/api/routes.ts";
import type { WatchedLegion } from "../../../control/reading/watched.ts";
import type { ServedLegion } from "../../../control/serve-legion.ts";
import { findEnvironment, type EnvironmentFinding } from "../../../environment/open.ts";
import type { Roster } from "../../../legion/roster.ts";
import { headStart } from "../../../legion/opening/head-start.ts";
import type { OpenedLegion } from "../../../legion/opening/open-node.ts";
import { createSpawner } from "../../../legion/opening/spawner.ts";
import { loadClient } from "../../../model/registry/registry.ts";
import { legionPaths } from "../../../storage/folder/paths.ts";
import { watchSite } from "../../look/dashboard.ts";
import { saysYes } from "../../console/reach.ts";
import { openDisplay, type DisplayOptions } from "../../console/display.ts";
import type { Io, Typed } from "../../kit/command.ts";
import { hideInErrors } from "../../../config/hide-in-errors.ts";
import { exposedKeysRemark, findExposedKeys } from "../../kit/keys.ts";
import { withDashboard } from "./dashboard.ts";
import { readLogLevel, type LogLevel } from "./diagnostics.ts";
import { fromStart } from "./from-start.ts";
import { openLegion } from "./open-legion.ts";
import { createNotifier } from "./notify.ts";
import { lastWords, listenForShutdown, stopLegion, type Shutdown } from "./shutdown.ts";
import { warnOfUnheard } from "./unheard.ts";
import { createEarlyWatcher, openView, type EarlyWatcher, type OpenDisplay, type Watcher } from "./view.ts";
import {
  asChosen,
  broughtFor,
  isReplay,
  planWorkload,
  type Workload,
  type WorkloadOrder,
} from "./workload.ts";

export interface HostOrder
  extends
    Omit<WorkloadOrder, "config" | "machine">,
    Pick<DisplayOptions, "readers" | "detail" | "beginAnew"> {
  /** What was typed: it may say that what somebody else wrote counts. */
  readonly typed: Pick<Typed, "options">;
  /** On which port its page is shown; absent: on none. */
  readonly dashboard?: number;
  /** Absent: what a start hosts. */
  readonly planWork?: (order: WorkloadOrder, watcher: Watcher) => Promise<Workload>;
  /** Absent: what a start shows. */
  readonly openDisplay?: OpenDisplay;
}

/** Everything about a legion before it runs. */
interface Planned extends HostOrder {
  readonly config: Config;
  readonly workload: Workload;
  readonly roster: Roster;
  readonly early: EarlyWatcher;
  readonly level: LogLevel;
  readonly sandbox: EnvironmentFinding;
  readonly io: Io;
}

const INTERRUPTED = 130;

/**
 * Hosts the agents until the node is told to end. Resolves with the exit code; rejects before anything is written if
 * something is wrong with what was ordered, with REFUSED at the end if an agent could not go on.
 */
export async function hostLegion(order: HostOrder, io: Io): Promise<number> {
  const { project, flags, admit } = order;
  // A sandbox is tried while the settings are read.
  const finding = findEnvironment(io.env);
  const tried = finding.catch(() => undefined);
  try {
    const config = await settleTrusted({
      load: () => loadConfig({ projectDir: project, env: io.env, flags }),
      broughtBy: (settled) => broughtFor(order, settled),
      admit: (brought) => asChosen(order, admit(brought)),
    });
    return await hideInErrors(config, () => hostConfigured({ ...order, config }, finding, io));
  } finally {
    // What was made to try it is removed by then.
    await tried;
  }
}

async function hostConfigured(
  order: HostOrder & Pick<Planned, "config">,
  finding: Promise<EnvironmentFinding>,
  io: Io,
): Promise<number> {
  const { config } = order;
  const level = readLogLevel(io.env["LEGION_LOG"]);
  const early = createEarlyWatcher();
  const sandbox = await finding;
  const machine = { finding: sandbox, variables: io.env };
  const { planWork = planStart } = order;
  const planned = await planWork({ ...order, machine }, early);
  try {
    const hosted = order.hears ? await fromStart(planned.roster, order, io) : planned.roster;
    if (!hosted) return 0;
    // While files are opened there is time to read what the first request needs.
    for (const { plan } of hosted.roles) loadClient(plan.model.provider);
    const workload = { ...planned, roster: hosted };
    const roster = await withRemarks(hosted, { config, sandbox }, io);
    const opened = await openLegion({ ...order, workload, watcher: early }, io);
    // Until here a signal ends the process as if nothing were there: nothing has been promised yet.
    const shutdown = listenForShutdown(io);
    try {
      await warnOfUnheard(roster, opened.backend.reader, io);
      return await attend(opened, shutdown, {
        ...order,
        workload,
        roster,
        early,
        level,
        sandbox,
        io,
      });
    } finally {
      shutdown.close();
      await opened.backend.close();
    }
  } finally {
    await planned.close();
  }
}

async function planStart(order: WorkloadOrder, watcher: Watcher): Promise<Workload> {
  if (!isReplay(order)) return planWorkload(order, watcher);
  const { openReplay } = await import("./replay.ts");
  return openReplay(order);
}

/** Whoever lets commands run without a sandbox should know what they can read. */
async function withRemarks(
  roster: Roster,
  { config, sandbox }: Pick<Planned, "config" | "sandbox">,
  { env }: Io,
): Promise<Roster> {
  const kinds = roster.roles.map(({ environment: { kind = sandbox.kind } }) => kind);
  if (!kinds.includes("local") || !saysYes(config)) return roster;
  return { ...roster, remarks: [...roster.remarks, ...exposedKeysRemark(await findExposedKeys(env))] };
}

/** Does it host what other programs spawn? What repeats a past, or is there for tasks of its own, does not. */
function takesMore({ until, workload }: Planned): boolean {
  return (until === "told" || until === "idle") && !workload.isReplay;
}

async function attend(opened: OpenedLegion, shutdown: Shutdown, planned: Planned): Promise<number> {
  const { legion, backend } = opened;
  const { workload, project, home } = planned;
  const { soon, now, ask } = shutdown;
  // A command typed at once must find this very node.
  let served = (): void => undefined;
  const ready = new Promise<void>((resolve) => (served = resolve));
  const { mode: watched } = workload;
  const shown = { ...planned, watched, legion, backend, ready, onInterrupt: ask };
  const view = await openView(planned.openDisplay ?? openDisplay, shown, planned.level);
  planned.early.release(view);
  const notifier = createNotifier(planned.config.notify, project, view.tell);
  legion.inspector.watch(notifier.see);
  let obstacle: string | undefined = "something broke";
  let server: ServedLegion | undefined;
  try {
    await workload.begin(legion);
    await headStart(legion, createClock(), soon);
    const { serveLegion } = await import("../../../control/serve-legion.ts");
    const watch = (own: NodeApi): WatchedLegion => watchSite({ ...planned, backend }, planned.io.env, own);
    const spawner = takesMore(planned)
      ? createSpawner({ ...planned, opened, env: planned.io.env })
      : undefined;
    server = await serveLegion(opened, legionPaths(project, home).socket, {
      onStop: ask,
      spawner,
      watch,
    });
    served();
    const { dashboard: port } = planned;
    if (port !== undefined) server = await withDashboard(server, { port, env: planned.io.env }, view.tell);
    await Promise.race([view.settled(), aborted(soon)]);
    await workload.done(legion, soon);
    if (soon.aborted && workload.farewell) view.tell(workload.farewell);
    obstacle = soon.aborted ? undefined : await workload.obstacle(legion, view.tell);
  } finally {
    served();
    try {
      // A task that is ended is gone on with later: it waits for nothing more.
      await stopLegion(legion, planned.until === "answered" && soon.aborted ? { now: soon } : shutdown);
    } finally {
      // Until the last step is finished, other terminals are told what is going on here.
      await server?.close();
      const ending = workload.outcome?.().words ?? lastWords(shutdown, obstacle);
      await notifier.end(ending);
      await view.conclude(ending, obstacle, legion.budget.spentHere());
    }
  }
  if (workload.outcome) return workload.outcome().exitCode;
  if (obstacle !== undefined) throw new LegionError("REFUSED", obstacle);
  return now.aborted ? INTERRUPTED : 0;
}
