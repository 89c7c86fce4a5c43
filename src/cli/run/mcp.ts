// Which MCP servers the project names, which of them may be started, and what is wrong with the others. `allow` lets one.

import type { Entry } from "../../../modules/mcp/config/entry.ts";
import { lookAt } from "../../../modules/mcp/look.ts";
import type { Listing, WithheldTool } from "../../../modules/mcp/tools/offer.ts";
import { pinsIn } from "../../../modules/mcp/tools/pins.ts";
import { createClock } from "../../base/clock.ts";
import { LegionError, isLegionError, messageOf } from "../../base/errors.ts";
import { createClosing } from "../../base/process/closing.ts";
import { createRedactor, type Redactor } from "../../base/redaction/redactor.ts";
import { count, elide } from "../../base/text/wording.ts";
import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { serverGrants } from "../../config/mcp/servers.ts";
import { allowing, denying, withheldBy } from "../../config/mcp/pins.ts";
import type { NodeServer } from "../../control/api/routes.ts";
import { withLegion } from "../../control/open.ts";
import { shownEntry } from "../../config/mcp/shown-entry.ts";
import { createNetwork } from "../../environment/network/network.ts";
import { openPrograms } from "../../legion/opening/open-programs.ts";
import { openPersonFolder } from "../../storage/folder/person/folder.ts";
import { grant, pinsOf, pinTools, takeBack, type ServerPins } from "../../storage/folder/person/trust.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { oneLine, print, printJson, printRows, warn } from "../kit/output.ts";
import { addJsonOption, addLegionOptions, projectOf, withSite } from "../kit/target.ts";
import { spelt } from "../kit/terminal.ts";
import { serverLine } from "../look/server-line.ts";

export const command: CliCommand = {
  define(parser) {
    addJsonOption(addLegionOptions(parser))
      .argument(
        "[order]",
        "allow: a server of the project may start, as its entry is now; deny: no more; serve: be one, for other programs",
      )
      .argument("[server]", "its name; `server/tool`: whether agents may use that tool")
      .option("--http <port>", "serve on this port of 127.0.0.1, in place of standard input and output");
  },
  async run(typed, io) {
    const [order, named = ""] = typed.args;
    if (order === "serve" && named === "") return (await import("./serve/serve.ts")).serve(typed, io);
    if (typed.options["http"] !== undefined)
      throw new LegionError("USAGE", "--http belongs to `legion mcp serve`");
    const project = await projectOf(typed, io);
    const config = await loadConfig({ projectDir: project, env: io.env, flags: {} });
    if (order === undefined) return list({ config, project }, typed, io);
    // No name of a server has a slash.
    const [server = "", ...rest] = named.split("/");
    const choice: Choice = { server, tool: rest.join("/"), config, project };
    if (server !== "" && order === "allow") return allow(choice, typed, io);
    if (server !== "" && order === "deny")
      return choice.tool === "" ? denyServer(choice, typed, io) : denyTool(choice, typed, io);
    throw new LegionError(
      "USAGE",
      "expected `legion mcp`, `legion mcp allow|deny <server>[/<tool>]`, or `legion mcp serve`",
    );
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
    const { name, place } = entry;
    const says = shownEntry(entry);
    const state = stateOf(entry, grants);
    const pins = await pinsOf(openPersonFolder(io.env), project, name);
    const withheld = state === "allowed" && pins?.entry === entry.hash ? withheldBy(pins) : [];
    const live = running.filter((server) => server.name === name);
    if (options["json"]) printJson(io, { name, place, entry: says, state, withheld, running: live });
    else printRows(io, spelt(`${state.padEnd(12)} ${name}: ${says} (${place})`));
    if (!options["json"])
      for (const server of live)
        printRows(io, `  ${serverLine(server, nowMs)} (node ${oneLine(server.node)})`);
    if (!options["json"])
      for (const { tool, why } of withheld) printRows(io, spelt(`  withheld ${oneLine(tool)}: ${WHY[why]}`));
    isOpen ||= state === "not allowed" || withheld.some(({ why }) => why !== "denied");
  }
  if (!options["json"]) {
    if (entries.length === 0 && problems.length === 0)
      print(io, "No MCP servers: none in .ai-legion/mcp.json or .mcp.json.");
    if (isOpen) printRows(io, "\n`legion mcp allow <server>` allows one as it is now, with all its tools.");
  }
  for (const problem of problems) warn(io, oneLine(spelt(problem)));
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
    warn(io, `what runs cannot be told: ${oneLine(error.message)}`);
    return [];
  }
}

