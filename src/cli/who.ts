// Which agents `start` shall host.

import { LegionError } from "../errors.ts";
import { isAgentId, type AgentId } from "../message.ts";
import type { Remembered, Who } from "../roster.ts";
import type { Typed } from "./command.ts";
import { checkTargets, type Site } from "./project.ts";

export const MAX_AGENTS = 10_000;

/** A text names agents that are there already. Throws USAGE. */
export function readWho({ args: [count], options: { team, agent, agents, only } }: Typed): Who | string {
  if (typeof only === "string") {
    if (count === undefined && team === undefined && agent === undefined && agents === undefined) return only;
    throw new LegionError(
      "USAGE",
      "--only says which agents; leave out the number, --agents, --team and --agent",
    );
  }
  if (typeof team === "string" && agent !== undefined)
    throw new LegionError("USAGE", "--team says who its agents are; leave out --agent");
  if (typeof team === "string" && count !== undefined)
    throw new LegionError("USAGE", "--team says how many agents there are; leave out the number");
  if (typeof agents === "string" && count !== undefined)
    throw new LegionError("USAGE", "--agents says which agents; leave out the number");
  const ids = typeof agents === "string" ? readIds(agents) : undefined;
  if (typeof team === "string") return { kind: "team", team, ...(ids && { only: ids }) };
  return ids ? { kind: "named", ids } : { kind: "count", count: readCount(count ?? "1") };
}

/** Agents as they were last started; `only` is what a person typed. Throws USAGE if one of them is none. */
export async function remember(only: string, site: Site): Promise<Who> {
  const { reader } = site;
  const ids = await checkTargets(site, only);
  const agents: Remembered[] = [];
  for (const id of ids === "all" ? await reader.known() : ids) {
    const { definition, brief, modules, model } = await reader.record(id);
    agents.push({
      id,
      ...(definition !== undefined && { agent: definition }),
      ...(brief !== undefined && { brief }),
      ...(modules && { modules }),
      ...(model !== undefined && { model, modelBy: "its last start" }),
    });
  }
  return { kind: "again", agents };
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
