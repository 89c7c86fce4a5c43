// One node, from its first word to its last: opens the legion, shows what happens, listens to the person, ends in order.

import { constants, existsSync } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { loadConfig, type Config, type ConfigFlags } from "../../config/config.ts";
import { createLocalEnvironment } from "../../environment/local.ts";
import { LegionError, isLegionError, messageOf } from "../../base/errors.ts";
import type { Inspection } from "../../domain/inspection.ts";
import { startLegion, type Legion, type LegionOptions } from "../../legion/legion.ts";
import { legionPaths } from "../../storage/folder/paths.ts";
import type { RedisHome } from "../../storage/redis/node.ts";
import { personFolderPath } from "../../storage/folder/person-folder.ts";
import { isInside, waysTo } from "../../base/project-file.ts";
import { planRoster, type Roster, type Who } from "../../legion/roster.ts";
import type { ControlServer } from "../../control/api/serve.ts";
import { serveControl } from "../../control/socket/server.ts";
import { createService } from "../../control/service.ts";
import { aborted } from "../../base/signals.ts";
import type { Admit } from "../../config/module-loader.ts";
import { searchKeys } from "../../config/web-search.ts";
import { readAdoption } from "../consent/adoption.ts";
import type { Io, Typed } from "../kit/command.ts";
import { createDiagnostics, readLogLevel, type LogLevel } from "./diagnostics.ts";
import { lastWords, listenForEnd, whyNotDone, type Ending } from "./shutdown.ts";
import { packageDir, packageVersion } from "../../base/package.ts";
import { exposure, whoShows } from "../kit/keys.ts";
import { openHome } from "../../storage/redis/backend.ts";
import { openReplay, type StartedReplay } from "./replay-start.ts";
import { secretsIn } from "./secrets.ts";
import { startedBy } from "./selection.ts";
import { openSurface, type Surface, type SurfaceOptions } from "../console/display.ts";

export interface HostOrder {
  readonly who: Who;
  /** What the person should know of that choice, if it was not theirs. */
  readonly said?: string;
  /** What the first agent is told. */
  readonly task: string | undefined;
  readonly flags: ConfigFlags;
  /** Real path of the project's folder. */
  readonly project: string;
  /** `idle`: it also ends when nobody has anything to do. */
  readonly until: "idle" | "told";
  /** What was typed: it may say that what somebody else wrote counts. */
  readonly typed: Pick<Typed, "options">;
  readonly readers: SurfaceOptions["readers"];
  /** Asked before anything runs that the project brings. */
  readonly admit: Admit;
  readonly detail: SurfaceOptions["detail"];
}

/** A legion that runs, and everything about it. */
interface Node extends HostOrder {
  readonly config: Config;
  readonly roster: Roster;
  /** Where the legion does again what an earlier one did. */
  readonly replay: StartedReplay | undefined;
  readonly legion: Legion;
  /** The Redis that it lives in; absent: it lives in files. */
  readonly home: RedisHome | undefined;
  readonly ending: Ending;
  /** What models turn out not to do. */
  readonly remarks: HeldBack<string>;
  readonly io: Io;
}

const FORCED_AFTER_MS = 3_000;
const INTERRUPTED = 130;

/**
 * Hosts the agents until the node is told to end. Resolves with the exit code; rejects before anything is written if
 * something is wrong with what was ordered, with REFUSED at the end if an agent could not go on.
 */
export async function hostLegion(order: HostOrder, io: Io): Promise<number> {
  const { project, flags } = order;
  const config = await loadConfig({ projectDir: project, env: io.env, flags });
  const level = readLogLevel(io.env["LEGION_LOG"]);
  const replay = await openReplay({ ...order, config });
  const remarks = holdBack<string>();
  try {
    const roster = replay?.roster ?? (await planAgents(order, config, remarks.see));
    const known = [...roster.remarks, ...(await remarksOnKeys(config, io))];
    return await hostRoster(
      { ...order, config, roster: { ...roster, remarks: known }, replay, remarks, io },
      level,
    );
  } finally {
    await replay?.close();
  }
}

async function remarksOnKeys({ modules }: Config, { env }: Io): Promise<readonly string[]> {
  return modules.system.commands === "allow" ? exposure(await whoShows(env)) : [];
}

/** Throws as `planRoster`; of a choice that was not the person's, it says so. */
async function planAgents(
  { who, said, project, admit }: HostOrder,
  config: Config,
  onRemark: (text: string) => void,
): Promise<Roster> {
  try {
    return await planRoster(who, { config, places: { projectDir: project, packageDir }, onRemark, admit });
  } catch (error) {
    if (said === undefined || !isLegionError(error)) throw error;
    throw new LegionError(error.code, `${messageOf(error)} (the agents are ${said})`, { cause: error });
  }
}

async function hostRoster(order: Omit<Node, "legion" | "home" | "ending">, level: LogLevel): Promise<number> {
  const { project, replay, io, who, roster, flags, typed } = order;
  await makeFolder(legionPaths(project).root);
  const held = holdBack();
  const trouble = holdBack<string>();
  const home = await openHome({ config: order.config, io, onTrouble: trouble.see });
  try {
    const legion = await startLegion({
      ...legionOptions(order, await personIn(order)),
      ...(replay ? { heartbeatMs: "off" as const } : { started: startedBy(who, roster.roles, flags) }),
      ...(home ? { redis: home.home } : { foreign: await readAdoption(project, typed, io) }),
      project,
      watch: held.see,
    });
    // Until here a signal ends the process as if nothing were there: nothing has been promised yet.
    const ending = listenForEnd(io);
    try {
      return await attend({ ...order, legion, ending, home: home?.home }, { ...held, trouble }, level);
    } finally {
      ending.close();
    }
  } finally {
    await home?.close();
  }
}

