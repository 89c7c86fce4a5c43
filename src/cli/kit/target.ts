// Which legion a command is about, where that is, and which of its agents.

import { stat, realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command as Parser } from "commander";
import type { Config, ConfigFlags } from "../../config/config.ts";
import { LegionError } from "../../base/errors.ts";
import { BETWEEN_TEXTS } from "../../config/files/variables.ts";
import { checkHome, trustOwner } from "../../storage/folder/home.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { legionPaths, runName, startCommand, type LegionPaths } from "../../storage/folder/paths.ts";
import { openPersonFolder } from "../../storage/folder/person/folder.ts";
import type { Backend } from "../../storage/contract/backend.ts";
import { byId, type Reader } from "../../storage/contract/reader.ts";
import type { Targets } from "../../control/api/routes.ts";
import { resolveKnown } from "../../control/api/orders.ts";
import type { Io, Typed } from "./command.ts";
import { leftOut } from "../../config/grants/left-out.ts";
import { oneLine } from "./output.ts";

/** Where a legion is, and how it is read. */
export interface Site {
  /** Real path of the folder that holds config, definitions and modules; it may hold nothing where others share the legion. */
  readonly project: string;
  /** Absolute real path of the home of one of its runs; absent: the project's own legion. */
  readonly home?: string;
  readonly config: Config;
  /** Closed when the command ends. */
  readonly backend: Backend;
  readonly reader: Reader;
  /** What no agent may change, relative to the project. */
  readonly protectedPaths: () => Promise<readonly string[]>;
}

const GOES_ON = "this goes on with the defaults, a start would not";

export function addDirOption(parser: Parser): Parser {
  return parser.option("--dir <folder>", "the project's folder, if it is not the current one");
}

/** Lets a person say which legion is meant. */
export function addLegionOptions(parser: Parser): Parser {
  return addDirOption(parser)
    .option("--bus <url>", "where the legion is: memory (the project's files) or redis://host:port/db")
    .option("--name <name>", "its name in that Redis (default: legion)")
    .option(
      "--run <run>",
      "that of this run, session or batch (its folder) instead; `legion runs` lists them",
    );
}

/** Lets a person say that they know what this folder holds, and want it. */
export function addTrustOption(parser: Parser): Parser {
  return parser.option(
    "--trust",
    "trust what this folder brings as it is now, without a question; it is remembered",
  );
}

/** The same where code of the project runs. */
export function addCodeTrustOption(parser: Parser): Parser {
  return addTrustOption(parser).option(
    "--trust-always",
    "run its code whatever becomes of it, for those who write its modules",
  );
}

/** Lets a person say what agents may do, as often as they like. */
export function addPolicyOption(parser: Parser): Parser {
  return parser.option(
    "--policy <rule>",
    'such as "deny run git push *", "allow net example.com" or read-only; again for more',
    eachTime,
  );
}

/** Of an option that is given again for more: all of it. */
export function eachTime(text: string, before?: string): string {
  return before === undefined ? text : before + BETWEEN_TEXTS + text;
}

export function addJsonOption(parser: Parser): Parser {
  return parser.option("--json", "print JSON, one object a line");
}

/**
 * The real path of the project's folder. Throws USAGE if there is no such folder, CONFIG if what it holds is not to be
 * touched.
 */
export async function projectOf(typed: Typed, io: Io): Promise<string> {
  const project = await folderOf(typed, io);
  const paths = legionPaths(project);
  const person = openPersonFolder(io.env);
  if (typed.options["trust"]) await trustOwner(paths, person);
  await checkHome(paths, person);
  return project;
}

async function folderOf({ options }: Typed, { cwd }: Io): Promise<string> {
  const { dir: folder = "." } = options;
  if (folder === "")
    throw new LegionError("USAGE", "--dir: the folder is empty; leave the option out to use the current one");
  const path = resolve(cwd, folder);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory())
    throw new LegionError("USAGE", `--dir: there is no folder ${JSON.stringify(folder)}`);
  return realpath(path);
}

/** Where the legion is that is meant, and the settings that say so. */
export type MeantLegion = Pick<Site, "home"> & Pick<ConfigFlags, "bus" | "name">;

