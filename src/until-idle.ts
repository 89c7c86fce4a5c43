// When a legion is done: nobody has anything to do, and no mail is on its way to any of its agents.

import type { Control } from "./control.ts";
import type { Inspector } from "./inspection.ts";
import { hasWork } from "./ledger.ts";
import { CONTROL, type AgentId } from "./message.ts";
import { isOver } from "./peers.ts";
import type { Supervised } from "./supervisor.ts";

export interface Hosted {
  readonly agents: ReadonlyMap<AgentId, Supervised>;
  readonly control: Control;
}

/** Resolves when no hosted agent has anything to do and all mail to them and to Control is delivered, or when `signal` aborts. */
export async function untilIdle(
  { agents, control, inspector }: Hosted & { inspector: Inspector },
  signal: AbortSignal,
): Promise<void> {
  const isIdle = (): boolean => {
    const waiting = [...agents.values()].flatMap(({ agent }) => agent.outbox.undelivered());
    if ([...waiting, ...control.outbox.undelivered()].some(({ to }) => to === CONTROL || agents.has(to)))
      return false;
    return [...agents.values()].every(({ agent }) => {
      const { state } = agent.standing;
      const atRest = state === "idle" || state === "parked" || state === "paused";
      return isOver(agent) || (atRest && !hasWork(agent.memory.ledger, agent.inbox.unread));
    });
  };
  await new Promise<void>((resolve) => {
    let checking = false;
    const check = (): void => {
      checking = false;
      if (signal.aborted || isIdle()) finish();
    };
    const later = (): void => {
      if (!checking) setImmediate(check);
      checking = true;
    };
    const unwatch = inspector.watch((inspection) => {
      if (inspection.kind !== "live:delta") later();
    });
    const finish = (): void => {
      unwatch();
      signal.removeEventListener("abort", later);
      resolve();
    };
    signal.addEventListener("abort", later);
    later();
  });
}
