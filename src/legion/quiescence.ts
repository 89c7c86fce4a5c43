// When a legion is done: nobody has anything to do, and no mail is on its way to any of its agents.

import { awaited } from "../agent/take-in.ts";
import { aborted } from "../base/process/signals.ts";
import type { Control } from "../mail/control.ts";
import type { Inspection, Inspector } from "../domain/inspection.ts";
import { hasWork, openCalls } from "../past/conversation.ts";
import { isMemoryId } from "../domain/memory/memory-id.ts";
import type { Send } from "../past/mail/sends.ts";
import { CONTROL, type AgentId } from "../domain/message/message.ts";
import { isOver } from "./registry.ts";
import type { Supervised } from "./supervision/supervisor.ts";

export interface Hosted {
  readonly agents: ReadonlyMap<AgentId, Supervised>;
  readonly control: Control;
}

interface IdleSource extends Hosted {
  readonly inspector: Inspector;
  /** Resolves when it is known who is hosted. */
  settled(): Promise<void>;
}

/**
 * Resolves when no hosted agent has anything to do, all that they observe is taken in, and all mail to them, to Control and to
 * memories has arrived, or when `signal` aborts.
 */
export async function untilIdle(
  { settled, agents, control, inspector }: IdleSource,
  signal: AbortSignal,
): Promise<void> {
  const given = aborted(signal);
  await Promise.race([settled(), given]);
  const isGoing = ({ to }: Send): boolean => {
    const recipient = agents.get(to);
    const isAlwaysThere = to === CONTROL || isMemoryId(to);
    return isAlwaysThere || (recipient !== undefined && !isOver(recipient));
  };
  const isDelivering = ({ agent }: Supervised): boolean =>
    agent!.memory.conversation.run.mode !== "held" && agent!.outbox.undelivered().some(isGoing);
  const isBusy = (supervised: Supervised): boolean =>
    !isOver(supervised) && (isAtWork(supervised) || isDelivering(supervised));
  /** Who was at work when last looked: as long as that goes on, nobody else has to be asked. */
  let busy: Supervised | undefined;
  const isIdle = (): boolean => {
    if (busy && isBusy(busy)) return false;
    busy = [...agents.values()].find(isBusy);
    return !busy && !control.undelivered().some(isGoing);
  };
  const watch: Watching = (look) =>
    inspector.watch((inspection) => {
      if (!PASSING.has(inspection.kind)) look();
    });
  await until(isIdle, watch, signal);
  // Whoever watches what agents say to the person has seen the last of it.
  await Promise.race([control.caughtUp(), given]);
}

/** Has it anything to do, or is it not known whether it has? */
function isAtWork({ agent, standing: { state } }: Supervised): boolean {
  const isAtRest = state === "idle" || state === "parked" || state === "paused";
  if (!isAtRest || agent === undefined) return true;
  const { conversation } = agent.memory;
  // One that was resumed may still be closing what it left open.
  const isClosing = !conversation.halt && openCalls(conversation).length > 0;
  return isClosing || hasWork(conversation, awaited(agent));
}

/** What comes often and leaves everything as it is. */
const PASSING = new Set<Inspection["kind"]>(["live:delta", "live:call", "live:progress"]);

/** Has `look` called whenever something may have changed; returns how to end that. */
export type Watching = (look: () => void) => () => void;

/** Resolves once `holds` at a turn of the event loop after a look, or when `signal` aborts. */
export async function until(holds: () => boolean, watch: Watching, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    let isLooking = false;
    const check = (): void => {
      isLooking = false;
      if (!signal.aborted && !holds()) return;
      unwatch();
      signal.removeEventListener("abort", look);
      resolve();
    };
    const look = (): void => {
      if (!isLooking) setImmediate(check);
      isLooking = true;
    };
    const unwatch = watch(look);
    signal.addEventListener("abort", look);
    look();
  });
}
