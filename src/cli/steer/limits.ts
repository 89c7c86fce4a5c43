// What agents may spend: shown beside what they have spent, or said anew while they work.

import type { Command as Parser } from "commander";
import type { LegionClient, Overview } from "../../control/api/legion-client.ts";
import type { Limited, Targets } from "../../control/api/routes.ts";
import { withLegion } from "../../control/open.ts";
import { LegionError } from "../../base/errors.ts";
import { formatDuration } from "../../base/text/duration.ts";
import {
  formatLimits,
  parseLimits,
  scopeLimits,
  type Limits,
  type LimitsChoice,
} from "../../domain/limits.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { raiseLimits } from "../../legion/run/limits.ts";
import type { AgentStatus } from "../../legion/status.ts";
import { add, NOTHING, type Spent } from "../../past/limits/spending.ts";
import type { CliCommand, Io } from "../kit/command.ts";
import { namesOf, print, printJson } from "../kit/output.ts";
import { addJsonOption, addLegionOptions, checkTargets, withSite } from "../kit/target.ts";
import { tableRows, tableSpace, type Column } from "../look/table.ts";

const ABOUT =
  "\nLimits are written as for `legion start`; cost=+2 is two dollars more than are spent by now, and what is not named stays." +
  "\nWithout agents, steps and turns are those of each agent, and the others of all together: the next start takes these over." +
  "\nWhat is said of an agent holds until a start says something else. Whoever stands still at a limit goes on where it has room.";

export const command: CliCommand = {
  define: (parser: Parser) =>
    void addJsonOption(addLegionOptions(parser))
      .argument("[ids]", "an agent such as 2, several such as 2,3, or all; without it, all together")
      .argument("[limits]", "such as steps=+100, cost=5 or tokens=none; without it, what they are")
      .addHelpText("after", ABOUT),
  async run(typed, io) {
    const { ids, said } = readOrder(typed.args);
    await withSite(typed, io, async (site) => {
      const targets = ids === undefined ? undefined : await checkTargets(site, ids);
      await withLegion(site, async (legion) => {
        const overview = await legion.status(targets === "all" ? undefined : targets);
        if (said === undefined) return show(overview, typed.options["json"] ? "json" : "table", io);
        const came = targets
          ? await limitEach(legion, overview, said)
          : await limitAll(legion, overview, said);
        if (typed.options["json"]) printJson(io, came);
        else print(io, confirmation(came));
      });
    });
    return 0;
  },
};

interface Came {
  readonly agents: readonly Limited[];
  /** Of all together; absent: nothing was said of that. */
  readonly legion?: Limits | null;
}

/** Throws USAGE. */
function readOrder([first, second]: readonly (string | undefined)[]): {
  readonly ids?: string;
  readonly said?: string;
} {
  if (first === undefined) return {};
  const isSaid = first.includes("=") || first.trim() === "none";
  if (!isSaid) return { ids: first, said: second };
  if (second === undefined) return { said: first };
  throw new LegionError("USAGE", `agents come first: legion limits ${second} ${first}`);
}

/** Each counts from what it has spent itself. */
async function limitEach(legion: LegionClient, { agents }: Overview, said: string): Promise<Came> {
  const limited: Limited[] = [];
  const choices = agents.map((status) => limitsFrom(said, spentOf(status), status.limits));
  const isOne = new Set(choices.map((choice) => JSON.stringify(choice))).size === 1;
  const orders: readonly (readonly [Targets, LimitsChoice])[] = isOne
    ? [[agents.map(({ id }) => id), choices[0]!]]
    : agents.map(({ id }, index) => [[id], choices[index]!]);
  for (const [targets, limits] of orders) limited.push(...(await legion.limits({ targets, limits })).agents);
  return { agents: limited };
}

async function limitAll(legion: LegionClient, overview: Overview, said: string): Promise<Came> {
  const spent = overview.agents.map(spentOf).reduce(add, NOTHING);
  const all = scopeLimits(limitsFrom(said, spent, overview.limits ?? {})).legion;
  const each = partsOf(said, /^\s*(steps|turns)\b|^\s*none\s*$/);
  const isOfAll = Object.values(all).some((amount) => amount !== undefined);
  const answer = isOfAll ? await legion.limits({ limits: all }) : undefined;
  const { agents } = each === "" ? { agents: [] } : await limitEach(legion, overview, each);
  return { agents, ...(answer && { legion: answer.legion }) };
}

function partsOf(said: string, wanted: RegExp): string {
  return said
    .split(",")
    .filter((part) => wanted.test(part))
    .join(",");
}

function limitsFrom(said: string, spent: Spent, { turns = 0 }: Limits = {}): LimitsChoice {
  return parseLimits(raiseLimits(said, undefined, { ...spent, turns }));
}

function spentOf({ steps, tokens, cost, workedMs }: AgentStatus): Spent {
  return { steps, tokens, cost: cost ?? 0, timeMs: workedMs ?? 0 };
}

function confirmation({ agents, legion }: Came): string {
  const groups = new Map<string, Limited[]>();
  for (const one of agents) {
    const words = `${formatLimits(one.limits)} ${one.outcome}`;
    groups.set(words, [...(groups.get(words) ?? []), one]);
  }
  const lines = [...groups.values()].map((group) => {
    const [{ limits, outcome }] = group as [Limited];
    const later = outcome === "soon" ? ", as soon as the step that runs is done" : "";
    return `${namesOf(group.map(({ id }) => id))}: may spend ${wordsFor(limits)}${later}.`;
  });
  return [...lines, ...(legion ? [`All together may spend ${wordsFor(legion)}.`] : [])].join("\n");
}

function wordsFor(limits: Limits): string {
  const words = formatLimits(limits);
  return words === "none" ? "what they need: nothing limits it" : words;
}

interface LimitsRow {
  /** Absent: all together. */
  readonly id?: AgentId;
  readonly spent: Spent;
  readonly limits: Limits;
}

function show({ agents, limits }: Overview, form: "json" | "table", io: Io): void {
  const all: LimitsRow = { spent: agents.map(spentOf).reduce(add, NOTHING), limits: limits ?? {} };
  const rows = agents.map((status) => ({
    id: status.id,
    spent: spentOf(status),
    limits: status.limits ?? {},
  }));
  if (form === "json") for (const row of [all, ...rows]) printJson(io, row);
  else print(io, tableRows([all, ...rows], COLUMNS, tableSpace(io)).join("\n"));
}

const COLUMNS: readonly Column<LimitsRow>[] = [
  {
    title: "WHO",
    align: "left",
    rank: 0,
    cell: ({ id }) => (id === undefined ? "all together" : namesOf([id])),
  },
  column("STEPS", "steps", String),
  column("TOKENS", "tokens", String),
  column("COST", "cost", (amount) => `$${amount.toFixed(2)}`),
  column("TIME", "timeMs", (ms) => formatDuration(Math.round(ms))),
];

function column(title: string, member: keyof Spent, write: (amount: number) => string): Column<LimitsRow> {
  return {
    ...{ title, align: "right", rank: 1 },
    cell({ spent, limits }) {
      const limit = limits[member];
      // How long it worked is told of those alone whom a limit of time holds.
      if (limit === undefined) return member === "timeMs" ? "-" : write(spent[member]);
      return `${write(spent[member])} of ${write(limit)}`;
    },
  };
}
