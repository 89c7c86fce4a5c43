// What a node is made of: the legion's place, what the config says about modules, models and limits, and the agents.

import { constants, existsSync } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { NO_SECRETS, createRedactor, type Redactor } from "../../../base/redaction/redactor.ts";
import { LegionError, messageOf } from "../../../base/errors.ts";
import { isInside, waysTo } from "../../../base/files/project-file.ts";
import type { Config } from "../../../config/config.ts";
import { searchKeys } from "../../../config/web-search.ts";
import { createLocalEnvironment } from "../../../environment/local.ts";
import { startLegion, type Legion } from "../../../legion/legion.ts";
import type { Roster } from "../../../legion/roster.ts";
import type { QuestionSettings } from "../../../agent/parts/rulebook.ts";
import { isAnsweredBy } from "../../../domain/policy/answer.ts";
import { DEFAULT_QUESTIONS } from "../../../legion/rulebook.ts";
import { answersOf } from "../../../storage/folder/person/trust.ts";
import type { Backend } from "../../../storage/contract/backend.ts";
import { openBackend } from "../../../storage/open.ts";
import { wayTo } from "../../../storage/folder/home.ts";
import { legionPaths } from "../../../storage/folder/paths.ts";
import { openPersonFolder, personFolderPath } from "../../../storage/folder/person/folder.ts";
import { readAdoption } from "../../consent/adoption.ts";
import type { Io, Typed } from "../../kit/command.ts";
import { paintFor } from "../../kit/terminal.ts";
import type { Watcher } from "./view.ts";
import type { Workload, WorkloadOrder } from "./workload.ts";

export interface OpenedLegion {
  readonly legion: Legion;
  /** Where it is kept; close it when the legion has stopped. */
  readonly backend: Backend;
}

interface OpenLegionOrder {
  readonly config: Config;
  readonly workload: Workload;
  readonly project: string;
  readonly home?: string;
  readonly typed: Pick<Typed, "options">;
  readonly watcher: Watcher;
  readonly until: WorkloadOrder["until"];
}

/** Rejects as `startLegion`, with STORAGE if nothing can be written to the project or Redis is out of reach. */
export async function openLegion(order: OpenLegionOrder, io: Io): Promise<OpenedLegion> {
  const { config, workload, project, home, typed, watcher } = order;
  const { roles, limits } = workload.roster;
  const providers = new Map(Object.entries(config.providers));
  for (const folder of wayTo(legionPaths(project, home))) await makeFolder(folder);
  const settings = settingsOf(config, workload.roster, await personIn(project, io));
  const redactor = createRedactor(config.secrets());
  const backend = await openPlace({ ...order, redactor: workload.isReplay ? NO_SECRETS : redactor }, io);
  try {
    const legion = await startLegion({
      redactor,
      plans: roles.map(({ plan }) => plan),
      limits,
      durability: config.durability,
      delayMs: config.delayMs,
      settings: (module) => settings.get(module) ?? {},
      concurrency: (provider) => providers.get(provider)?.concurrency,
      project,
      home,
      environment: createLocalEnvironment(io.env),
      heartbeatMs: workload.heartbeatMs,
      started: workload.started,
      backend,
      foreign: await readAdoption(backend.reader, typed, io),
      watch: watcher.see,
      questions: questionsOf(order, io),
      isAnswered: async (call, touch) =>
        isAnsweredBy(await answersOf(openPersonFolder(io.env), project), call, touch),
    });
    return { legion, backend };
  } catch (error) {
    await backend.close();
    throw error;
  }
}

/** Where nobody is there to answer, what has to be asked may not be done. */
function questionsOf({ config: { approvals }, until }: OpenLegionOrder, { stdin }: Io): QuestionSettings {
  const isAlone = until !== "told" && stdin.isTTY !== true;
  return {
    mode: approvals.mode ?? (isAlone ? "deny" : "wait"),
    expireMs: approvals.expireMs ?? DEFAULT_QUESTIONS.expireMs,
  };
}

/** Tries for half a minute, and says so. */
function openPlace(
  { config, project, home, watcher, redactor }: OpenLegionOrder & { readonly redactor: Redactor },
  { stderr, env }: Io,
): Promise<Backend> {
  const { bus, name } = config;
  const say = (text: string): void => void stderr.write(`${text}\n`);
  let told = "";
  return openBackend(
    { project, home, bus, name, redactor },
    {
      onRetry(reason) {
        if (reason !== told) say(`${reason.replace(/\.?$/, ".")} Trying again for half a minute...`);
        told = reason;
      },
      onWarning: (text) => say(`${paintFor(stderr, env)("red", "WARNING")} ${text}`),
      onTrouble: (text) => watcher.tell(text, "redis"),
    },
  );
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
async function personIn(project: string, { env }: Io): Promise<readonly string[]> {
  const ways = await waysTo(project, personFolderPath(env));
  return ways.filter((way) => isInside(project, resolve(project, way)));
}

/** By module. */
function settingsOf(
  { modules: { web }, environment }: Config,
  { protectedPaths }: Roster,
  privatePaths: readonly string[],
): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  return new Map<string, Readonly<Record<string, unknown>>>([
    ["system", { protectedPaths: [...protectedPaths, ...privatePaths], privatePaths }],
    ["web", { ...web, keys: () => searchKeys(web.search, environment()) }],
  ]);
}
