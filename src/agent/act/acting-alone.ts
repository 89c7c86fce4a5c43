// Who may have taken processes down acts with nobody beside it, so that the next end of a process says whose action it was.

import type { Perform, Performer } from "../parts/agent.ts";
import type { Clock } from "../../base/clock.ts";
import { restartNotice } from "../../domain/event/event.ts";
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
    const isAlone = await floor.claim(performer, signal);
    const over = new AbortController();
    try {
      const why = `${ready.name} runs alone: the processes before ended while this agent was acting.`;
      if (isAlone) await performer.memory.commit(restartNotice(why, "alone"));
      void clock.sleep(PATIENCE_MS, over.signal).then(() => {
        if (over.signal.aborted || !isAlone) return;
        performer.memory.note(restartNotice(`Others act beside ${ready.name} from now on.`, "beside"));
        floor.yield(performer);
      });
      return await perform(performer, ready, signal);
    } finally {
      over.abort();
      floor.leave(performer);
    }
  };
  return async (performer, ready, signal) => {
    if (isSuspect(performer.memory.ledger)) return performAlone(performer, ready, signal);
    await floor.enter(performer, signal);
    return perform(performer, ready, signal).finally(() => floor.leave(performer));
  };
}

/** Where calls run: any number of them, or that of whoever claimed it first. */
function createFloor(clock: Clock) {
  const acting = new Set<Performer>();
  let claims: readonly Performer[] = [];
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
  const yieldIt = (performer: Performer): void => {
    claims = claims.filter((claimant) => claimant !== performer);
    wake();
  };
  return {
    /** Resolves when nobody claims the floor. */
    async enter(performer: Performer, signal: AbortSignal): Promise<void> {
      while (claims.length > 0 && !signal.aborted) {
        performer.presence.show("waiting", `until ${claims[0]!.identity.name} has acted alone`);
        await until(() => claims.length === 0, signal);
        performer.presence.show("acting");
      }
      acting.add(performer);
    },
    /** Resolves when it is the performer's; with false if somebody else acts all the same. */
    async claim(performer: Performer, signal: AbortSignal): Promise<boolean> {
      claims = [...claims, performer];
      performer.presence.show("waiting", "until it can act alone");
      while (claims[0] !== performer && !signal.aborted) await until(() => claims[0] === performer, signal);
      await until(() => acting.size === 0, signal);
      performer.presence.show("acting");
      const isAlone = acting.size === 0 && claims[0] === performer;
      acting.add(performer);
      if (!isAlone) yieldIt(performer);
      return isAlone;
    },
    yield: yieldIt,
    leave(performer: Performer): void {
      acting.delete(performer);
      yieldIt(performer);
    },
  };
}
