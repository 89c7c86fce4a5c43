// Runs one actor and judges what it throws: again after a pause, parked, or halted. Between two runs it is the only one
// that writes to the agent's log, so a person's word (pause, resume) is never in the actor's way.

import { park, runActor } from "./actor.ts";
import { show, type Agent } from "./agent.ts";
import { isLegionError, messageOf } from "./errors.ts";

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

/** @param now aborts when what runs has to stop at once */
export function supervise(agent: Agent, now: AbortSignal, random: () => number = Math.random): Supervised {
  const { memory, shared } = agent;
  let run = new AbortController();
  let stopping = false;
  let ended = false;
  let restarts = 0;
  let decisionsBefore = 0;
  const words: (() => Promise<void>)[] = [];

  const interrupted = (word: () => Promise<void>): Promise<void> => {
    if (ended) return word();
    return new Promise((resolve, reject) => {
      words.push(() => word().then(resolve, reject));
      run.abort();
    });
  };
  const heed = async (): Promise<void> => {
    for (let word = words.shift(); word; word = words.shift()) await word();
  };
  /** Decides what a failure means; resolves when the actor may run again. */
  const judge = async (error: unknown): Promise<void> => {
    if (memory.ledger.spent.steps > decisionsBefore) restarts = 0;
    decisionsBefore = memory.ledger.spent.steps;
    const reason = messageOf(error);
    if (isLegionError(error, "STORAGE")) {
      show(agent, "halted", reason);
      stopping = true;
    } else if (isLegionError(error, "MODEL_REFUSED") || isLegionError(error, "CONTEXT_OVERFLOW")) {
      await park(agent, "parked", reason);
    } else if (++restarts > MAX_RESTARTS) {
      await park(agent, "parked", `${MAX_RESTARTS} restarts did not help: ${reason}`);
      restarts = 0;
    } else {
      const waitMs = Math.min(FIRST_RESTART_MS * 2 ** (restarts - 1), LAST_RESTART_MS) * (0.8 + 0.4 * random());
      show(agent, "retrying", `${reason} (again in ${Math.ceil(waitMs / 1_000)} s)`);
      await shared.clock.sleep(waitMs, run.signal);
    }
  };
  const loop = async (): Promise<void> => {
    while (!stopping) {
      try {
        run = new AbortController();
        await heed();
        await runActor(agent, run.signal, now);
      } catch (error) {
        await judge(error).catch((fatal: unknown) => {
          show(agent, "halted", messageOf(fatal));
          stopping = true;
        });
      }
    }
    await heed();
    ended = true;
    if (agent.standing.state !== "halted") show(agent, "stopped");
  };
  const running = loop();
  return {
    agent,
    pause: (reason) => interrupted(() => memory.commit({ kind: "notice", reason: "paused", content: reason })),
    resume: () => interrupted(() => memory.commit({ kind: "notice", reason: "resumed", content: "" })),
    async stop() {
      stopping = true;
      run.abort();
      await running;
    },
  };
}
