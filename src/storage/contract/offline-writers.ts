// The logs of agents that nobody runs here: opened when there is something to deliver or to add, and kept until the end.

import type { Bus } from "../../mail/bus.ts";
import type { Clock } from "../../base/clock.ts";
import type { Memory } from "../../past/past.ts";
import type { AgentId } from "../../domain/message.ts";
import { createOutbox, type Outbox } from "../../mail/outbox.ts";
import { createTurns, mend, type Writer, type Writing } from "../../mail/log-access.ts";

export interface Guests {
  /** `undefined` if its log cannot be opened. */
  outboxOf(agent: AgentId): Promise<Outbox | undefined>;
  writerFor(agent: AgentId): Writer;
  /** What closes everything that was opened, step by step. */
  closings(): readonly (() => Promise<void>)[];
}

export interface GuestOptions {
  readonly openMemory: (agent: AgentId) => Promise<Memory>;
  readonly bus: Bus;
  readonly clock: Clock;
}

export function createGuests({ openMemory, bus, clock }: GuestOptions): Guests {
  const guests = new Map<AgentId, Writing>();
  const inTurn = createTurns();
  const find = async (agent: AgentId): Promise<Writing> => {
    const known = guests.get(agent);
    if (known) return known;
    const memory = await openMemory(agent);
    const guest = { memory, outbox: createOutbox(memory, bus, clock) };
    guests.set(agent, guest);
    return guest;
  };
  return {
    outboxOf: (agent) =>
      inTurn(() => find(agent)).then(
        ({ outbox }) => outbox,
        () => undefined,
      ),
    writerFor: (agent) => ({
      alone: (work) =>
        inTurn(async () => {
          const guest = await find(agent);
          await mend(guest.memory);
          return work(guest);
        }),
    }),
    closings: () => [...guests.values()].flatMap(({ outbox, memory }) => [outbox.close, memory.close]),
  };
}
