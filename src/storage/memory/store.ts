// A legion in the memory of a process, opened for writing.

import { createTenure } from "../../domain/lease.ts";
import { account, createLedger } from "../../past/ledger.ts";
import { createBranch } from "../../past/fold.ts";
import type { Luggage } from "../contract/arrival.ts";
import { openLocalStore, type LocalPlace, type LocalStore } from "../contract/local-store.ts";
import { eventsOf } from "../contract/seed.ts";
import { UNHOSTED, type Store } from "../contract/store.ts";
import { createMemoryBus } from "./bus.ts";
import { add, openMemoryLog, readMemoryLog, type KeptEvent } from "./log.ts";
import type { KeptAgent, MemoryPlace } from "./place.ts";
import { createMemoryReader } from "./reader.ts";

/** Throws LOCKED while somebody has the place open. */
export async function openMemoryStore(
  place: MemoryPlace,
  options: Pick<LocalPlace, "clock" | "inspect" | "redactor" | "hosted" | "memories">,
): Promise<Store & Pick<LocalStore, "begin">> {
  const { of, known } = place;
  const { now } = options.clock;
  const epoch = place.open();
  const reader = createMemoryReader(place);
  const enroll: Store["enroll"] = (agent, record) => Promise.resolve(void (of(agent).record = record));
  const local = await openLocalStore({
    ...options,
    known,
    enroll,
    events: (agent) => readMemoryLog(of(agent)),
    logOf: async (agent) => async (each) => ({
      log: await openMemoryLog({ kept: of(agent), epoch, now }, each),
      findings: [],
    }),
    createBus: (mailboxes) => createMemoryBus(place, mailboxes),
    damaged: new Set(),
    release: () => Promise.resolve(place.close()),
  });
  return {
    ...local,
    isTaken: (agent) => Promise.resolve(of(agent).record !== undefined),
    record: (agent) => Promise.resolve(of(agent).record),
    enroll,
    blobs: (agent) => of(agent).blobs,
    projector: () => UNHOSTED.projector,
    tenure: (agent) => createTenure({ agent, epoch, token: "", past: "whole" }),
    async found(agent, past, record = "") {
      const kept = of(agent);
      const show = await prepare(kept, record, { events: eventsOf(past, { epoch, now, kept: kept.blobs }) });
      show();
      return (await reader.follow(agent, createBranch)).branch;
    },
  };
}

/** Resolves with what shows the agent to everybody: all is read before anybody can see any of it. */
export async function prepare(
  kept: KeptAgent,
  record: string,
  { events, mail }: Luggage,
): Promise<() => void> {
  const found: KeptEvent[] = [];
  const ledger = createLedger();
  for await (const event of events) {
    found.push(event);
    account(ledger, event);
  }
  const waiting = (await mail?.(ledger))?.unread ?? [];
  return () => {
    add(kept, found);
    for (const one of waiting) kept.unread.add(one);
    kept.position = Math.max(ledger.taken, waiting.at(-1)?.position ?? 0);
    kept.record = record;
  };
}
