// Which agents of a legion rest: closed, with nothing to do, so that a start neither opens them nor reads their logs.

import { parseMessageId, type AgentId } from "../../domain/message/message.ts";
import type { Bus } from "../../mail/bus.ts";
import type { Spent } from "../../past/limits/spending.ts";

/** What has to be known of an agent that rests. */
export interface AtRest {
  readonly spent: Spent;
  /** The newest event of its log; 0: there is none. */
  readonly last: number;
  /** A hash of what the last start made of it. */
  readonly plan: string;
}

/**
 * Says of agents that they rest.
 *   Z5. An agent that is said to rest has no unread mail, nothing undelivered, nothing held, nothing to decide and no open question,
 *       and all of its log is durable. Whoever is about to change that has it said first, as durably as its log promises.
 *   Z6. Of whom nothing is known for sure nothing is said: where what was kept is lost, damaged or older than the last process
 *       that wrote here, every log is read.
 */
export interface RestIndex {
  /** `undefined`: it may have something to do. */
  of(agent: AgentId): AtRest | undefined;
  /** It may have something to do from now on. `undefined` where that is known already. Rejects with STORAGE. */
  wake(agent: AgentId): Promise<void> | undefined;
  /** It rests from now on. What is lost of this costs a look at its log. */
  rest(agent: AgentId, at: AtRest): void;
  close(): Promise<void>;
}

/** Of agents that this process runs, and closes while they have nothing to do. */
export interface Resting extends Pick<RestIndex, "of"> {
  /** It is run here and stays closed, as it was found at rest. */
  stay(agent: AgentId, at: AtRest): void;
  /** Is a message on its way into its mailbox? Then it may not lie down. */
  isExpecting(agent: AgentId): boolean;
  /**
   * Has `close` close an agent, in the same turn in which it was found with nothing to do. Resolves with false where something came
   * meanwhile: then it has to be opened again. Rejects as `close`.
   *
   * @param rested called in the turn in which it rests: whatever comes after that wakes it
   */
  lieDown(agent: AgentId, close: () => Promise<AtRest>, rested?: () => void): Promise<boolean>;
  /**
   * Has whoever runs it open it: something is about to come, or to be done. `undefined` where it does not rest. Rejects with STORAGE;
   * then it rests on.
   */
  wake(agent: AgentId): Promise<void> | undefined;
}

export const NOBODY_RESTS: RestIndex = {
  of: () => undefined,
  wake: () => undefined,
  rest: () => undefined,
  close: () => Promise.resolve(),
};

/** Who rests is known for as long as this process lives: the next one opens everybody. */
export function restsHere(): RestIndex {
  const known = new Map<AgentId, AtRest>();
  return {
    of: (agent) => known.get(agent),
    wake: (agent) => void known.delete(agent),
    rest: (agent, at) => void known.set(agent, at),
    close: () => Promise.resolve(),
  };
}

/** @param release gives up what is held of an agent that was closed: its mailbox first */
export function createResting(index: RestIndex, release: (agent: AgentId) => Promise<void>) {
  const resting = new Set<AgentId>();
  const arrivals = createArrivals();
  let begin: (agent: AgentId) => void = () => undefined;
  const rise = (agent: AgentId): void => {
    if (resting.delete(agent)) begin(agent);
  };
  const wake = (agent: AgentId): Promise<void> | undefined => {
    const said = index.wake(agent);
    // Before that is durable nothing may be done with it.
    if (said) return said.then(() => rise(agent));
    rise(agent);
    return undefined;
  };
  const own: Resting = {
    of: index.of,
    wake,
    stay(agent, at) {
      resting.add(agent);
      if (index.of(agent) !== at) index.rest(agent, at);
    },
    isExpecting: (agent) => arrivals.has(agent),
    async lieDown(agent, close, rested) {
      // What is on its way has woken nobody, and arrives.
      const isExpected = arrivals.has(agent);
      resting.add(agent);
      try {
        const at = await close();
        await release(agent);
        if (isExpected) resting.delete(agent);
        if (!resting.has(agent)) return false;
        index.rest(agent, at);
        rested?.();
        return true;
      } catch (error) {
        resting.delete(agent);
        throw error;
      }
    },
  };
  return {
    resting: own,
    /** From now on whoever is woken is begun by it. */
    begin: (host: typeof begin): void => void (begin = host),
    /** Nobody lies down while something is done for them. */
    during: arrivals.during,
    /** Whoever is written to is woken first. */
    waking: <B extends Bus>(bus: B): B => ({
      ...bus,
      async send(delivery) {
        const { to } = parseMessageId(delivery.message.id);
        return arrivals.during(to, async () => {
          const woken = wake(to);
          if (woken) await woken;
          return bus.send(delivery);
        });
      },
    }),
  };
}

/** Counts the messages that are on their way to each. */
function createArrivals() {
  const arriving = new Map<AgentId, number>();
  return {
    has: (agent: AgentId): boolean => arriving.has(agent),
    async during<T>(agent: AgentId, deliver: () => Promise<T>): Promise<T> {
      arriving.set(agent, (arriving.get(agent) ?? 0) + 1);
      try {
        return await deliver();
      } finally {
        const left = arriving.get(agent)! - 1;
        if (left === 0) arriving.delete(agent);
        else arriving.set(agent, left);
      }
    },
  };
}
