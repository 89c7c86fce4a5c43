import type { ContextEvent, EntryEvent, MemoryEvent } from "../../../src/domain/memory/record.ts";
import type { SearchedMemory } from "../../../src/storage/search/search.ts";

/** A memory that is written to by hand. */
export interface TestMemory extends SearchedMemory {
  /** Where it was read from, each time. */
  readonly reads: number[];
  /** The number of the entry. */
  say(raw: string, entry?: Partial<EntryEvent>): number;
  write(content: string, context?: Partial<ContextEvent>): number;
  forget(...seqs: readonly number[]): void;
  /** Another log is in its place; `undefined`: none. */
  begin(log: string | undefined): void;
  /** Its last events are gone. */
  lose(events: number): void;
}

/** It holds an entry of each of `texts`, from number 2 on. */
export function memoryOf(...texts: readonly string[]): TestMemory {
  let id: string | undefined;
  let events: MemoryEvent[] = [];
  let nowMs = Date.parse("2026-03-01T00:00:00Z");
  const reads: number[] = [];
  const stamp = () => {
    const at = new Date((nowMs += 60_000)).toISOString();
    return { seq: events.length + 1, epoch: 1, at };
  };
  const add = (event: MemoryEvent): number => {
    events.push(event);
    return event.seq;
  };
  const memory: TestMemory = {
    reads,
    log: () => Promise.resolve(id),
    async *events(from) {
      reads.push(from);
      for (const event of events.slice(from - 1)) yield await Promise.resolve(event);
    },
    say(raw, entry = {}) {
      const { seq, at, epoch } = stamp();
      const who = { mail: seq, from: "log-2", by: "2", role: "user", speaker: "0", thread: "0+2" } as const;
      return add({
        ...{ seq, at, epoch, kind: "entry", raw, summary: "", said: at, tags: {}, summarised: "rules" },
        ...{ ...who, ...entry },
      } as MemoryEvent);
    },
    write: (content, context) =>
      add({ ...stamp(), kind: "context", mail: 1, from: "log-9", by: "9", content, upTo: 0, ...context }),
    forget: (...seqs) => void add({ ...stamp(), kind: "forgotten", entries: 0, seqs, by: "0" }),
    begin(log) {
      id = log;
      events = [];
      if (log !== undefined) add({ ...stamp(), kind: "opened", format: 2, log, seals: {} });
    },
    lose: (count) => void events.splice(events.length - count),
  };
  memory.begin("a-log");
  for (const text of texts) memory.say(text);
  return memory;
}
