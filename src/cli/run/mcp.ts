// Which MCP servers the project names, which of them may be started, and what is wrong with the others. `allow` lets one.

import type { Entry } from "../../../modules/mcp/config/entry.ts";
import { lookAt } from "../../../modules/mcp/look.ts";
import type { Listing } from "../../../modules/mcp/tools/offer.ts";
import { pinOf, withhold } from "../../../modules/mcp/tools/pins.ts";
import { markOf } from "../../agent/parts/command-trace.ts";
import { createClock } from "../../base/clock.ts";
import { LegionError, isLegionError, messageOf } from "../../base/errors.ts";
import { count } from "../../base/text/wording.ts";
import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { serverGrants } from "../../config/mcp.ts";
import type { NodeServer } from "../../control/api/routes.ts";
import { withLegion } from "../../control/open.ts";
import { createLocalEnvironment } from "../../environment/local.ts";
import { endTree } from "../../environment/process-tree.ts";
import { legionPaths } from "../../storage/folder/paths.ts";
import { openPersonFolder } from "../../storage/folder/person/folder.ts";
import { grant, pinsOf, pinTools, type ServerPins } from "../../storage/folder/person/trust.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { oneLine, print, printJson } from "../kit/output.ts";
import { addJsonOption, addLegionOptions, projectOf, withSite } from "../kit/target.ts";
import { spelt } from "../kit/terminal.ts";
import { serverLine } from "../look/server-line.ts";

export const command: CliCommand = {
  define(parser) {
    addJsonOption(addLegionOptions(parser))
      .argument("[allow]", "let a server of the project start, as its entry is now")
      .argument("[server]", "its name");
  },
  async run(typed, io) {
    const [order, server] = typed.args;
    const project = await projectOf(typed, io);
    const config = await loadConfig({ projectDir: project, env: io.env, flags: {} });
    if (order === undefined) return list({ config, project }, typed, io);
    if (order !== "allow" || server === undefined)
      throw new LegionError("USAGE", "expected `legion mcp`, or `legion mcp allow <server>`");
    return allow(server, { config, project }, io);
  },
};

/** Starts none. */
async function list({ config, project }: ServerPlace, typed: Typed, io: Io): Promise<number> {
  const { options } = typed;
  const { entries, problems } = await config.modules.mcp.servers();
  const running = entries.length > 0 ? await runningNow(typed, io) : [];
  const nowMs = Date.now();
  const grants = await serverGrants(config.modules.mcp, config.trust);
  let isOpen = false;
  for (const entry of entries) {
    const { name, place, says } = entry;
    const state = stateOf(entry, grants);
    const pins = await pinsOf(openPersonFolder(io.env), project, name);
    const withheld = state === "allowed" && pins?.entry === entry.hash ? waitingLines(pins) : [];
    const live = running.filter((server) => server.name === name);
    if (options["json"]) printJson(io, { name, place, entry: says, state, withheld, running: live });
    else print(io, spelt(`${state.padEnd(12)} ${name}: ${says} (${place})`));
    if (!options["json"])
      for (const server of live) print(io, `  ${serverLine(server, nowMs)} (node ${oneLine(server.node)})`);
    if (!options["json"]) for (const line of withheld) print(io, spelt(`  withheld tool ${line}`));
    isOpen ||= state === "not allowed" || withheld.length > 0;
  }
  if (!options["json"]) {
    if (entries.length === 0 && problems.length === 0)
      print(io, "No MCP servers: none in .ai-legion/mcp.json or .mcp.json.");
    if (isOpen) print(io, "\n`legion mcp allow <server>` allows one as it is now, with all its tools.");
  }
  for (const problem of problems) io.stderr.write(`legion: ${oneLine(spelt(problem))}\n`);
  return 0;
}

/** Of every node that can be asked; none where no node runs. */
async function runningNow(typed: Typed, io: Io): Promise<readonly NodeServer[]> {
  try {
    return await withSite(
      typed,
      io,
      async (site) => (await withLegion(site, (legion) => legion.status([]))).servers,
      "refuse",
    );
  } catch (error) {
    if (!isLegionError(error, "STORAGE") && !isLegionError(error, "REFUSED")) throw error;
    io.stderr.write(`legion: what runs cannot be told: ${oneLine(error.message)}\n`);
    return [];
  }
}

/** One line for each tool that agents do without, because it is not as it was. */
function waitingLines({ tools, waiting = [] }: ServerPins): readonly string[] {
  const known = new Set(tools.map(({ name }) => name));
  return waiting.map(({ name }) => `${oneLine(name)}: ${known.has(name) ? "it has changed" : "it is new"}`);
}

/** `unusable`: it is no program of this machine. */
function stateOf(
  { name }: Entry,
  grants: Awaited<ReturnType<typeof serverGrants>>,
): "allowed" | "not allowed" | "unusable" {
  const wanted = grants.find(({ what }) => what === `mcp ${name}`);
  if (!wanted) return "unusable";
  return wanted.isGranted ? "allowed" : "not allowed";
}

interface ServerPlace {
  readonly config: Config;
  /** Real path. */
  readonly project: string;
}

async function allow(server: string, { config, project }: ServerPlace, io: Io): Promise<number> {
  const { mcp } = config.modules;
  // What is allowed and what is started come of one look at the files.
  const found = await mcp.servers();
  const { entries } = found;
  const wanted = (await serverGrants({ ...mcp, servers: () => Promise.resolve(found) }, config.trust)).find(
    ({ what }) => what === `mcp ${server}`,
  );
  if (!wanted) {
    const isThere = entries.some(({ name }) => name === server);
    const known = entries.map(({ name }) => name).join(", ") || "none";
    const reason = isThere
      ? "it is behind a URL, and cannot be used yet"
      : `there is none; there are: ${known}`;
    throw new LegionError("USAGE", `MCP server ${JSON.stringify(server)}: ${oneLine(spelt(reason))}`);
  }
  const entry = entries.find(({ name }) => name === server)!;
  const person = openPersonFolder(io.env);
  await grant(person, project, wanted);
  print(io, spelt(`Allowed, until its entry changes: ${wanted.says} (${wanted.by})`));
  const listing = await startOnce(entry, project, io);
  if (!listing) return 1;
  const before = await pinsOf(person, project, server);
  const { withheld = [] } = before?.entry === entry.hash ? withhold(listing, before.tools) : {};
  const pins = { entry: entry.hash, tools: listing.tools.map(pinOf) };
  await pinTools(person, { project, server }, () => pins);
  print(
    io,
    `It has ${count(pins.tools.length, "tool")}; another, or one that changes, waits until you allow it again.`,
  );
  for (const { name, description = "" } of listing.tools) {
    const change = withheld.find(({ tool }) => tool === name)?.why;
    const shown = `${oneLine(name)}${change ? ` (${change})` : ""}: ${oneLine(description)}`;
    print(io, spelt(`  ${shown.slice(0, MAX_SHOWN)}`));
  }
  return 0;
}

const MAX_SHOWN = 400;

async function startOnce(entry: Entry, project: string, io: Io): Promise<Listing | undefined> {
  const { root } = legionPaths(project);
  // What is left of it, if this process is killed, the next start ends.
  const environment = createLocalEnvironment(io.env).variables(markOf(`node ${root}`));
  const end = async (group: number, mark: string): Promise<void> => void (await endTree(group, mark));
  try {
    return await lookAt(entry, { environment, endTree: end, clock: createClock() });
  } catch (error) {
    io.stderr.write(`legion: it does not start: ${oneLine(spelt(messageOf(error)))}\n`);
    return undefined;
  }
}
