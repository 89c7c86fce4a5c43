// Who may have taken processes down acts with nobody beside it, so that the next end of a process says whose action it was.

import type { Agent, Perform } from "../parts/agent.ts";
import type { Clock } from "../../base/clock.ts";
import type { Call } from "../../domain/event.ts";
import { restartNotice } from "../../past/restart-notice.ts";
import { isSuspect } from "../../past/ledger.ts";
import { perform } from "./perform.ts";

/** Others wait no longer than that for a call that runs alone, and it no longer than that for theirs to end. */
const PATIENCE_MS = 600_000;

/**
 * Runs calls as `perform` does, side by side; those of suspects one at a time, with no other call of this process beside
 * them. Where another call does not end, a suspect's runs beside it, and its log says so.
 */
export function suspectsAlone(clock: Clock): Perform {
  const floor = createFloor(clock);
  const performAlone: Perform = async (agent, call, signal) => {
    const isAlone = await floor.claim(agent, signal);
    const over = new AbortController();
    try {
      if (isAlone) await agent.memory.commit(restartNotice(aloneWith(call), "alone"));
      void clock.sleep(PATIENCE_MS, over.signal).then(() => {
        if (over.signal.aborted || !isAlone) return;
        agent.memory.note(restartNotice(`Others act beside ${call.action} from now on.`, "beside"));
        floor.yield(agent);
      });
      return await perform(agent, call, signal);
    } finally {
      over.abort();
      floor.leave(agent);
    }
  };
  return async (agent, call, signal) => {
    if (isSuspect(agent.memory.ledger)) return performAlone(agent, call, signal);
    await floor.enter(agent, signal);
    return perform(agent, call, signal).finally(() => floor.leave(agent));
  };
}

function aloneWith({ action }: Call): string {
  return `${action} runs alone: the processes before ended while this agent was acting.`;
}

/** Where calls run: any number of them, or that of whoever claimed it first. */
function createFloor(clock: Clock) {
  const acting = new Set<Agent>();
  let claims: readonly Agent[] = [];
  const waiting = new Set<() => void>();
  const wake = (): void => waiting.forEach((look) => look());
  /** Resolves when `holds`, when `signal` aborts, or after a while. */
  const until = async (holds: () => boolean, signal: AbortSignal): Promise<void> => {
    const done = new AbortController();
    const look = (): void => (holds() || signal.aborted ? done.abort() : undefined);
    waiting.add(look);
    signal.addEventListener("abort", look);
    look();
    await clock.sleep(PATIENCE_MS, done.signal);
    waiting.delete(look);
    signal.removeEventListener("abort", look);
  };
  const yieldIt = (agent: Agent): void => {
    claims = claims.filter((claimant) => claimant !== agent);
    wake();
  };
  return {
    /** Resolves when nobody claims the floor. */
    async enter(agent: Agent, signal: AbortSignal): Promise<void> {
      while (claims.length > 0 && !signal.aborted) {
        agent.presence.show("waiting", `until ${claims[0]!.identity.name} has acted alone`);
        await until(() => claims.length === 0, signal);
        agent.presence.show("acting");
      }
      acting.add(agent);
    },
    /** Resolves when it is the agent's; with false if somebody else acts all the same. */
    async claim(agent: Agent, signal: AbortSignal): Promise<boolean> {
      claims = [...claims, agent];
      agent.presence.show("waiting", "until it can act alone");
      while (claims[0] !== agent && !signal.aborted) await until(() => claims[0] === agent, signal);
      await until(() => acting.size === 0, signal);
      agent.presence.show("acting");
      const isAlone = acting.size === 0 && claims[0] === agent;
      acting.add(agent);
      if (!isAlone) yieldIt(agent);
      return isAlone;
    },
    yield: yieldIt,
    leave(agent: Agent): void {
      acting.delete(agent);
      yieldIt(agent);
    },
  };
}
