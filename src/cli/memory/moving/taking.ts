// What a file holds becomes a part of a memory, under numbers of its own.

import { LegionError } from "../../../base/errors.ts";
import type { MemoryId } from "../../../domain/memory/memory-id.ts";
import type { MemoryEvent, NewMemoryEvent } from "../../../domain/memory/record.ts";
import type { Memories } from "../../../storage/contract/memory/memories.ts";
import type { HeldEvent } from "./memory-file.ts";

export interface TakingMemory {
  readonly id: MemoryId;
  readonly memories: Memories;
  /** It was empty when it was looked at, and has to be so still. */
  readonly isNew: boolean;
}

/**
 * In their order. Documents name the entries and documents that they were made of: these have to have numbers first. So whoever is
 * killed meanwhile leaves a beginning.
 */
export async function takeIn(memory: TakingMemory, events: readonly HeldEvent[]): Promise<void> {
  /** By its number in the file, ascending. */
  const numbers = new Map<number, number>();
  let isFirst = true;
  for (const group of groupsOf(events)) {
    const added = group.map((event) => renumbered(event, numbers));
    let from = 0;
    await memory.memories.change(memory.id, ({ last, entries, contexts }) => {
      if (isFirst && memory.isNew && (entries > 0 || contexts.length > 0))
        throw new LegionError(
          "REFUSED",
          `something was sent to ${memory.id} meanwhile; nothing was taken in`,
        );
      from = last + 1;
      return Promise.resolve(added);
    });
    isFirst = false;
    await learn(group, numbers, memory.memories.read(memory.id).events(from));
  }
}

/** A document is a group of its own, and what is between two of them is one. */
function groupsOf(events: readonly HeldEvent[]): readonly (readonly HeldEvent[])[] {
  const groups: HeldEvent[][] = [];
  for (const event of events) {
    const before = groups.at(-1)?.at(-1);
    if (!before || event.kind === "context" || before.kind === "context") groups.push([event]);
    else groups.at(-1)!.push(event);
  }
  return groups;
}

function renumbered(event: HeldEvent, numbers: ReadonlyMap<number, number>): NewMemoryEvent {
  if (event.kind === "kept") return { kind: "kept", by: event.by };
  const { seq: _seq, at: _at, epoch: _epoch, ...rest } = event;
  if (rest.kind !== "context") return rest;
  const { base: before, upTo: newest, ...context } = rest;
  // Of what is not there any more nothing is in it that is.
  const told = [...numbers].findLast(([old]) => old <= newest)?.[1] ?? 0;
  const base = before === undefined ? undefined : numbers.get(before);
  return { ...context, upTo: told, ...(base !== undefined && { base }) };
}

/** What was added is there in its order, under numbers that nobody knew before. */
async function learn(
  group: readonly HeldEvent[],
  numbers: Map<number, number>,
  events: AsyncIterable<MemoryEvent>,
): Promise<void> {
  const rest = [...group];
  for await (const event of events) {
    const [next] = rest;
    if (!next) return;
    if (!isSame(next, event)) continue;
    numbers.set(next.seq, event.seq);
    rest.shift();
  }
}

function isSame(held: HeldEvent, event: MemoryEvent): boolean {
  if (held.kind === "kept") return event.kind === "kept" && event.by === held.by;
  if (event.kind !== held.kind || event.mail !== 0) return false;
  if (held.kind === "entry") return event.kind === "entry" && event.raw === held.raw;
  if (held.kind === "void") return event.kind === "void" && event.heard === held.heard;
  return event.kind === "context" && event.content === held.content;
}
