// How agents come into a legion in Redis from outside. They are unfolded first: there everything that they claim is checked,
// and what their next start would find is in their logs. What that comes to is written beside the places that they shall
// have; then they are moved there, and last they are shown, all at once.

import { CONTROL, displayName, type AgentId } from "../../../domain/message/message.ts";
import { alreadyThere, type Arrival, type Unfolded } from "../../contract/arrival.ts";
import { listAgents, readRegistry, setKnown, setUnknown, withoutWorkspace } from "../cluster/directory.ts";
import type { LegionPlace } from "../scripts/scope.ts";
import { createRedisBlobs } from "../log/entry.ts";
import { prepareNewcomer, type Newcomer } from "./newcomer.ts";
import { agentKeys } from "../scripts/keys.ts";

/**
 * Takes in agents; nodes may run meanwhile. Rejects with REFUSED if one of the agents is there already, with FOREIGN if
 * somebody else wrote them, as nothing in Redis could say so, and as `unfold` does; then nobody sees any of them. Resolves
 * with what was left out, one line each.
 */
export async function receiveInRedis(
  place: LegionPlace,
  { agents }: Pick<Arrival, "agents">,
  unfold: () => Promise<Unfolded>,
): Promise<readonly string[]> {
  await refuseKnown(place, agents);
  const unfolded = await unfold();
  const newcomers: Newcomer[] = [];
  try {
    const records = new Map<AgentId, string>();
    const remarks: string[] = [];
    for (const { agent, record, texts, rest, ...luggage } of unfolded.agents) {
      const kept = createRedisBlobs({ ...place, agent });
      for await (const text of texts) await kept.keep(text);
      newcomers.push(await prepareNewcomer({ ...place, agent }, luggage));
      for (const path of rest)
        remarks.push(`left out ${path} of ${displayName(agent)}: Redis keeps no such files`);
      if (agent !== CONTROL) records.set(agent, withoutWorkspace(record));
    }
    await refuseKnown(place, agents);
    await moveIn(place, newcomers, records);
    return remarks;
  } finally {
    await Promise.allSettled(newcomers.map(({ remove }) => remove()));
    await unfolded.close();
  }
}

async function refuseKnown(place: LegionPlace, agents: readonly AgentId[]): Promise<void> {
  const { link, legion } = place;
  const registry = await readRegistry(link, legion);
  const spoken = await link.command("HMGET", agentKeys(legion, CONTROL).meta, "seq", "mail");
  const isThere = (agent: AgentId): boolean =>
    agent === CONTROL ? (spoken as readonly unknown[]).some((count) => count !== null) : registry.has(agent);
  const known = agents.filter(isThere);
  if (known.length > 0)
    throw alreadyThere(known, agents, {
      place: `the legion ${legion} at ${link.shown}`,
      way: "import into another legion there with `--name <name>`",
    });
}

async function moveIn(
  place: LegionPlace,
  newcomers: readonly Newcomer[],
  records: ReadonlyMap<AgentId, string>,
): Promise<void> {
  const control = newcomers.find(({ place: { agent } }) => agent === CONTROL);
  const others = newcomers.filter((newcomer) => newcomer !== control);
  await Promise.all(others.map(({ arrive }) => arrive()));
  // Any node delivers at once what Control said: whom it was said to has to take it.
  await Promise.all(others.map((newcomer) => setKnown(newcomer.place)));
  await control?.arrive().catch(async (error: unknown) => {
    await Promise.all(others.map((newcomer) => setUnknown(newcomer.place)));
    throw error;
  });
  await listAgents(place, records);
}
