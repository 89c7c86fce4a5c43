// Agents that wait for each other, and for nobody else: none of them goes on by itself.
//
//   W7. A knot is a set of agents that are held up, of which everybody waits for somebody and all that they wait for are of the set;
//       and no part of it is one. Who waits for one of a knot is not of it: an answer to that one would not let it go on.

import type { Knot } from "../../domain/message/knot.ts";
import type { AgentId } from "../../domain/message/message.ts";

/** How an agent stands. */
export interface KnotStanding {
  readonly id: AgentId;
  /** It rests, nothing but an answer or a person changes that, and it has asked somebody since a person last spoke to it. */
  readonly isHeldUp: boolean;
  /** All of its open messages and who has to answer them: any of these may let it go on. */
  readonly waits: ReadonlyMap<string, AgentId>;
}

/** In the order in which they were given. Takes as long as there are agents and messages, whatever waits for whom. */
export function knotsAmong(standings: Iterable<KnotStanding>): readonly Knot[] {
  const heldUp = new Map<AgentId, KnotStanding>();
  for (const one of standings) if (one.isHeldUp) heldUp.set(one.id, one);
  const places = new Map([...heldUp.keys()].map((id, index) => [id, index]));
  const isClosed = (part: ReadonlySet<AgentId>): boolean =>
    part.size > 1 && [...part].every((id) => [...heldUp.get(id)!.waits.values()].every((to) => part.has(to)));
  return partsOf(heldUp)
    .filter(isClosed)
    .map((part) => [...part].sort((a, b) => places.get(a)! - places.get(b)!))
    .sort(([a], [b]) => places.get(a!)! - places.get(b!)!)
    .map((agents) => ({ agents, open: agents.flatMap((id) => [...heldUp.get(id)!.waits.keys()]) }));
}

interface Visit {
  readonly id: AgentId;
  readonly index: number;
  readonly left: AgentId[];
  /** The first of all that it is known to lead back to. */
  first: number;
}

/** The parts in which everybody leads to everybody, as Tarjan finds them; without recursion, since a row of them may be long. */
function partsOf(heldUp: ReadonlyMap<AgentId, KnotStanding>): readonly ReadonlySet<AgentId>[] {
  const parts: ReadonlySet<AgentId>[] = [];
  /** When it was visited first; of one whose part is found, infinite. */
  const indices = new Map<AgentId, number>();
  const unplaced: AgentId[] = [];
  const path: Visit[] = [];
  const visit = (id: AgentId): void => {
    const index = indices.size;
    indices.set(id, index);
    unplaced.push(id);
    path.push({ id, index, left: [...heldUp.get(id)!.waits.values()], first: index });
  };
  const leave = ({ id, index, first }: Visit): void => {
    const above = path.at(-1);
    if (above) above.first = Math.min(above.first, first);
    if (first !== index) return;
    const part = new Set(unplaced.splice(unplaced.lastIndexOf(id)));
    for (const one of part) indices.set(one, Infinity);
    parts.push(part);
  };
  for (const start of heldUp.keys()) {
    if (!indices.has(start)) visit(start);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.left.pop();
      if (next === undefined) leave(path.pop()!);
      else if (indices.has(next)) top.first = Math.min(top.first, indices.get(next)!);
      else if (heldUp.has(next)) visit(next);
    }
  }
  return parts;
}

/** The same for knots of which the same messages are open. */
export function keyOf({ open }: Knot): string {
  return JSON.stringify(open.toSorted());
}
