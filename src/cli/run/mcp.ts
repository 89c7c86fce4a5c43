// Which MCP servers the project names, which of them may be started, and what is wrong with the others. `allow` lets one.

import type { Entry } from "../../../modules/mcp/config/entry.ts";
import { LegionError } from "../../base/errors.ts";
import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { serverGrants } from "../../config/mcp.ts";
import { openPersonFolder } from "../../storage/folder/person/folder.ts";
import { grant } from "../../storage/folder/person/trust.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { oneLine, print, printJson } from "../kit/output.ts";
import { addDirOption, addJsonOption, projectOf } from "../kit/target.ts";
import { spelt } from "../kit/terminal.ts";

export const command: CliCommand = {
  define(parser) {
    addJsonOption(addDirOption(parser))
      .argument("[allow]", "let a server of the project start, as its entry is now")
      .argument("[server]", "its name");
  },
  async run(typed, io) {
    const [order, server] = typed.args;
    const project = await projectOf(typed, io);
    const config = await loadConfig({ projectDir: project, env: io.env, flags: {} });
    if (order === undefined) return list(config, typed, io);
    if (order !== "allow" || server === undefined)
      throw new LegionError("USAGE", "expected `legion mcp`, or `legion mcp allow <server>`");
    return allow(server, { config, project }, io);
  },
};

/** Starts none. */
async function list(config: Config, { options }: Typed, io: Io): Promise<number> {
  const { entries, problems } = await config.modules.mcp.servers();
  const grants = await serverGrants(config.modules.mcp, config.trust);
  for (const entry of entries) {
    const { name, place, says } = entry;
    const state = stateOf(entry, grants);
    if (options["json"]) printJson(io, { name, place, entry: says, state });
    else print(io, spelt(`${state.padEnd(12)} ${name}: ${says} (${place})`));
  }
  if (!options["json"]) {
    if (entries.length === 0 && problems.length === 0)
      print(io, "No MCP servers: none in .ai-legion/mcp.json or .mcp.json.");
    if (grants.some(({ isGranted }) => !isGranted))
      print(io, "\n`legion mcp allow <server>` lets one start that is not allowed.");
  }
  for (const problem of problems) io.stderr.write(`legion: ${oneLine(spelt(problem))}\n`);
  return 0;
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
  const { entries } = await config.modules.mcp.servers();
  const wanted = (await serverGrants(config.modules.mcp, config.trust)).find(
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
  await grant(openPersonFolder(io.env), project, wanted);
  print(io, spelt(`Allowed, until its entry changes: ${wanted.says} (${wanted.by})`));
  return 0;
}
