// A legion in the memory of a process, without lock or files: for programs that want nothing to stay, and for tests.

import { createDisk } from "../../base/files/disk.ts";
import { aborted, linkSignals } from "../../base/signals.ts";
import type { Event } from "../../domain/event.ts";
import { account, createLedger } from "../../past/ledger.ts";
import { alreadyThere, type Unfolded, type UnfoldedAgent } from "../contract/arrival.ts";
import type { Backend, Following } from "../contract/backend.ts";
import { add, lastOf, readMemoryLog } from "./log.ts";
import { createMemoryPlace, type KeptAgent, type MemoryPlace } from "./place.ts";
import { createMemoryReader, createMemorySource } from "./reader.ts";
import { openMemoryStore } from "./store.ts";

/** Each is a legion of its own, which nobody has started yet. */
export function createMemoryBackend(): Backend {
  const place = createMemoryPlace();
  return {
    reader: createMemoryReader(place),
    foreign: "refused",
    async openNode({ agents, started, disk }, { paths, clock, inspect }) {
      const hosted = new Set(agents.map(({ id }) => id));
      const store = await openMemoryStore(place, { clock, inspect, hosted });
      for (const { id, record } of agents) await store.enroll(id, record);
      if (started) place.lastStart = started;
      return {
        store,
        disk: disk ?? createDisk(paths.tmp),
        async begin(host) {
          await host.beginAll();
          await store.deliverForOthers();
          const { stop, dismiss } = host;
          return { settled: () => Promise.resolve(), stop, dismiss };
        },
      };
    },
    openStore: ({ clock }) => openMemoryStore(place, { clock, inspect: () => undefined, hosted: new Set() }),
    follow: (agent, following) => follow(place.of(agent), following),
    patiently: (read) => read(),
    source: (options) => createMemorySource(place, options),
    receive: async ({ agents }, unfold) => {
      place.open();
      try {
        const known = agents.filter((agent) => place.known().includes(agent) || lastOf(place.of(agent)) > 0);
        const way = "import into another one";
        if (known.length > 0) throw alreadyThere(known, agents, { place: "this legion", way });
        return await takeIn(place, await unfold());
      } finally {
        place.close();
      }
    },
    close: () => Promise.resolve(),
  };
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function* follow(kept: KeptAgent, { from, signal }: Following): AsyncGenerator<Event, undefined> {
  let next = from;
  while (!signal.aborted) {
    const grown = new AbortController();
    const wake = (): void => grown.abort();
    kept.watchers.add(wake);
    try {
      for await (const event of readMemoryLog(kept, next)) {
        next = event.seq + 1;
        yield event;
      }
      const { signal: woken, unlink } = linkSignals(grown.signal, signal);
      await aborted(woken);
      unlink();
    } finally {
      kept.watchers.delete(wake);
    }
  }
  return undefined;
}

/** Everything is read before anybody can see any of it. */
async function takeIn(place: MemoryPlace, unfolded: Unfolded): Promise<readonly string[]> {
  try {
    const arrived: (() => Promise<void>)[] = [];
    for (const agent of unfolded.agents) arrived.push(await prepare(place, agent));
    for (const arrive of arrived) await arrive();
    return unfolded.agents.flatMap(({ agent, rest }) => rest.map((path) => `left out ${path} of ${agent}`));
  } finally {
    await unfolded.close();
  }
}

/** Resolves with what shows the agent to everybody. */
async function prepare(place: MemoryPlace, arriving: UnfoldedAgent): Promise<() => Promise<void>> {
  const { agent, record, texts, events, mail } = arriving;
  const found = await all(events);
  const long = await all(texts);
  const ledger = createLedger();
  for (const event of found) account(ledger, event);
  const waiting = (await mail?.(ledger))?.unread ?? [];
  return async () => {
    const kept = place.of(agent);
    for (const text of long) await kept.blobs.keep(text);
    add(kept, found);
    for (const mail of waiting) kept.unread.add(mail);
    kept.position = Math.max(ledger.taken, waiting.at(-1)?.position ?? 0);
    kept.record = record;
  };
}
