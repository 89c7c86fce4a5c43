// A legion in the memory of a process, opened for writing.

import type { Clock } from "../../base/clock.ts";
import type { Inspect } from "../../domain/inspection.ts";
import { createTenure } from "../../domain/lease.ts";
import { CONTROL, type AgentId } from "../../domain/message.ts";
import { openControl } from "../../mail/control.ts";
import { longStrings, outline } from "../../past/log/blobs.ts";
import { createBranch, followLog, type Branch } from "../../past/fold.ts";
import { account, createLedger, type Ledger } from "../../past/ledger.ts";
import { openMemory, type Memory } from "../../past/past.ts";
import { createGuests } from "../contract/offline-writers.ts";
import { eventsOf, type Past } from "../contract/seed.ts";
import { UNHOSTED, type AgentMemoryOptions, type Store } from "../contract/store.ts";
import { createMemoryBus } from "./bus.ts";
import { add, openMemoryLog, readMemoryLog } from "./log.ts";
import type { KeptAgent, MemoryPlace } from "./place.ts";

export interface MemoryStoreOptions {
  readonly clock: Clock;
  readonly inspect: Inspect;
  /** Agents that will be run. */
  readonly hosted: ReadonlySet<AgentId>;
}

/** Throws LOCKED while somebody has the place open. */
export async function openMemoryStore(place: MemoryPlace, options: MemoryStoreOptions): Promise<Store> {
  const { clock, hosted } = options;
  const epoch = place.open();
  const { known } = place;
  const isKnown = (agent: AgentId): boolean => place.of(agent).record !== undefined;
  const { find, openAgent } = openLogs(place, { ...options, epoch });
  const bus = createMemoryBus(place, find);
  const control = await openControl({ memory: await openAgent(CONTROL, UNHOSTED), bus, clock, known });
  const guests = createGuests({ openMemory: (agent) => openAgent(agent, UNHOSTED), bus, clock });
  const isGuest = (agent: AgentId): boolean => isKnown(agent) && !hosted.has(agent);
  return {
    bus,
    control,
    known,
    runElsewhere: () => Promise.resolve(new Set()),
    isTaken: (agent) => Promise.resolve(isKnown(agent)),
    record: (agent) => Promise.resolve(place.of(agent).record),
    enroll: (agent, record) => Promise.resolve(void (place.of(agent).record = record)),
    events: (agent) => readMemoryLog(place.of(agent)),
    blobs: (agent) => place.of(agent).blobs,
    ledger: find,
    projector: () => UNHOSTED.projector,
    tenure: (agent) => createTenure({ agent, epoch, token: "", past: "whole" }),
    openAgent,
    async found(agent, past, record) {
      const branch = await writePast(place.of(agent), past, { epoch, now: clock.now });
      place.of(agent).record = record ?? "";
      return branch;
    },
    writerFor: (agent) => (isGuest(agent) ? guests.writerFor(agent) : undefined),
    async deliverForOthers() {
      await control.outbox.deliver();
      for (const id of known().filter(isGuest))
        if ((await find(id))?.undelivered.length) await (await guests.outboxOf(id))?.deliver();
    },
    mendMailboxes: () => Promise.resolve(),
    async close() {
      try {
        for (const close of [...guests.closings(), control.close, bus.close]) await close();
      } finally {
        place.close();
      }
    },
  };
}

/** The logs of the agents, of which each is opened once. */
function openLogs(
  place: MemoryPlace,
  { clock, inspect, epoch }: MemoryStoreOptions & { readonly epoch: number },
) {
  const ledgers = new Map<AgentId, Ledger>();
  return {
    /** `undefined` for an unknown agent. */
    async find(agent: AgentId): Promise<Ledger | undefined> {
      const kept = place.of(agent);
      return ledgers.get(agent) ?? (kept.record === undefined ? undefined : ledgerOf(kept));
    },
    async openAgent(agent: AgentId, { view, projector }: AgentMemoryOptions): Promise<Memory> {
      const kept = place.of(agent);
      const memory = await openMemory({ agent, view, projector, inspect }, async (each) => ({
        log: await openMemoryLog({ kept, epoch, now: clock.now }, each),
        findings: [],
      }));
      ledgers.set(agent, memory.ledger);
      return memory;
    },
  };
}

async function ledgerOf(kept: KeptAgent): Promise<Ledger> {
  const ledger = createLedger();
  for await (const event of readMemoryLog(kept)) account(ledger, event);
  return ledger;
}

/** Returns what the past of the new agent comes to. */
async function writePast(
  kept: KeptAgent,
  past: Past,
  writing: { readonly epoch: number; readonly now: () => number },
): Promise<Branch> {
  const follower = followLog(createBranch);
  for await (const event of eventsOf(past, { ...writing, kept: kept.blobs })) {
    add(kept, [await outline(event, longStrings(event), kept.blobs)]);
    follower.see(event);
  }
  return follower.settle(() => readMemoryLog(kept));
}
