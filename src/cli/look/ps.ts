import { setTimeout as delay } from "node:timers/promises";
import { isLegionError } from "../../base/errors.ts";
import type { Overview } from "../../control/api/legion-client.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { readThrough } from "../kit/follow.ts";
import { columnsFor, print, printJson } from "../kit/output.ts";
import { addJsonOption, addLegionOptions, withSite, type Site } from "../kit/target.ts";
import { statusTable } from "./status-table.ts";
import { withLegion } from "../../control/open.ts";

const WATCH_MS = 1_000;

export const command: CliCommand = {
  define(parser) {
    parser.option("-w, --watch", "show it again as it changes, until Ctrl-C");
    addJsonOption(addLegionOptions(parser));
  },
  async run(typed, io) {
    await withSite(typed, io, async (site) => {
      if (typed.options["watch"]) return watch(site, typed, io);
      const overview = await overviewOf(site);
      if (typed.options["json"]) for (const status of overview.agents) printJson(io, status);
      else print(io, shown(overview, site, io));
    });
    return 0;
  },
};

function overviewOf(site: Site): Promise<Overview> {
  return withLegion(site, (legion) => legion.status());
}

function shown({ agents, nodes }: Overview, site: Site, io: Io): string {
  const { nodes: shared } = site.backend;
  const where = shared ? ` in the legion ${shared.legion} at ${shared.shown}` : "";
  if (agents.length === 0) return `There are no agents yet${where}; \`legion start\` makes one.`;
  const places = shared ? "many" : "one";
  return statusTable(agents, { columns: columnsFor(io), nowMs: Date.now(), nodes, places });
}

/** A terminal keeps one table; a pipe gets another one, and a program another line of an agent, whenever that changes. */
async function watch(site: Site, { options }: Typed, io: Io): Promise<void> {
  const look = async function* (): AsyncGenerator<Overview> {
    try {
      yield await overviewOf(site);
    } catch (error) {
      // A node that was ending when it was asked: the next look tells.
      if (!isLegionError(error, "REFUSED")) throw error;
    }
  };
  const paint = createPainting(io);
  const told = new Map<string, string>();
  let isFirst = true;
  while (!io.signal.aborted) {
    for await (const overview of readThrough(site, look, io)) {
      const lines = new Map(overview.agents.map((status) => [status.id, JSON.stringify(status)]));
      const changed = overview.agents.filter(({ id }) => told.get(id) !== lines.get(id));
      const isNews = isFirst || changed.length > 0 || told.size !== lines.size;
      isFirst = false;
      if (options["json"]) for (const status of changed) printJson(io, status);
      else if (io.stdout.isTTY) paint(shown(overview, site, io));
      else if (isNews) print(io, `${shown(overview, site, io)}\n`);
      told.clear();
      for (const [id, line] of lines) told.set(id, line);
    }
    await delay(WATCH_MS, undefined, { signal: io.signal }).catch(() => undefined);
  }
}

/** Puts each text in the place of the one before; what the terminal has no rows for is counted. */
function createPainting(io: Io): (text: string) => void {
  let rows = 0;
  return (text) => {
    const lines = text.split("\n");
    const room = Math.max(2, (io.stdout.rows || 24) - 1);
    const fitting =
      lines.length > room ? [...lines.slice(0, room - 1), `(${lines.length - room + 1} more rows)`] : lines;
    if (rows > 0) io.stdout.write(`\u001b[${rows}A\u001b[J`);
    print(io, fitting.join("\n"));
    rows = fitting.length;
  };
}
