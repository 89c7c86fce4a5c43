// What a legion in the memory of this process says; also while it runs.

import { createBranch } from "../../past/fold.ts";
import { createFolds, readOnly, toRecord, type Reader } from "../contract/reader.ts";
import { lastOf, readMemoryLog } from "./log.ts";
import type { MemoryPlace } from "./place.ts";

export function createMemoryReader(place: MemoryPlace): Reader {
  const events: Reader["events"] = (agent, from) => readMemoryLog(place.of(agent), from);
  const unread: Reader["unread"] = (agent, { taken }) =>
    Promise.resolve(place.of(agent).mail.filter(({ position }) => position > taken));
  const folds = createFolds({ events, unread });
  return {
    ...folds,
    events,
    unread,
    known: () => Promise.resolve(place.known()),
    last: (agent) => Promise.resolve(lastOf(place.of(agent))),
    state: async (agent) => (await folds.follow(agent, createBranch)).branch.state,
    isForeign: () => Promise.resolve(false),
    record: (agent) => Promise.resolve(toRecord(place.of(agent).record ?? "")),
    lastStart: () => Promise.resolve(place.lastStart),
    blobs: (agent) => readOnly(place.of(agent).blobs),
  };
}
