// Which agents `start` shall host.

import { LegionError } from "../../../base/errors.ts";
import { CONTROL, isAgentId, type AgentId } from "../../../domain/message/message.ts";
import type { ConfigFlags } from "../../../config/config.ts";
import type { LastStart } from "../../../storage/contract/last-start.ts";
import type { Reader } from "../../../storage/contract/reader.ts";
import { remember } from "../../../legion/opening/remember.ts";
import type { Role, Who } from "../../../legion/roster.ts";
import { listIds } from "../../../control/api/orders.ts";
import type { Io, Typed } from "../../kit/command.ts";
import { canAsk } from "../../consent/confirm.ts";
import { checkTargets, type Site } from "../../kit/target.ts";

export const MAX_AGENTS = 10_000;

/** Agents that were started before: those of the newest start, or these, as a person typed them. */
export type Again = { readonly kind: "last" } | { readonly kind: "only"; readonly ids: string };

/** Throws USAGE. */
export function readWho({
  args: [count],
  options: { from, team: named, agent, agents, only },
}: Typed): Who | Again {
  if (from !== undefined && named !== undefined)
    throw new LegionError("USAGE", "--from and --team both say which team; leave out one of them");
  const team = named ?? from;
  const isOpen = count === undefined && team === undefined && agent === undefined && agents === undefined;
  if (isOpen && only === undefined) return { kind: "last" };
  if (only !== undefined) {
    if (isOpen) return { kind: "only", ids: only };
    throw new LegionError(
      "USAGE",
      "--only says which agents; leave out the number, --agents, --team and --agent",
    );
  }
  if (team !== undefined && agent !== undefined)
    throw new LegionError("USAGE", "--team says who its agents are; leave out --agent");
  if (team !== undefined && count !== undefined)
    throw new LegionError("USAGE", "--team says how many agents there are; leave out the number");
  if (agents !== undefined && count !== undefined)
    throw new LegionError("USAGE", "--agents says which agents; leave out the number");
  const ids = agents === undefined ? undefined : readIds(agents);
  if (team !== undefined) return { kind: "team", team, ...(ids && { only: ids }) };
  return ids ? { kind: "named", ids } : { kind: "count", count: readCount(count ?? "1") };
}

export interface Recalled {
  readonly who: Who;
  /** What that start was told besides, as far as this one is not. */
  readonly flags?: LastStart["flags"];
  /** Where commands are run, as that start was told; absent: it was not, or who knows by whom. */
  readonly environment?: string | undefined;
  /** What a person should know of the choice. */
  readonly said?: string;
}

/** Throws USAGE if somebody named an agent that is none. */
export async function recall(again: Again, site: Site): Promise<Recalled> {
  const { reader } = site;
  if (again.kind === "only") {
    const ids = await checkTargets(site, again.ids);
    return { who: await asBefore(ids === "all" ? await reader.known() : ids, reader) };
  }
  const last = await reader.lastStart();
  return last ? recallStart(last, reader) : recallAgents(reader);
}

/** As `recall`. What somebody else wrote is recalled only where the person is asked about it, or said already that it counts. */
export async function recallOwn(
  chosen: Again,
  site: Site,
  { typed, io }: { readonly typed: Typed; readonly io: Io },
): Promise<Recalled> {
  const { reader } = site;
  const isForeign = await reader.isForeign(CONTROL);
  if (isForeign && !typed.options.trust && !canAsk(io)) {
    const { foreign } = await import("../../../storage/contract/foreign.ts");
    throw foreign(CONTROL);
  }
  const environment = isForeign ? undefined : (await reader.lastStart())?.flags.environment;
  return { ...(await recall(chosen, site)), environment };
}

const OTHERS = "a number, --agent or --team hosts others";

