// What a legion in the memory of this process says; also while it runs.

import type { AgentId } from "../../domain/message/message.ts";
import { createEventSource } from "../contract/event-source.ts";
import { createReader, type Reader, type ReadPlace } from "../contract/reader.ts";
import type { CopyOptions, Source } from "../contract/source.ts";
import { lastOf, readMemoryLog, storedEvents } from "./log.ts";
import type { MemoryPlace } from "./place.ts";

export function createMemoryReader(place: MemoryPlace): Reader {
  return createReader(readIn(place));
}

export function createMemorySource(place: MemoryPlace, options: CopyOptions): Source {
  return createEventSource(
    {
      ...readIn(place),
      shown: "this process",
      pages: async function* (agent) {
        yield await Promise.resolve(storedEvents(place.of(agent)));
      },
      activity(agents) {
        const marks = agents.map((agent) => [lastOf(place.of(agent)), place.of(agent).position]);
        return Promise.resolve({ isHeld: place.isOpen, mark: JSON.stringify(marks) });
      },
    },
    options,
  );
}

function readIn(place: MemoryPlace): ReadPlace {
  return {
    known: () => Promise.resolve(place.known()),
    events: (agent, from) => readMemoryLog(place.of(agent), from),
    last: (agent) => Promise.resolve(lastOf(place.of(agent))),
    unread: (agent, { taken }) =>
      Promise.resolve(place.of(agent).unread.mail.filter(({ position }) => position > taken)),
    recordText: (agent: AgentId) => Promise.resolve(place.of(agent).record || undefined),
    lastStart: () => Promise.resolve(place.lastStart),
    blobs: (agent) => place.of(agent).blobs,
  };
}
