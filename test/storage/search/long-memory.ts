import type { MemoryEvent } from "../../../src/domain/memory/record.ts";
import type { SearchedMemory } from "../../../src/storage/search/search.ts";
import { memoryOf } from "./memory-of.ts";

/** The same in every process: an entry for each number from 2 to `entries`, with words that few others have. */
export function longMemory(
  entries: number,
  onEvent: (seq: number) => void | Promise<void> = () => {},
): SearchedMemory {
  const first = memoryOf("entry");
  return {
    log: first.log,
    async *events(from) {
      let like: MemoryEvent | undefined;
      for await (const event of first.events(1)) like = event;
      for (let seq = from; seq <= entries; seq++) {
        await onEvent(seq);
        yield { ...(like as MemoryEvent & { kind: "entry" }), seq, raw: textOf(seq) };
      }
    },
  };
}

function textOf(seq: number): string {
  const words = Array.from({ length: 12 }, (_, at) => `word${(seq * (at + 3)) % 9_973}`);
  return `entry n${seq} of all: ${words.join(" ")}`;
}