/** Throws USAGE if a run is meant that is not there. A folder is a batch, unless a run or session has the name. */
export async function placeOf(project: string, { options }: Typed, io: Io): Promise<MeantLegion> {
  const { bus, name, run = io.run } = options;
  if (run === undefined) return { bus, name };
  if (bus !== undefined || name !== undefined)
    throw new LegionError("USAGE", "--run: a run is kept in files; leave out --bus and --name");
  const { findSession, sessionsOf } = await import("../../storage/files/sessions.ts");
  const person = openPersonFolder(io.env);
  if (!(await sessionsOf(project)).some((session) => session.name === run)) {
    const { findBatch } = await import("../../storage/files/batches.ts");
    const home = await findBatch(run, { project, cwd: io.cwd, person });
    if (home !== undefined) return { home, bus: "memory" };
    if (/[\\/]/.test(run))
      throw new LegionError("USAGE", `--run: there is no batch in ${JSON.stringify(run.slice(0, 200))}`);
  }
  return { home: (await findSession(project, run, person)).home, bus: "memory" };
}

/**
 * Does `use` with the legion that is meant; what it took to reach it is given back then. What is wrong in settings is said in
 * one line and costs nothing more, unless `faults` is `refuse`. Rejects with USAGE or CONFIG if that cannot be, with STORAGE
 * if Redis cannot be reached at the first try.
 */
export async function withSite<T>(
  typed: Typed,
  io: Io,
  use: (site: Site) => Promise<T>,
  faults: "refuse" | "tell" = "tell",
): Promise<T> {
  const project = await projectOf(typed, io);
  const { loadConfig, loadConfigAnyway, openPlaceGrants } = await import("../../config/load-config.ts");
  const { home, ...flags } = await placeOf(project, typed, io);
  const sources = { projectDir: project, env: io.env, flags };
  const { config, fault } =
    faults === "refuse" ? { config: await loadConfig(sources) } : await loadConfigAnyway(sources);
  if (fault !== undefined) io.stderr.write(`legion: ${oneLine(fault)} (${GOES_ON})\n`);
  const strange = openPlaceGrants(config, sources);
  if (strange.length > 0 && faults === "tell") io.stderr.write(`legion: ${leftOut(strange)}\n`);
  const { openBackend } = await import("../../storage/open.ts");
  const { createRedactor } = await import("../../base/redaction/redactor.ts");
  const { hideInErrors } = await import("../../config/hide-in-errors.ts");
  const redactor = createRedactor(config.secrets());
  const backend = await openBackend({ project, home, bus: config.bus, name: config.name, redactor });
  try {
    const { reader } = backend;
    const protectedPaths = async (): Promise<readonly string[]> =>
      (await import("../../legion/undo/protected-paths.ts")).protectedPathsOf(
        { project, config, reader },
        io.env,
      );
    return await hideInErrors(config, () => use({ project, home, config, backend, reader, protectedPaths }));
  } finally {
    await backend.close();
  }
}

/** The same text, where each command in it is about that legion. */
export function aboutRun(text: string, { project, home }: Pick<Site, "project" | "home">): string {
  if (home === undefined) return text;
  const run = runName(project, home);
  return text.replace(/`(legion [^`]+)`/g, (_, command: string) =>
    command === "legion start" ? `\`${startCommand(project, home)}\`` : `\`${command} --run ${run}\``,
  );
}

/** Throws USAGE, naming the known ids, unless `id` is an agent. */
export async function checkAgent(site: Site, id: string): Promise<AgentId> {
  const [known] = resolveKnown([id], await knownAt(site, [id]));
  return known!;
}

/** Reads `2`, `2,3` or `all`. Throws USAGE, naming the known ids, if one of them is no agent. */
export async function checkTargets(site: Site, text: string): Promise<Targets> {
  const ids = text.split(",").map((id) => id.trim());
  const targets = text.trim() === "all" ? "all" : ids.filter((id) => id !== "");
  if (targets.length === 0) throw new LegionError("USAGE", "name an agent, several such as 2,3, or all");
  const known = resolveKnown(targets, await knownAt(site, targets));
  return targets === "all" ? targets : known;
}

/** A legion that nobody has started may be one whose name is misspelt. */
async function knownAt({ backend, project, home }: Site, wanted: Targets): Promise<readonly AgentId[]> {
  const known = await backend.reader.known();
  if (!backend.nodes) {
    const isKnown = wanted === "all" ? known.length > 0 : wanted.every((id) => known.includes(id));
    return isKnown
      ? known
      : [...new Set([...known, ...(await runningIn(legionPaths(project, home)))])].sort(byId);
  }
  if (known.length > 0) return known;
  const place = `the legion ${backend.nodes.legion} at ${backend.nodes.shown}`;
  throw new LegionError("USAGE", `there are no agents in ${place}; --name <name> means another legion there`);
}

/** The node may run an agent that has a file in place of its folder. */
async function runningIn({ socket }: LegionPaths): Promise<readonly AgentId[]> {
  const { findNode } = await import("../../control/socket/client.ts");
  const node = await findNode(socket);
  return ((await node?.status({}))?.agents ?? []).map(({ id }) => id);
}
