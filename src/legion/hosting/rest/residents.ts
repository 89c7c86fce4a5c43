// The agents that run in this process, in the order in which they came. Those that are closed while they rest are names: what can be
// asked of one, or done with it, is made when somebody does.

import type { AgentId } from "../../../domain/message/message.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Standing } from "../../../agent/parts/presence.ts";
import type { Supervised } from "../../supervision/supervisor.ts";

export interface Residents {
  readonly agents: ReadonlyMap<AgentId, Supervised>;
  set(agent: AgentId, supervised: Supervised): void;
  delete(agent: AgentId): void;
  /** From now on it is there by its name. @param since ISO 8601; absent: since the start */
  name(agent: AgentId, since?: string): void;
  isName(agent: AgentId): boolean;
  /** Those that are more than names. */
  awake(): Iterable<Supervised>;
}

/** @param call makes one that is a name more than that */
export function createResidents(clock: Clock, call: (agent: AgentId) => Supervised): Residents {
  const start: Standing = { state: "idle", reason: "", since: new Date(clock.now()).toISOString() };
  /** In place of a name, how that stands. */
  const all = new Map<AgentId, Supervised | Standing>();
  const awake = (agent: AgentId): Supervised | undefined => unlessName(all.get(agent));
  const named = (agent: AgentId): Supervised => {
    const known = (): Supervised => awake(agent) ?? call(agent);
    return {
      get agent() {
        return awake(agent)?.agent;
      },
      get standing() {
        const found = all.get(agent) ?? start;
        return "state" in found ? found : found.standing;
      },
      get isAsleep() {
        return awake(agent)?.isAsleep ?? true;
      },
      mayLieDown: () => awake(agent)?.mayLieDown() ?? false,
      lieDown: () => awake(agent)?.lieDown(),
      wake: () => known().wake(),
      alone: (work) => known().alone(work),
      pause: (reason) => known().pause(reason),
      resume: () => known().resume(),
      stop: (way) => known().stop(way),
    };
  };
  function* entries(): Generator<[AgentId, Supervised], undefined> {
    for (const [agent, found] of all) yield [agent, unlessName(found) ?? named(agent)];
    return undefined;
  }
  function* values(): Generator<Supervised, undefined> {
    for (const [, supervised] of entries()) yield supervised;
    return undefined;
  }
  const agents: ReadonlyMap<AgentId, Supervised> = {
    get size() {
      return all.size;
    },
    has: (agent) => all.has(agent),
    get: (agent) => awake(agent) ?? (all.has(agent) ? named(agent) : undefined),
    keys: () => all.keys(),
    entries,
    values,
    [Symbol.iterator]: entries,
    forEach(visit) {
      for (const [agent, supervised] of entries()) visit(supervised, agent, agents);
    },
  };
  return {
    agents,
    set: (agent, supervised) => void all.set(agent, supervised),
    delete: (agent) => void all.delete(agent),
    name: (agent, since) => void all.set(agent, since === undefined ? start : { ...start, since }),
    isName: (agent) => all.has(agent) && !awake(agent),
    *awake() {
      for (const found of all.values()) if (!("state" in found)) yield found;
    },
  };
}

function unlessName(found: Supervised | Standing | undefined): Supervised | undefined {
  return found && !("state" in found) ? found : undefined;
}
