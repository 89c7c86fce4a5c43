import { setTimeout as delay } from "node:timers/promises";
import { isLegionError } from "../../base/errors.ts";
import type { Overview } from "../../control/api/legion-client.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { readThrough } from "../kit/follow.ts";
import { columnsFor, oneLine, print, printJson } from "../kit/output.ts";
import { addJsonOption, addLegionOptions, withSite, type Site } from "../kit/target.ts";
import type { AgentStatus } from "../../legion/status.ts";
import { clip, columnsOf, wrap } from "../kit/terminal.ts";
import { ageOf } from "../kit/times.ts";
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

interface Column {
  readonly title: string;
  readonly align: "left" | "right";
  /** Of two columns that do not fit both, the one with the lower number stays. */
  readonly rank: number;
  cell(status: AgentStatus, nowMs: number): string;
}

const NODE: Column = {
  title: "NODE",
  align: "left",
  rank: 2,
  cell: ({ node }) => clip(oneLine(node ?? "-"), 28),
};

const COLUMNS: readonly Column[] = [
  { title: "ID", align: "left", rank: 0, cell: ({ id }) => id },
  { title: "STATE", align: "left", rank: 0, cell: ({ state }) => state },
  { title: "SINCE", align: "right", rank: 1, cell: ({ since }, nowMs) => ageOf(since, nowMs) },
  { title: "WAITS FOR", align: "left", rank: 1, cell: ({ waitingFor }) => clip(oneLine(waitingFor), 28) },
  { title: "MAIL", align: "right", rank: 1, cell: ({ unread }) => String(unread) },
  { title: "STEPS", align: "right", rank: 3, cell: ({ steps }) => String(steps) },
  { title: "TOKENS", align: "right", rank: 4, cell: ({ tokens }) => formatCount(tokens) },
  { title: "COST", align: "right", rank: 2, cell: ({ cost }) => formatCost(cost) },
  NODE,
  { title: "MODEL", align: "left", rank: 5, cell: ({ model }) => oneLine(model ?? "?") },
];
const GAP = "  ";
const INDENT = "   ";
/** A model's name is cut rather than left out down to this width. */
const MIN_MODEL = 8;

interface TableOptions {
  readonly columns: number;
  readonly nowMs: number;
  /** Names of nodes that may run none of the agents. */
  readonly nodes: readonly string[];
  /** `many`: each line says which node runs its agent. Default `one`: only the end of the table does. */
  readonly places?: "many" | "one";
}

/** One row for each agent, then, indented, why it does not act. Fits into `columns` down to about 45. */
export function statusTable(
  agents: readonly AgentStatus[],
  { columns, nowMs, nodes, places = "one" }: TableOptions,
): string {
  const wanted = COLUMNS.filter((column) => column !== NODE || places === "many");
  const filled = wanted.map((column): FilledColumn => {
    const cells = agents.map((status) => column.cell(status, nowMs));
    return { column, cells, width: Math.max(column.title.length, ...cells.map(columnsOf)) };
  });
  const shown = fit(filled, columns);
  const line = (textOf: (filled: FilledColumn) => string): string =>
    shown
      .map((one) => pad(textOf(one), one.width, one.column.align))
      .join(GAP)
      .trimEnd();
  const lines = agents.flatMap((status, index) => [
    line(({ cells }) => cells[index]!),
    ...explain(status, columns),
  ]);
  return [line(({ column }) => column.title), ...lines, "", placesOf(agents, nodes)].join("\n");
}

interface FilledColumn {
  readonly column: Column;
  /** Of each agent. */
  readonly cells: readonly string[];
  readonly width: number;
}

/** Leaves out the columns of the highest rank until the others fit; the last one gets what is left. */
function fit(all: readonly FilledColumn[], columns: number): readonly FilledColumn[] {
  const last = all.at(-1)!;
  const sum = (shown: readonly FilledColumn[]): number =>
    shown.reduce((total, { width }) => total + width + GAP.length, -GAP.length);
  for (let rank = Math.max(...all.map(({ column }) => column.rank)); rank > 0; rank--) {
    const shown = all.filter(({ column }) => column.rank <= rank);
    const spare = columns - sum(shown);
    if (spare >= 0) return shown;
    if (!shown.includes(last) || last.width + spare < MIN_MODEL) continue;
    return shown.map((one) => (one === last ? { ...last, width: last.width + spare } : one));
  }
  return all.filter(({ column }) => column.rank === 0);
}

function pad(cell: string, width: number, align: Column["align"]): string {
  const text = clip(cell, width);
  const space = " ".repeat(Math.max(0, width - columnsOf(text)));
  return align === "left" ? text + space : space + text;
}

const MAX_REASON_ROWS = 4;

/** Why it does not act, in a few rows. */
function explain({ reason }: AgentStatus, columns: number): readonly string[] {
  if (oneLine(reason) === "") return [];
  const rows = wrap(reason, columns - INDENT.length).slice(0, MAX_REASON_ROWS);
  return rows.map((row) => INDENT + row);
}

/** Which node runs how many of them. */
function placesOf(agents: readonly AgentStatus[], others: readonly string[]): string {
  const nodes = [...new Set([...agents.flatMap(({ node }) => node ?? []), ...others])];
  if (nodes.length === 0) return "No node runs; `legion start` starts one.";
  const counts = nodes.map((node) => agents.filter((status) => status.node === node).length);
  return nodes
    .map((node, index) => `Node ${oneLine(node)} runs ${counts[index]} of ${agents.length}.`)
    .join("\n");
}

/** `-`: free. `?`: unknown. */
function formatCost(cost: number | null): string {
  if (cost === null) return "?";
  return cost === 0 ? "-" : `$${cost.toFixed(cost < 100 ? 4 : 2)}`;
}

function formatCount(count: number): string {
  if (count < 1_000) return String(count);
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
