import { setTimeout as delay } from "node:timers/promises";
import { isLegionError, LegionError } from "../../base/errors.ts";
import type { Overview } from "../../control/api/legion-client.ts";
import type { NodeServer } from "../../control/api/routes.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { readThrough } from "../kit/follow.ts";
import { columnsFor, oneLine, print, printJson } from "../kit/output.ts";
import { aboutRun, addJsonOption, addLegionOptions, withSite, type Site } from "../kit/target.ts";
import type { AgentId } from "../../domain/message/message.ts";
import {
  behindFields,
  behindText,
  createBehindCount,
  observersAmong,
  type Behind,
  type KnownObserver,
} from "../../legion/observing/behind.ts";
import { recordedKnots } from "../../legion/knots/recorded.ts";
import { describeKnot, type Knot } from "../../domain/message/knot.ts";
import { requestWords } from "../../domain/message/request-words.ts";
import type { AgentStatus } from "../../legion/status.ts";
import { withStandings } from "../../legion/waits.ts";
import { legionPaths } from "../../storage/folder/paths.ts";
import { clip, wrap } from "../kit/terminal.ts";
import { ageOf } from "../kit/times.ts";
import { withLegion } from "../../control/open.ts";
import { showCauses } from "./spending/causes.ts";
import { serverLine } from "./server-line.ts";
import { costCell, countCell, tableRows, type Column, type TableSpace } from "./table.ts";

const WATCH_MS = 1_000;

export const command: CliCommand = {
  define(parser) {
    parser.option("-w, --watch", "show it again as it changes, until Ctrl-C");
    parser.option("--by <what>", "cause: what each first message cost, over all agents that worked for it");
    parser.addHelpText("after", ABOUT_CAUSES);
    addJsonOption(addLegionOptions(parser));
  },
  async run(typed, io) {
    const isByCause = readBy(typed);
    await withSite(typed, io, async (site) => {
      if (isByCause) return showCauses(site, typed, io);
      if (typed.options["watch"]) return watch(site, typed, io);
      const overview = await createLook(site)();
      if (typed.options["json"]) for (const item of itemsOf(overview)) printJson(io, item);
      else print(io, shown(overview, site, io));
    });
    return 0;
  },
};

const ABOUT_CAUSES =
  "\nA cause is the message that began a piece of work. What an agent does counts to the first message of the newest that it was" +
  "\nshown, whoever sent that: together the causes cost what the agents cost.";

/** Throws USAGE. */
function readBy({ options: { by, watch } }: Typed): boolean {
  if (by !== undefined && by !== "cause")
    throw new LegionError("USAGE", `--by: expected cause, not ${JSON.stringify(by)}`);
  if (by !== undefined && watch)
    throw new LegionError("USAGE", "--by cause reads every log once; leave out --watch");
  return by !== undefined;
}

/** An agent, and how far it is behind those that it observes; absent: it observes nobody. */
interface ShownStatus extends AgentStatus {
  readonly behind?: Behind;
}

type ShownOverview = Omit<Overview, "agents"> & {
  readonly agents: readonly ShownStatus[];
  readonly knots: readonly Knot[];
};

function createLook(site: Site): () => Promise<ShownOverview> {
  const { reader } = site;
  const count = createBehindCount(reader);
  const behindOf = ({ id, observe }: KnownObserver): Promise<Behind | undefined> =>
    count({ observer: id, observe }).catch((error: unknown) => {
      // Its line says that it cannot be read.
      if (isLegionError(error)) return undefined;
      throw error;
    });
  return async () => {
    const { agents, ...overview } = await withLegion(site, (legion) => legion.status());
    const behind = new Map<AgentId, Behind | undefined>();
    const ids = agents.map(({ id }) => id);
    for (const observer of await observersAmong(ids, reader))
      behind.set(observer.id, await behindOf(observer));
    const told = withStandings(agents).map((status) => ({ ...status, behind: behind.get(status.id) }));
    return { ...overview, agents: told, knots: await recordedKnots(reader, agents) };
  };
}

/** What `--json` prints: agents have an `id`, knots and servers that they use do not. */
function itemsOf({ agents, servers, knots }: ShownOverview): readonly object[] {
  return [
    ...agents.map(({ behind, ...status }) => ({ ...status, ...(behind && behindFields(behind)) })),
    ...knots.map((knot) => ({ knot: knot.agents, open: knot.open })),
    ...servers.map(({ name, ...status }) => ({ server: name, ...status })),
  ];
}

function shown({ agents, nodes, servers, knots }: ShownOverview, site: Site, io: Io): string {
  const { nodes: shared } = site.backend;
  const where = shared ? ` in the legion ${shared.legion} at ${shared.shown}` : "";
  if (agents.length === 0) return `There are no agents yet${where}; \`legion start\` makes one.`;
  const places = shared ? "many" : "one";
  const space = { columns: columnsFor(io), nowMs: Date.now() };
  const { branch: branchOf } = legionPaths(site.project, site.home);
  const table = aboutRun(statusTable(agents, { ...space, nodes, places, branchOf }), site);
  const tied = knots.flatMap((knot) => wrap(`Knot: ${describeKnot(knot)}`, space.columns));
  return [table, ...tied, ...servers.map((server) => serverRow(server, { ...space, places }))].join("\n");
}

