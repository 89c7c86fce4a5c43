// An agent that has nothing to do is closed, and opened when something comes: of a hundred thousand that are known, those that work
// are held in memory.

import type { Agent } from "../../agent/parts/agent.ts";
import { aborted } from "../../base/process/signals.ts";
import type { Writer } from "../../mail/log-access.ts";
import type { createUpkeep } from "./reopening.ts";

/** How one agent is closed while it rests. */
export interface Rest {
  /** It was found at rest, and never opened. */
  readonly isAsleep: boolean;
  /** Has it nothing to do, and is nothing on its way to it? */
  mayBegin(agent: Agent): boolean;
  /** Closes it. Resolves with false where something came meanwhile: then it has to be opened again. */
  begin(agent: Agent): Promise<boolean>;
  /** Before something is done with it. */
  wake(): Promise<void> | undefined;
  /** Who stands in its place since it was closed, if anybody does. */
  other(): Pick<Writer, "alone"> | undefined;
}

type SleepingAgent = Pick<ReturnType<typeof createUpkeep>, "agent" | "isWhole" | "release">;

/** @param interrupt ends what the agent waits for */
export function createSleep(upkeep: SleepingAgent, rest: Rest | undefined, interrupt: () => void) {
  let isAsleep = rest?.isAsleep ?? false;
  let isWanted = false;
  const mayBegin = (): boolean => {
    const { agent, isWhole } = upkeep;
    return !isAsleep && agent !== undefined && isWhole && rest?.mayBegin(agent) === true;
  };
  return {
    get isAsleep() {
      return isAsleep;
    },
    mayBegin,
    /** Has it closed once what it waits for has ended. */
    want(): void {
      if (!mayBegin()) return;
      isWanted = true;
      interrupt();
    },
    /** Closes it where somebody wanted that, it has nothing to do and `isFree` says so. Rejects as that did. */
    async begin(isFree: () => boolean): Promise<void> {
      const { agent } = upkeep;
      const isMeant = isWanted && isFree() && mayBegin();
      isWanted = false;
      if (!isMeant || !agent) return;
      // In the same turn: whatever comes from now on wakes it.
      isAsleep = true;
      upkeep.release();
      const isClosed = await rest!.begin(agent).catch((error: unknown) => {
        isAsleep = false;
        throw error;
      });
      isAsleep &&= isClosed;
    },
    end(): void {
      if (!isAsleep) return;
      isAsleep = false;
      interrupt();
    },
    /** Resolves when it is awake, or when `signal` aborts. */
    over: (signal: AbortSignal): Promise<void> => (isAsleep ? aborted(signal) : Promise.resolve()),
  };
}
