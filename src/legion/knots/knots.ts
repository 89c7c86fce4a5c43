// Agents that wait for each other, and for nobody else: none of them goes on by itself.
//
//   W7. A knot is a set of agents at rest of which each waits, and all that they wait for are of the set. All such sets together are
//       one; a knot is a part of it that waits for nobody of the others.

import type { AgentId } from "../../domain/message/message.ts";

/** How an agent stands. */
export interface KnotStanding {
  readonly id: AgentId;
  /** It rests, and nothing but an answer that it waits for, or a person, will change that. */
  readonly isAtRest: boolean;
  /** Its open messages and who has to answer them. */
  readonly waits: ReadonlyMap<string, AgentId>;
}

export interface Knot {
  /** In the order in which they were given. */
  readonly agents: readonly AgentId[];
  /** What is open between them, by agent. */
  readonly open: ReadonlyMap<AgentId, ReadonlyMap<string, AgentId>>;
}

/** Takes as long as there are agents and messages, whatever waits for whom. */
export function knotsAmong(standings: Iterable<KnotStanding>): readonly Knot[] {
  const waiting = new Map<AgentId, KnotStanding>();
  for (const one of standings) if (one.isAtRest && one.waits.size > 0) waiting.set(one.id, one);
  const waiters = waitersOf(waiting.values());
  const leaving = [...waiting.values()]
    .filter(({ waits }) => [...waits.values()].some((to) => !waiting.has(to)))
    .map(({ id }) => id);
  for (let id = leaving.pop(); id !== undefined; id = leaving.pop())
    if (waiting.delete(id)) leaving.push(...(waiters.get(id) ?? []));
  return partsOf(waiting, waiters);
}

function waitersOf(standings: Iterable<KnotStanding>): ReadonlyMap<AgentId, readonly AgentId[]> {
  const waiters = new Map<AgentId, AgentId[]>();
  for (const { id, waits } of standings)
    for (const to of new Set(waits.values())) {
      const others = waiters.get(to);
      if (others) others.push(id);
      else waiters.set(to, [id]);
    }
  return waiters;
}

function partsOf(
  waiting: ReadonlyMap<AgentId, KnotStanding>,
  waiters: ReadonlyMap<AgentId, readonly AgentId[]>,
): readonly Knot[] {
  const seen = new Set<AgentId>();
  const places = new Map([...waiting.keys()].map((id, index) => [id, index]));
  const partOf = (start: AgentId): readonly AgentId[] => {
    const part = new Set([start]);
    for (const id of part)
      for (const next of [...waiting.get(id)!.waits.values(), ...(waiters.get(id) ?? [])])
        if (waiting.has(next)) part.add(next);
    for (const id of part) seen.add(id);
    return [...part].sort((a, b) => places.get(a)! - places.get(b)!);
  };
  return [...waiting.keys()].flatMap((start) => {
    if (seen.has(start)) return [];
    const agents = partOf(start);
    return [{ agents, open: new Map(agents.map((id) => [id, waiting.get(id)!.waits])) }];
  });
}

/** The same for knots of which the same messages are open. */
export function keyOf(knot: Knot): string {
  return JSON.stringify(openIn(knot).toSorted());
}

/** Ids of the messages that are open. */
export function openIn({ open }: Knot): readonly string[] {
  return [...open.values()].flatMap((waits) => [...waits.keys()]);
}
