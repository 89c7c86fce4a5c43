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
import type { Residents } from "./hosting/rest/residents.ts";
import type { Supervised } from "./supervision/supervisor.ts";

export interface Hosted {
  readonly agents: ReadonlyMap<AgentId, Supervised>;
  readonly control: Control;
}

interface IdleSource extends Pick<Hosted, "control"> {
  /** Of very many, those that rest are not looked at. */
  readonly agents: Pick<Residents, "agents" | "isName" | "awake">;
  readonly inspector: Inspector;
  /** Resolves when it is known who is hosted. */
  settled(): Promise<void>;
  /** Resolves when Control is told what is to be said of those who rest. */
  told(): Promise<void>;
}

/**
 * Resolves when no hosted agent has anything to do, all that they observe is taken in, and all mail to them, to Control and to
 * memories has arrived, or when `signal` aborts.
 */
export async function untilIdle(
  { settled, told, agents, control, inspector }: IdleSource,
  signal: AbortSignal,
): Promise<void> {
  const given = aborted(signal);
  await Promise.race([settled(), given]);
  const isGoing = ({ to }: Send): boolean => {
    if (to === CONTROL || isMemoryId(to) || agents.isName(to)) return true;
    const recipient = agents.agents.get(to);
    return recipient !== undefined && !isOver(recipient);
  };
  const isDelivering = ({ agent }: Supervised): boolean =>
    agent?.memory.conversation.run.mode !== "held" && agent?.outbox.undelivered().some(isGoing) === true;
  const isBusy = (supervised: Supervised): boolean =>
    !isOver(supervised) && (isAtWork(supervised) || isDelivering(supervised));
  /** Who was at work when last looked: as long as that goes on, nobody else has to be asked. */
  let busy: Supervised | undefined;
  const nextBusy = circling(() => agents.awake(), isBusy);
  const isIdle = (): boolean => {
    if (busy && isBusy(busy)) return false;
    busy = nextBusy();
    return !busy && !control.undelivered().some(isGoing);
  };
  const watch: Watching = (look) =>
    inspector.watch((inspection) => {
      if (!PASSING.has(inspection.kind)) look();
    });
  await until(isIdle, watch, signal);
  await Promise.race([told(), given]);
  // Whoever watches what agents say to the person has seen the last of it.
  await Promise.race([control.caughtUp(), given]);
}

/** Finds one that `holds`. Begins behind the last one found: of many that end one after the other, none is asked again for each. */
function circling<T>(all: () => Iterable<T>, holds: (one: T) => boolean): () => T | undefined {
  let rest = all()[Symbol.iterator]();
  const goOn = (): T | undefined => {
    for (let one = rest.next(); !one.done; one = rest.next()) if (holds(one.value)) return one.value;
    return undefined;
  };
  return () => {
    const found = goOn();
    if (found !== undefined) return found;
    rest = all()[Symbol.iterator]();
    return goOn();
  };
}

/** Has it anything to do, or is it not known whether it has? */
function isAtWork({ agent, isAsleep, standing: { state } }: Supervised): boolean {
  if (isAsleep) return false;
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