/** A later write would fail as well, but say less clearly why; and making all parents at once never ends in /proc. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
    await access(folder, constants.W_OK);
  } catch (cause) {
    throw new LegionError("STORAGE", `nothing can be written to ${folder}: ${messageOf(cause)}`, { cause });
  }
}

/** Whoever starts agents in their home has it among the files that agents work with. */
async function personIn({ project, io }: Pick<Node, "project" | "io">): Promise<readonly string[]> {
  const ways = await waysTo(project, personFolderPath(io.env));
  return ways.filter((way) => isInside(project, resolve(project, way)));
}

function legionOptions(
  { config, roster: { roles, limits, protectedPaths }, io }: Pick<Node, "config" | "roster" | "io">,
  privatePaths: readonly string[],
): Omit<LegionOptions, "project"> {
  const { durability, delayMs, heartbeatMs } = config;
  const providers = new Map(Object.entries(config.providers));
  const { system, web } = config.modules;
  const modules = {
    system: { ...system, protectedPaths: [...protectedPaths, ...privatePaths], privatePaths },
    web: { ...web, keys: () => searchKeys(web.search, config.environment()) },
  };
  const settings = new Map<string, Readonly<Record<string, unknown>>>(Object.entries(modules));
  return {
    plans: roles.map(({ plan }) => plan),
    limits,
    durability,
    delayMs,
    heartbeatMs,
    environment: createLocalEnvironment(io.env),
    settings: (module) => settings.get(module) ?? {},
    concurrency: (provider) => providers.get(provider)?.concurrency,
  };
}

interface HeldBack<T> {
  readonly see: (seen: T) => void;
  readonly release: (watcher: (seen: T) => void) => void;
}

/** Keeps what happens until somebody watches. */
function holdBack<T = Inspection>(): HeldBack<T> {
  const held: T[] = [];
  let pass = (seen: T): void => void held.push(seen);
  return {
    see: (seen) => pass(seen),
    release(watcher) {
      held.forEach(watcher);
      pass = watcher;
    },
  };
}

async function attend(
  node: Node,
  held: HeldBack<Inspection> & { readonly trouble: HeldBack<string> },
  level: LogLevel,
): Promise<number> {
  const { legion, roster, ending, config, project } = node;
  // A command typed at once must find this very node.
  let served = (): void => undefined;
  const ready = new Promise<void>((resolve) => (served = resolve));
  const surface = await openSurface({ ...node, ready, onInterrupt: ending.ask });
  const diagnostics = createDiagnostics({
    folder: legionPaths(project).logs,
    level,
    secrets: secretsIn(config),
    onFailure: (error) => surface.tell(`There is no diagnostics file: ${messageOf(error)}`),
  });
  diagnostics.note(
    { version: packageVersion(), node: process.version, agents: roster.roles.length },
    "start",
  );
  held.release((inspection) => {
    surface.see(inspection);
    diagnostics.see(inspection);
  });
  const tellAll = (source: HeldBack<string>, topic: string): void =>
    source.release((text) => {
      surface.tell(text);
      diagnostics.note({ text }, topic);
    });
  tellAll(held.trouble, "redis");
  tellAll(node.remarks, "model");
  let obstacle: string | undefined = "something broke";
  let server: Pick<ControlServer, "close"> | undefined;
  try {
    server = await beginWork(node);
    served();
    await untilEnd(node, surface);
    obstacle = ending.soon.aborted ? undefined : await obstacleOf(node, surface);
  } finally {
    served();
    try {
      await stop(legion, ending);
    } finally {
      // Until the last step is finished, other terminals are told what is going on here.
      await server?.close();
      diagnostics.note({ obstacle }, "end");
      surface.conclude(lastWords(ending, obstacle), legion.budget.spentHere());
      await diagnostics.close();
    }
  }
  if (obstacle !== undefined) throw new LegionError("REFUSED", obstacle);
  return ending.now.aborted ? INTERRUPTED : 0;
}

/** Gives the task, and lets other terminals in. */
async function beginWork({
  legion,
  roster,
  replay,
  home,
  project,
  task,
  ending,
}: Node): Promise<Pick<ControlServer, "close">> {
  await replay?.begin(legion);
  // The task first: the model can be at work while the server is being loaded.
  if (task !== undefined) await legion.control.say([roster.roles[0]!.plan.identity.id], task);
  const service = createService({ legion, onStop: ending.ask });
  const server = await serveControl({ service, inspector: legion.inspector }, legionPaths(project).socket);
  if (!home || legion.node === undefined) return server;
  const { serveOrders } = await import("../../control/redis/server.ts");
  const orders = await serveOrders({ link: home.link, legion: home.legion, node: legion.node, service });
  return {
    async close() {
      await orders.close();
      await server.close();
    },
  };
}

/** Resolves when the node shall end. */
async function untilEnd({ legion, replay, until, ending }: Node, surface: Surface): Promise<void> {
  await Promise.race([surface.settled(), aborted(ending.soon)]);
  if (replay) await replay.untilIdle(ending.soon);
  else await (until === "idle" ? legion.untilIdle(ending.soon) : aborted(ending.soon));
  if (ending.soon.aborted) surface.tell("Ending: what runs is finished first. Ctrl-C again stops at once.");
}

/** Resolves when everything is closed, or could not be in spite of a second request. */
async function stop(legion: Legion, { now }: Ending): Promise<void> {
  const forced = aborted(now).then(() => {
    legion.interrupt();
    return delay(FORCED_AFTER_MS);
  });
  await Promise.race([legion.stop(), forced]);
}

async function obstacleOf({ replay, legion }: Node, surface: Surface): Promise<string | undefined> {
  return replay ? replay.obstacle(surface.tell) : whyNotDone(legion);
}
