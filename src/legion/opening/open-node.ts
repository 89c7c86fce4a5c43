// What a process that runs agents is made of, whoever starts it, a command or a program: the legion's place, what the config
// says about modules and limits, and what no agent may change.

import { constants, existsSync } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { LegionError, messageOf } from "../../base/errors.ts";
import { createClock } from "../../base/clock.ts";
import { isInside, waysTo } from "../../base/files/project-file.ts";
import type { Variables } from "../../base/process/variables.ts";
import { NO_SECRETS, createRedactor } from "../../base/redaction/redactor.ts";
import type { Config } from "../../config/config.ts";
import { searchKeys } from "../../config/web-search.ts";
import type { Limits } from "../../domain/limits.ts";
import { isAnsweredBy } from "../../domain/policy/answer.ts";
import { createLocalEnvironment } from "../../environment/local.ts";
import type { Backend } from "../../storage/contract/backend.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { wayTo } from "../../storage/folder/home.ts";
import { legionPaths } from "../../storage/folder/paths.ts";
import { openPersonFolder, personFolderPath } from "../../storage/folder/person/folder.ts";
import { answersOf } from "../../storage/folder/person/trust.ts";
import { openBackend, type Voices } from "../../storage/open.ts";
import { homeInPurse, openPersonPurse } from "./purse.ts";
import { serverSettings } from "../hosting/server-settings.ts";
import { traced } from "./tracing.ts";
import { startLegion, type Legion, type LegionOptions } from "../legion.ts";

export interface OpenedLegion {
  readonly legion: Legion;
  /** Where it is kept; close it when the legion has stopped. */
  readonly backend: Backend;
  /** Of all its agents together. */
  readonly limits: Limits;
  /** From now on no agent changes these either, relative to the project: what runs one that comes later. */
  protect(paths: readonly string[]): void;
}

export interface OpeningOrder extends Pick<
  LegionOptions,
  | "home"
  | "plans"
  | "limits"
  | "heartbeatMs"
  | "closesIdle"
  | "started"
  | "questions"
  | "watch"
  | "clock"
  | "onLimits"
  | "onReady"
> {
  readonly config: Config;
  /** Real path of its folder. */
  readonly project: string;
  readonly env: Variables;
  /** `process`: nothing but this process, and gone with it. Absent: where the config says. */
  readonly keep?: "process";
  /** Is what it writes written as it is, as where it was redacted before? */
  readonly writes?: "verbatim";
  /** What no agent may change, relative to the project: asked for anew with every agent and every call. */
  readonly protectedPaths: () => readonly string[];
  /** Told lines for people about the place that it is kept in. */
  readonly voices?: Voices;
  /** Shall what somebody else wrote there be taken on? Absent: no. */
  readonly adoption?: (reader: Reader) => Promise<LegionOptions["foreign"]>;
}

/** Rejects as `startLegion`, with STORAGE if nothing can be written to the project or Redis is out of reach. */
export async function openNode(order: OpeningOrder): Promise<OpenedLegion> {
  const { config, project, home, env, keep, writes, voices, adoption, protectedPaths, ...rest } = order;
  const { durability, delayMs, name, undo } = config;
  const providers = new Map(Object.entries(config.providers));
  const privatePaths = await personIn(project, env);
  const redactor = createRedactor(config.secrets());
  for (const folder of wayTo(legionPaths(project, home))) await makeFolder(folder);
  const bus = keep ? { kind: keep } : config.bus;
  const place = { project, home, bus, name, redactor: writes ? NO_SECRETS : redactor };
  const backend = await openBackend(place, voices);
  const added = new Set<string>();
  const untouchable = (): readonly string[] => [...protectedPaths(), ...added];
  const { clock = createClock() } = order;
  const { nodes, reader } = backend;
  const { root } = legionPaths(project, home);
  try {
    const purse = await openPersonPurse(config.purse, {
      ...{ person: openPersonFolder(env), clock, reader },
      home: homeInPurse(root, nodes),
    });
    const legion = await startLegion({
      ...{ ...rest, clock, purse, redactor, durability, delayMs, project, home, backend },
      undo: keep ? "off" : undo,
      settings: (module) =>
        settingsOf(module, config, { protectedPaths: untouchable, privatePaths, project, env }),
      concurrency: (provider) => providers.get(provider)?.concurrency,
      environment: createLocalEnvironment(env),
      foreign: await adoption?.(backend.reader),
      isAnswered: async (call, touch) =>
        isAnsweredBy(await answersOf(openPersonFolder(env), project), call, touch),
    });
    const protect: OpenedLegion["protect"] = (paths) => paths.forEach((path) => added.add(path));
    const tell = voices?.onWarning ?? (() => undefined);
    const paths = keep ? undefined : legionPaths(project, home);
    const node = await traced({ legion, reader, nodes, paths, clock, env, tell });
    return { legion: node, backend, limits: rest.limits, protect };
  } catch (error) {
    await backend.close();
    throw error;
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

/** Whoever starts agents in their home has the person's folder among the files that agents work with. */
export async function personIn(project: string, env: Variables): Promise<readonly string[]> {
  const ways = await waysTo(project, personFolderPath(env));
  return ways.filter((way) => isInside(project, resolve(project, way)));
}

interface NodePlace extends Pick<OpeningOrder, "protectedPaths" | "project" | "env"> {
  readonly privatePaths: readonly string[];
}

function settingsOf(
  module: string,
  config: Config,
  { protectedPaths, privatePaths, project, env }: NodePlace,
): Readonly<Record<string, unknown>> {
  const { modules, environment } = config;
  const { web } = modules;
  if (module === "system") return { protectedPaths: [...protectedPaths(), ...privatePaths], privatePaths };
  if (module === "mcp") return serverSettings(config, project, openPersonFolder(env));
  return module === "web" ? { ...web, keys: () => searchKeys(web.search, environment()) } : {};
}
