// The long-term memories of a legion in the memory of a process.

import { randomUUID } from "node:crypto";
import { inTurnsEach } from "../../base/turns.ts";
import { LOG_FORMAT, type Stamp } from "../../domain/event/event.ts";
import { parseMemoryId, type MemoryId } from "../../domain/memory/memory-id.ts";
import type { MemoryEvent, NewMemoryEvent } from "../../domain/memory/record.ts";
import { planMemoryIntake } from "../../mail/memory-intake.ts";
import { hear, markIn, type HeardMessages } from "../../past/memory/heard.ts";
import { accountMemory, createStanding, type MemoryStanding } from "../../past/memory/standing.ts";
import { joinWords, splitWords } from "../../past/memory/words.ts";
import { readThrough } from "../search/remembered.ts";
import type { Memories, MemoryReader } from "../contract/memory/memories.ts";

interface KeptMemory {
  readonly log: MemoryEvent[];
  readonly standing: MemoryStanding;
  readonly heard: HeardMessages;
}

export function createProcessMemories(now: () => number = Date.now): Memories {
  const kept = new Map<MemoryId, KeptMemory>();
  const inTurn = inTurnsEach();
  const of = (id: MemoryId): KeptMemory => {
    parseMemoryId(id);
    return kept.get(id) ?? { log: [], standing: createStanding(), heard: new Map() };
  };
  const read = (id: MemoryId): MemoryReader => ({
    standing: async () => structuredClone(of(id).standing),
    async *events(from = 1) {
      for (const event of structuredClone(of(id).log.slice(from - 1))) yield await Promise.resolve(event);
    },
    pick: async (seqs) => seqs.flatMap((seq) => structuredClone(of(id).log[seq - 1]) ?? []),
    isForeign: () => Promise.resolve(false),
  });
  const add = (id: MemoryId, events: readonly NewMemoryEvent[]): void => {
    if (events.length === 0) return;
    const memory = of(id);
    kept.set(id, memory);
    append(memory, events, new Date(now()).toISOString());
  };
  return readThrough({
    known: async () => [...kept.keys()].sort(),
    read,
    receive: (id, delivery) =>
      inTurn(id, async () => {
        const { standing, heard } = of(id);
        const { events, receipts } = planMemoryIntake(standing, heard, [delivery]);
        add(id, events);
        return receipts[0]!;
      }),
    change: (id, plan) => inTurn(id, async () => add(id, await plan(of(id).standing, read(id)))),
    close: () => Promise.resolve(),
  });
}

function append({ log, standing, heard }: KeptMemory, events: readonly NewMemoryEvent[], at: string): void {
  const put = (event: MemoryEvent): void => {
    log.push(event);
    accountMemory(standing, event);
    hear(heard, markIn(event));
  };
  const stamp = (): Stamp => ({ seq: log.length + 1, epoch: 1, at });
  if (log.length === 0) put({ ...stamp(), kind: "opened", format: LOG_FORMAT, log: randomUUID(), seals: {} });
  for (const event of events) {
    put({ ...stamp(), ...structuredClone(event) });
    if (event.kind === "forgotten") for (const seq of event.seqs) log[seq - 1] &&= erased(log[seq - 1]!);
  }
}

function erased(event: MemoryEvent): MemoryEvent {
  if (event.kind === "opened") return event;
  const { seq, epoch, at } = event;
  return joinWords({ seq, epoch, at, ...splitWords(event).record("") }, undefined);
}
