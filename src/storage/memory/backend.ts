// A legion in the memory of a process, without lock or files: for programs that want nothing to stay, and for tests.

import { createDisk } from "../../base/files/disk.ts";
import { NO_SECRETS, type Redactor } from "../../base/redaction/redactor.ts";
import { alreadyThere, type Unfolded } from "../contract/arrival.ts";
import type { Backend } from "../contract/backend.ts";
import type { LastStart } from "../contract/last-start.ts";
import { followMemoryLog, lastOf } from "./log.ts";
import { createProcessMemories } from "./memories.ts";
import { createMemoryPlace, type MemoryPlace } from "./place.ts";
import { createMemoryReader, createMemorySource } from "./reader.ts";
import { openMemoryStore, prepare } from "./store.ts";

/** Each is a legion of its own, which nobody has started yet. */
export function createMemoryBackend(redactor: Redactor = NO_SECRETS): Backend {
  const place = createMemoryPlace();
  const memories = createProcessMemories();
  return {
    reader: createMemoryReader(place),
    memories,
    foreign: "refused",
    async openNode({ agents, started, disk }, { paths, clock, inspect }) {
      const hosted = new Set(agents.map(({ id }) => id));
      const store = await openMemoryStore(place, { clock, inspect, redactor, hosted, memories });
      for (const { id, record } of agents) await store.enroll(id, record);
      if (started) place.lastStart = started;
      const remember = async (changed: LastStart): Promise<void> => void (place.lastStart = changed);
      return { store, disk: disk ?? createDisk(paths.tmp), remember, begin: store.begin };
    },
    openStore: ({ clock }) =>
      openMemoryStore(place, { clock, inspect: () => undefined, redactor, memories, hosted: new Set() }),
    follow: (agent, following) => followMemoryLog(place.of(agent), following),
    patiently: (read) => read(),
    source: (options) => createMemorySource(place, options),
    async receive({ agents }, unfold) {
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

async function takeIn(place: MemoryPlace, { agents, close }: Unfolded): Promise<readonly string[]> {
  try {
    const shows: (() => void)[] = [];
    for (const { agent, record, texts, ...luggage } of agents) {
      const kept = place.of(agent);
      for await (const text of texts) await kept.blobs.keep(text);
      shows.push(await prepare(kept, record, luggage));
    }
    for (const show of shows) show();
    return agents.flatMap(({ agent, rest }) => rest.map((path) => `left out ${path} of ${agent}`));
  } finally {
    await close();
  }
}
