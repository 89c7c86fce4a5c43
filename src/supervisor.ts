// Runs one actor and judges what it throws: again after a pause, parked, or halted. Between two runs it is the only one
// that writes to the agent's log, so a person's word (pause, resume) is never in the actor's way.

import { park, runActor } from "./actor.ts";
import { show, type Agent } from "./agent.ts";
import { LegionError, isLegionError, messageOf } from "./errors.ts";

export interface Supervised {
  readonly agent: Agent;
  pause(reason: string): Promise<void>;
  resume(): Promise<void>;
  /** Finishes what runs, then ends; only another start runs the agent again. */
  stop(): Promise<void>;
}

const FIRST_RESTART_MS = 1_000;
const LAST_RESTART_MS = 60_000;
/** Restarts in a row without a decision between them before the agent is parked. */
const MAX_RESTARTS = 8;

/** @param now aborts, with SHUTDOWN, when what runs has to stop at once */
export function supervise(agent: Agent, now: AbortSignal, random: () => number = Math.random): Supervised {
  const { memory } = agent;
  let run = new AbortController();
  let stopping = false;
  const judge = createJudge(agent, random);
  const words: (() => Promise<void>)[] = [];

  /** Runs `word` between two runs of the actor. */
  const interrupted = async (word: () => Promise<void>): Promise<void> => {
    if (stopping) throw new LegionError("REFUSED", `${agent.identity.name} is stopped.`);
    await new Promise<void>((resolve, reject) => {
      words.push(() => word().then(resolve, reject));
      run.abort();
    });
  };
  const heed = async (): Promise<void> => {
    for (let word = words.shift(); word; word = words.shift()) await word();
  };
  const loop = async (): Promise<void> => {
    while (!stopping && !now.aborted) {
      run = new AbortController();
      await heed();
      try {
        if (!stopping) await runActor(agent, run.signal, now);
      } catch (error) {
        // Whoever was told to stop and gave up what it waited for has not failed.
        if (!now.aborted && error !== run.signal.reason) await judge(error, run.signal);
      }
    }
  };
  const end = async (reason?: string): Promise<void> => {
    stopping = true;
    show(agent, reason === undefined ? "stopped" : "halted", reason);
    await heed();
  };
  const running = loop().then(
    () => end(),
    (error: unknown) => end(messageOf(error)),
  );
  return {
    agent,
    pause: (reason) =>
      interrupted(() => memory.commit({ kind: "notice", reason: "paused", content: reason })),
    resume: () => interrupted(() => memory.commit({ kind: "notice", reason: "resumed", content: "" })),
    async stop() {
      stopping = true;
      run.abort();
      await running;
    },
  };
}

/**
 * Decides what a failure means: parks the agent, or waits before its next run, until `signal` aborts. Rejects with what
 * halts it.
 */
function createJudge(
  agent: Agent,
  random: () => number,
): (error: unknown, signal: AbortSignal) => Promise<void> {
  const { memory, shared } = agent;
  let restarts = 0;
  let decided = 0;
  return async (error, signal) => {
    if (isLegionError(error, "STORAGE")) throw error;
    const reason = messageOf(error);
    if (isLegionError(error, "MODEL_REFUSED") || isLegionError(error, "CONTEXT_OVERFLOW")) {
      return park(agent, "parked", reason);
    }
    const decision = memory.ledger.decision?.event.seq ?? 0;
    restarts = decision > decided ? 1 : restarts + 1;
    decided = decision;
    if (restarts > MAX_RESTARTS) {
      restarts = 0;
      return park(agent, "parked", `${MAX_RESTARTS} restarts did not help: ${reason}`);
    }
    const waitMs = Math.min(FIRST_RESTART_MS * 2 ** (restarts - 1), LAST_RESTART_MS) * (0.8 + 0.4 * random());
    show(agent, "retrying", `${reason} (again in ${Math.ceil(waitMs / 1_000)} s)`);
    await shared.clock.sleep(waitMs, signal);
  };
}
