// Who may have taken processes down acts with nobody beside it, so that the next end of a process says whose action it was.

import type { Perform, Performer } from "../parts/agent.ts";
import type { Clock } from "../../base/clock.ts";
import { restartNotice } from "../../domain/event/notice.ts";
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
  const performAlone: Perform = async (performer, ready, signal) => {
    const entrant = { performer };
    const isAlone = await floor.claim(entrant, signal);
    const over = new AbortController();
    try {
      const why = `${ready.name} runs alone: the processes before ended while this agent was acting.`;
      if (isAlone) await performer.memory.commit(restartNotice(why, "alone"));
      void clock.sleep(PATIENCE_MS, over.signal).then(() => {
        if (over.signal.aborted || !isAlone) return;
        performer.memory.note(restartNotice(`Others act beside ${ready.name} from now on.`, "beside"));
        floor.yield(entrant);
      });
      return await perform(performer, ready, signal);
    } finally {
      over.abort();
      floor.leave(entrant);
    }
  };
  return async (performer, ready, signal) => {
    if (isSuspect(performer.memory.ledger)) return performAlone(performer, ready, signal);
    const entrant = { performer };
    await floor.enter(entrant, signal);
    return perform(performer, ready, signal).finally(() => floor.leave(entrant));
  };
}

/** One call, of however many its agent runs side by side. */
interface Entrant {
  readonly performer: Performer;
}

/** Where calls run: any number of them, or the one that claimed it first. */
function createFloor(clock: Clock) {
  const acting = new Set<Entrant>();
  let claims: readonly Entrant[] = [];
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
  const yieldIt = (entrant: Entrant): void => {
    claims = claims.filter((claimant) => claimant !== entrant);
    wake();
  };
  return {
    /** Resolves when nobody claims the floor. */
    async enter(entrant: Entrant, signal: AbortSignal): Promise<void> {
      const { presence } = entrant.performer;
      while (claims.length > 0 && !signal.aborted) {
        presence.show("waiting", `until ${claims[0]!.performer.identity.name} has acted alone`);
        await until(() => claims.length === 0, signal);
        presence.show("acting");
      }
      acting.add(entrant);
    },
    /** Resolves when it is the entrant's; with false if another acts all the same. */
    async claim(entrant: Entrant, signal: AbortSignal): Promise<boolean> {
      const { presence } = entrant.performer;
      claims = [...claims, entrant];
      presence.show("waiting", "until it can act alone");
      while (claims[0] !== entrant && !signal.aborted) await until(() => claims[0] === entrant, signal);
      await until(() => acting.size === 0, signal);
      presence.show("acting");
      const isAlone = acting.size === 0 && claims[0] === entrant;
      acting.add(entrant);
      if (!isAlone) yieldIt(entrant);
      return isAlone;
    },
    yield: yieldIt,
    leave(entrant: Entrant): void {
      acting.delete(entrant);
      yieldIt(entrant);
    },
  };
}
