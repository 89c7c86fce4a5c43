import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { LegionError } from "../../base/errors.ts";
import { authorshipOf, type Authorship } from "../../storage/folder/person/authorship.ts";
import { readableModules } from "../../config/module-loader.ts";
import { CONTROL, displayName, type AgentId } from "../../domain/message/message.ts";
import { packAgents, type Packing, type Tally } from "../../storage/archive/pack.ts";
import { createLedger } from "../../past/ledger.ts";
import { openPersonFolder } from "../../storage/folder/person/folder.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { writeNewFile } from "../kit/new-file.ts";
import { namesOf, oneLine, print, printJson } from "../kit/output.ts";
import { createProgress } from "../kit/progress.ts";
import { checkAgent, addJsonOption, addLegionOptions, withSite, type Site } from "../kit/target.ts";
import { count } from "../../base/text/wording.ts";

const STDOUT = "-";

export const command: CliCommand = {
  define(parser) {
    parser
      .argument("[id]", "the agent; 0 is you; left out with --all")
      .argument("[file]", "where to; <id>.legion if it is left out, - for standard output")
      .option("--all", "every agent, you included, in one file");
    addJsonOption(addLegionOptions(parser));
  },
  async run(typed, io) {
    return withSite(typed, io, (site) => exportFrom(site, typed, io));
  },
};

async function exportFrom(site: Site, typed: Typed, io: Io): Promise<number> {
  const { agents, file } = await readOrder(typed, site);
  const authorship = await authorOf(agents, site, io);
  const source = site.backend.source({ readable: await readableModules(), authorship });
  const packing = packAgents(source, agents, authorship);
  const target = file === STDOUT ? STDOUT : resolve(io.cwd, file);
  if (target === STDOUT) await toStdout(packing, io);
  else await writeNewFile(target, watched(packing, io));
  for (const remark of packing.tally.remarks) io.stderr.write(`legion: ${oneLine(remark)}\n`);
  const { events, unread } = packing.tally;
  if (typed.options["json"] && target !== STDOUT) printJson(io, { file: target, agents, events, unread });
  else if (target === STDOUT) io.stderr.write(`${sayDone("standard output", agents, packing.tally)}\n`);
  else print(io, sayDone(file, agents, packing.tally));
  return 0;
}

/** What somebody else wrote does not become the person's by being copied. */
async function authorOf(
  agents: readonly AgentId[],
  { reader }: Site,
  { env }: Io,
): Promise<Authorship | undefined> {
  for (const id of agents) if (await reader.isForeign(id)) return undefined;
  return authorshipOf(openPersonFolder(env));
}

/** Which agents, and the file as it was typed. */
async function readOrder(
  { args, options }: Typed,
  site: Site,
): Promise<{ readonly agents: readonly AgentId[]; readonly file: string }> {
  const [first, second] = args;
  if (!options["all"]) {
    if (first === undefined)
      throw new LegionError("USAGE", "name an agent, or --all and a file: legion export --all team.legion");
    const agent = first === CONTROL ? CONTROL : await checkAgent(site, first);
    return { agents: [agent], file: second ?? `${agent}.legion` };
  }
  if (first === undefined || second !== undefined)
    throw new LegionError("USAGE", "--all takes a file and no agent: legion export --all team.legion");
  const { reader } = site;
  const hasControl =
    (await reader.last(CONTROL)) > 0 || (await reader.unread(CONTROL, createLedger())).length > 0;
  const agents = [...(hasControl ? [CONTROL] : []), ...(await reader.known())];
  if (agents.length > 0) return { agents, file: first };
  const way = site.backend.nodes
    ? "--name <name> means another legion there"
    : "--dir <folder> names another project";
  throw new LegionError("USAGE", `there is no agent here yet; ${way}`);
}

function sayDone(file: string, agents: readonly AgentId[], { events, unread }: Tally): string {
  const who = agents.length === 1 ? displayName(agents[0]!) : namesOf(agents);
  const mail = unread === 0 ? "" : `, ${count(unread, "unread message")}`;
  return `wrote ${file}: ${who}, ${count(events, "event")}${mail}`;
}

async function toStdout(packing: Packing, io: Io): Promise<void> {
  if (io.stdout.isTTY)
    throw new LegionError("USAGE", "an export is not for a terminal; send it to a file or another program");
  await pipeline(watched(packing, io), io.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
    // Whoever reads has what it wanted.
    if (error.code !== "EPIPE") throw error;
  });
}

/** The pieces of a packing; a person at a terminal sees how far it is. */
function watched({ pieces, tally }: Packing, io: Io): Readable {
  const progress = createProgress(io);
  const watching = async function* (): AsyncGenerator<string | Buffer> {
    try {
      for await (const piece of pieces) {
        yield piece;
        progress.show(count(tally.events, "event"));
      }
    } finally {
      progress.clear();
    }
  };
  return Readable.from(watching(), { objectMode: true });
}
