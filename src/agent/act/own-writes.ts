// Whoever reads a memory finds there what they sent to it before.

import type { HostMemory } from "../../domain/authoring/memories.ts";
import type { Performer } from "../parts/agent.ts";

const RETRY_MS = 50;

/** `memory`, read when all that the agent's log sent to it is accepted there; rejects as soon as `signal` aborts. */
export function afterOwnWrites(
  memory: HostMemory,
  performer: Pick<Performer, "outbox" | "shared">,
  signal: AbortSignal,
): HostMemory {
  const arrived = () => untilAccepted(performer, memory.id, signal);
  return {
    id: memory.id,
    check: memory.check,
    holds: memory.holds,
    last: () => arrived().then(memory.last),
    context: () => arrived().then(memory.context),
    entries: (limit) => arrived().then(() => memory.entries(limit)),
    entriesAfter: (seq, limit) => arrived().then(() => memory.entriesAfter(seq, limit)),
    search: (query) => arrived().then(() => memory.search(query)),
  };
}

/** Resolves when all that the agent's log sent to `peer` is accepted there; rejects as soon as `signal` aborts. */
export async function untilAccepted(
  { outbox, shared: { clock } }: Pick<Performer, "outbox" | "shared">,
  peer: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    await outbox.deliver();
    if (!outbox.undelivered().some(({ to }) => to === peer)) return;
    await clock.sleep(RETRY_MS, signal);
  }
}