const WHY: Readonly<Record<WithheldTool["why"], string>> = {
  new: "it is new",
  changed: "it has changed",
  denied: "you said so",
};

function stateOf(
  { name }: Entry,
  grants: Awaited<ReturnType<typeof serverGrants>>,
): "allowed" | "not allowed" {
  return grants.some(({ what, isGranted }) => isGranted && what === `mcp ${name}`)
    ? "allowed"
    : "not allowed";
}

interface ServerPlace {
  readonly config: Config;
  /** Real path. */
  readonly project: string;
}

/** What the person says of. */
interface Choice extends ServerPlace {
  readonly server: string;
  /** Or `prompt` and its name; empty: the server as a whole. */
  readonly tool: string;
}

function wrong({ server }: Choice, reason: string): LegionError {
  return new LegionError("USAGE", `MCP server ${JSON.stringify(server)}: ${oneLine(spelt(reason))}`);
}

/** What is allowed and what is started come of one look at the files. */
async function find(choice: Choice) {
  const { server, config } = choice;
  const { mcp } = config.modules;
  const found = await mcp.servers();
  const { entries } = found;
  const entry = entries.find(({ name }) => name === server);
  const grants = await serverGrants({ ...mcp, servers: () => Promise.resolve(found) }, config.trust);
  const known = entries.map(({ name }) => name).join(", ") || "none";
  const wanted = grants.find(({ what }) => what === `mcp ${server}`);
  const problem = found.problems.find((line) => line.includes(`: server "${server}": `));
  if (problem !== undefined) throw new LegionError("USAGE", oneLine(spelt(problem)));
  if (!entry || !wanted) throw wrong(choice, `there is none; there are: ${known}`);
  return { entry, wanted };
}

async function allow(choice: Choice, { options }: Typed, io: Io): Promise<number> {
  const { server, tool, project } = choice;
  const { entry, wanted } = await find(choice);
  if (tool !== "" && !wanted.isGranted)
    throw wrong(choice, `allow it first: \`legion mcp allow ${JSON.stringify(server)}\``);
  const person = openPersonFolder(io.env);
  if (tool === "") await grant(person, project, wanted);
  const told = { name: server, place: entry.place, entry: shownEntry(entry), state: "allowed" };
  if (!options["json"] && tool === "")
    printRows(io, spelt(`Allowed, until its entry changes: ${wanted.says} (${wanted.by})`));
  const redactor = createRedactor(choice.config.secrets());
  const listing = await startOnce(entry, { ...choice, redactor }, io);
  if (!listing) {
    if (options["json"]) printJson(io, { ...told, tools: null });
    return 1;
  }
  const now = pinsIn(listing);
  if (tool !== "" && !now.some(({ name }) => name === tool))
    throw wrong(
      choice,
      `it has no ${JSON.stringify(tool)}; it has: ${now.map(({ name }) => name).join(", ")}`,
    );
  const before = await pinsOf(person, project, server);
  const changes = before?.entry === entry.hash ? withheldBy(before, now) : [];
  const choose = (known: ServerPins | undefined) => allowing(now, { entry: entry.hash, tool }, known);
  await pinTools(person, { project, server }, choose);
  const still = withheldBy(choose(before));
  const lines = linesOf(redactor.value(listing)).flatMap((line): ToolLine[] => {
    const isMeant = ({ tool: name }: WithheldTool): boolean => name === line.tool;
    if (tool !== "" && line.tool !== tool) return [];
    return [{ ...line, state: still.some(isMeant) ? "denied" : (changes.find(isMeant)?.why ?? "known") }];
  });
  if (options["json"]) printJson(io, { ...told, tools: lines });
  else show(lines, tool, io);
  return 0;
}