async function recallStart({ agents, team, ...last }: LastStart, reader: Reader): Promise<Recalled> {
  const { environment: _, ...flags } = last.flags;
  const ids = agents.map(({ id }) => id);
  const typed = Object.entries(flags).flatMap(([name, text]) => (text ? [`--${name} ${text}`] : []));
  const more = (await startable(reader)).filter((id) => !ids.includes(id));
  const said = [
    ["those of the last start", ...(typed.length > 0 ? [`with its ${typed.join(" ")}`] : [])].join(" "),
    OTHERS,
    ...(more.length > 0 ? [`there are ${listIds(more)} besides: --only names them`] : []),
  ].join("; ");
  if (team) return { who: { kind: "team", ...team }, flags, said };
  const remembered = agents.map(async ({ id, agent, model }) => {
    const { definition = agent, ...record } = await reader.record(id);
    return remember(id, { ...record, definition, model });
  });
  return { who: { kind: "again", agents: await Promise.all(remembered) }, flags, said };
}

/** Where nobody wrote down what a start hosted: agents that came in an archive, or from a version that did not. */
async function recallAgents(reader: Reader): Promise<Recalled> {
  const ids = await startable(reader);
  if (ids.length === 0) return { who: { kind: "count", count: 1 } };
  return {
    who: await asBefore(ids, reader),
    said: `those that are here, each as it was last started; ${OTHERS}`,
  };
}

/** Agents that a definition made. */
async function startable(reader: Reader): Promise<readonly AgentId[]> {
  const known = await reader.known();
  const records = await Promise.all(known.map((id) => reader.record(id)));
  return known.filter((_, index) => records[index]!.definition !== undefined);
}

async function asBefore(ids: readonly AgentId[], reader: Reader): Promise<Who> {
  const agents = ids.map(async (id) => remember(id, await reader.record(id)));
  return { kind: "again", agents: await Promise.all(agents) };
}

/** The record of a start, for the next one. */
export function startedBy(
  who: Who,
  roles: readonly Role[],
  { model, limits, policy, environment }: ConfigFlags,
): LastStart {
  const chosen = new Map(who.kind === "again" ? who.agents.map((agent) => [agent.id, agent.model]) : []);
  return {
    agents: roles.map(({ plan: { identity, origin }, definition }) => ({
      id: identity.id,
      agent: origin?.definition ?? definition,
      model: chosen.get(identity.id),
    })),
    team: who.kind === "team" ? { team: who.team, only: who.only } : undefined,
    flags: { model, limits, policy, environment },
  };
}

function readCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MAX_AGENTS) return count;
  throw new LegionError(
    "USAGE",
    `expected how many agents, from 1 to ${MAX_AGENTS}, not ${JSON.stringify(text)}`,
  );
}

/** `4-6`, `2,5`, `writer`, and several of them with commas between; each agent once. */
function readIds(text: string): readonly AgentId[] {
  const ids = new Set<AgentId>();
  for (const part of text.split(",").map((word) => word.trim())) {
    for (const id of rangeIn(part) ?? [part]) {
      if (!isAgentId(id)) throw badIds(text, `${JSON.stringify(id.slice(0, 100))} is no name for an agent`);
      ids.add(id);
    }
    if (ids.size > MAX_AGENTS) throw badIds(text, `more than ${MAX_AGENTS} agents`);
  }
  return [...ids];
}

/** `undefined` if it is one name. */
function rangeIn(part: string): readonly AgentId[] | undefined {
  const [, first, last] = (/^(\d{1,6})-(\d{1,6})$/.exec(part) ?? []).map(Number);
  if (first === undefined || last === undefined) return undefined;
  if (first < 1 || last < first || last - first >= MAX_AGENTS)
    throw badIds(part, `from 1 up and at most ${MAX_AGENTS}, the lower number first`);
  return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
}

function badIds(text: string, why: string): LegionError {
  const shown = JSON.stringify(text.slice(0, 100));
  return new LegionError("USAGE", `--agents: expected ids such as 4-6, 2,5 or writer, not ${shown}: ${why}`);
}