/** One row of the terminal; `legion mcp` has room for all of it. */
function serverRow(
  server: NodeServer,
  { columns, nowMs, places }: TableSpace & { readonly places: TableOptions["places"] },
): string {
  const where = places === "many" ? ` on ${oneLine(server.node)}` : "";
  return clip(`Server ${oneLine(server.name)}${where}: ${serverLine(server, nowMs)}`, columns);
}

/** A terminal keeps one table; a pipe gets another one, and a program another line of an agent, whenever that changes. */
async function watch(site: Site, { options }: Typed, io: Io): Promise<void> {
  const overviewOf = createLook(site);
  const look = async function* (): AsyncGenerator<ShownOverview> {
    try {
      yield await overviewOf();
    } catch (error) {
      // A node that was ending when it was asked: the next look tells.
      if (!isLegionError(error, "REFUSED")) throw error;
    }
  };
  const paint = createPainting(io);
  let told: ReadonlySet<string> = new Set();
  let isFirst = true;
  while (!io.signal.aborted) {
    for await (const overview of readThrough(site, look, io)) {
      const lines = new Set(itemsOf(overview).map((item) => JSON.stringify(item)));
      const changed = [...lines].filter((line) => !told.has(line));
      const isNews = isFirst || changed.length > 0 || told.size !== lines.size;
      isFirst = false;
      if (options["json"]) for (const item of changed) printJson(io, JSON.parse(item));
      else if (io.stdout.isTTY) paint(shown(overview, site, io));
      else if (isNews) print(io, `${shown(overview, site, io)}\n`);
      told = lines;
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

type StatusColumn = Column<AgentStatus>;

const NODE: StatusColumn = {
  title: "NODE",
  align: "left",
  rank: 2,
  cell: ({ node }) => clip(oneLine(node ?? "-"), 28),
};

/** Only where somebody holds mail. */
const HELD: StatusColumn = { title: "HELD", align: "right", rank: 3, cell: ({ held }) => String(held) };

/** Only where a person watches over somebody in another mode. */
const MODE: StatusColumn = { title: "MODE", align: "left", rank: 1, cell: ({ mode }) => mode };

/** Only where somebody has a worktree. */
const branchColumn = (branchOf: TableOptions["branchOf"]): StatusColumn => ({
  title: "BRANCH",
  align: "left",
  rank: 3,
  cell: ({ id, workspace }) => (workspace ? (branchOf?.(id) ?? "?") : "-"),
});

const COLUMNS: readonly StatusColumn[] = [
  { title: "ID", align: "left", rank: 0, cell: ({ id }) => id },
  { title: "STATE", align: "left", rank: 0, cell: ({ state }) => state },
  MODE,
  { title: "SINCE", align: "right", rank: 1, cell: ({ since }, nowMs) => ageOf(since, nowMs) },
  { title: "WAITS FOR", align: "left", rank: 1, cell: ({ waitingFor }) => clip(oneLine(waitingFor), 28) },
  { title: "MAIL", align: "right", rank: 1, cell: ({ unread }) => String(unread) },
  HELD,
  { title: "STEPS", align: "right", rank: 3, cell: ({ steps }) => String(steps) },
  { title: "TOKENS", align: "right", rank: 4, cell: ({ tokens }) => countCell(tokens) },
  { title: "COST", align: "right", rank: 2, cell: ({ cost }) => costCell(cost) },
  NODE,
  { title: "MODEL", align: "left", rank: 5, cell: ({ model }) => oneLine(model ?? "?") },
];
const INDENT = "   ";

interface TableOptions extends TableSpace {
  /** Names of nodes that may run none of the agents. */
  readonly nodes: readonly string[];
  /** The branch of an agent that has a worktree of its own. */
  readonly branchOf?: (id: AgentStatus["id"]) => string;
  /** `many`: each line says which node runs its agent. Default `one`: only the end of the table does. */
  readonly places?: "many" | "one";
}

/** One row for each agent, then, indented, why it does not act. Fits into `columns` down to about 45. */
export function statusTable(
  agents: readonly ShownStatus[],
  { nodes, places = "one", branchOf, ...space }: TableOptions,
): string {
  const isWanted = (column: StatusColumn): boolean => {
    if (column === HELD) return agents.some(({ held }) => held > 0);
    if (column === MODE) return agents.some(({ mode }) => mode !== "usual");
    return column !== NODE || places === "many";
  };
  const hasBranches = agents.some(({ workspace }) => workspace);
  const columns = [...COLUMNS.filter(isWanted), ...(hasBranches ? [branchColumn(branchOf)] : [])];
  const [titles, ...rows] = tableRows(agents, columns, space);
  const lines = agents.flatMap((status, index) => [rows[index]!, ...explain(status, space)]);
  return [titles, ...lines, "", placesOf(agents, nodes)].join("\n");
}

const MAX_REASON_ROWS = 4;

/** Why it does not act, in a few rows, and what it has not heard. */
function explain({ reason, behind, waits }: ShownStatus, { columns, nowMs }: TableSpace): readonly string[] {
  const why = oneLine(reason) === "" ? [] : wrap(reason, columns - INDENT.length).slice(0, MAX_REASON_ROWS);
  const late = behind && behind.messages > 0 ? [`${behindText(behind)} behind`] : [];
  const awaited = requestWords(waits, nowMs).flatMap((words) => wrap(words, columns - INDENT.length));
  return [...why, ...awaited, ...late].map((row) => INDENT + row);
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