interface ToolLine {
  readonly tool: string;
  readonly description: string;
  /** `denied`: agents do without it still. */
  readonly state: WithheldTool["why"] | "known";
}

function linesOf({ tools, prompts }: Listing): readonly Omit<ToolLine, "state">[] {
  return [
    ...tools.map(({ name, description = "" }) => ({ tool: name, description })),
    ...prompts.map(({ name, description }) => ({ tool: `prompt ${name}`, description })),
  ];
}

function show(lines: readonly ToolLine[], tool: string, io: Io): void {
  const many = lines.filter((line) => !line.tool.startsWith("prompt ")).length;
  print(
    io,
    tool === ""
      ? `It has ${count(many, "tool")}; another, or one that changes, waits until you allow it again.`
      : "Allowed, until it changes:",
  );
  for (const { tool: name, description, state } of lines) {
    const change =
      state === "known" || tool !== "" ? "" : ` (${state === "denied" ? "withheld: you said so" : state})`;
    printRows(io, spelt(`  ${elide(`${oneLine(name)}${change}: ${oneLine(description)}`, MAX_SHOWN)}`));
  }
}

async function denyServer(choice: Choice, { options }: Typed, io: Io): Promise<number> {
  const { server, project } = choice;
  const isTakenBack = await takeBack(openPersonFolder(io.env), project, `mcp ${server}`);
  // What is in no file any more may still be allowed.
  if (!isTakenBack) await find(choice);
  if (options["json"]) printJson(io, { name: server, state: "not allowed" });
  else if (isTakenBack)
    print(io, spelt(`Not allowed any more: ${server}. Where it runs, it ends within 30 seconds.`));
  else print(io, spelt(`${server} was not allowed.`));
  return 0;
}

async function denyTool(choice: Choice, { options }: Typed, io: Io): Promise<number> {
  const { server, tool, project } = choice;
  const { entry } = await find(choice);
  const person = openPersonFolder(io.env);
  const pins = await pinsOf(person, project, server);
  if (pins?.entry !== entry.hash)
    throw wrong(choice, "which tools it has is known once it started; `legion mcp allow` does that");
  const names = [...new Set([...pins.tools, ...(pins.waiting ?? [])].map(({ name }) => name))];
  if (!names.includes(tool))
    throw wrong(choice, `it has no ${JSON.stringify(tool)}; it has: ${names.join(", ")}`);
  await pinTools(person, { project, server }, (known = pins) => denying(known, tool));
  if (options["json"]) printJson(io, { name: server, tool, state: "denied" });
  else print(io, spelt(`Withheld from agents within 30 seconds, until you allow it: ${server}/${tool}`));
  return 0;
}

const MAX_SHOWN = 400;

async function startOnce(
  entry: Entry,
  { config, project, redactor }: ServerPlace & { readonly redactor: Redactor },
  io: Io,
): Promise<Listing | undefined> {
  const closing = createClosing();
  const { allowPrivate } = config.modules.web;
  const network = createNetwork({ allowPrivate, redactor });
  closing.add(network.close);
  try {
    const programs = await openPrograms({ config, project, env: io.env, closing });
    const { confinement } = config.modules.mcp;
    return await lookAt(entry, { network, programs, confinement, clock: createClock() });
  } catch (error) {
    const problem = entry.way.kind === "stdio" ? "it does not start" : "it cannot be used";
    warn(io, `${problem}: ${oneLine(spelt(redactor.text(messageOf(error))))}`);
    return undefined;
  } finally {
    await closing.run();
  }
}
