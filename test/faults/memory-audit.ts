// Recomputes from what lies on the disk what must have become of a long-term memory, and says what did not.

import type { MemoryEvent } from "../../src/domain/memory/record.ts";
import { messageId } from "../../src/domain/message/message.ts";
import { ID } from "../storage/contract/memory/memory-letters.ts";
import { createFaultyDisk } from "./faulty-disk.ts";
import type { Files, Tearing } from "./files.ts";
import {
  bytesWith,
  CANARY,
  LAST_CONTEXT,
  MEMORY,
  nameOf,
  openMemories,
  SENT,
  wordsOf,
  type MemoryOutside,
} from "./memory-story.ts";

/** What is wrong right after a crash, for whoever only reads; empty if nothing is. */
export async function auditMemoryCrash(files: Files, outside: MemoryOutside): Promise<readonly string[]> {
  const events = await read(files);
  const forgotten = new Set(events.flatMap((event) => (event.kind === "forgotten" ? event.seqs : [])));
  const there = sentIn(events);
  return [
    ...repeats(there).map((name) => `${name} is there twice`),
    ...[...outside.accepted].filter((name) => !there.includes(name)).map((name) => `${name} is lost`),
    ...["a", "b"].flatMap((by) => disorder(events, by)),
    ...events.flatMap((event) => wrongWords(event, forgotten)),
    ...(outside.isForgotten && forgotten.size === 0 ? ["What was forgotten is remembered."] : []),
  ];
}

/** What is wrong after everybody has offered everything again, and closed it; empty if nothing is. */
export async function auditMemoryEnd(
  files: Files,
  outside: MemoryOutside,
  tearing: Tearing = "cut",
): Promise<readonly string[]> {
  const events = await read(files);
  const there = sentIn(events);
  const standing = await openMemories(createFaultyDisk({ files: new Map(files) }))
    .read(ID)
    .standing();
  const shown = files.get(MEMORY.context)?.bytes?.toString();
  return [
    ...(await auditMemoryCrash(files, outside)),
    ...SENT.map(nameOf)
      .filter((name) => !there.includes(name))
      .map((name) => `${name} is missing`),
    ...bytesWith(CANARY, files).map((path) => `${path} still has what was forgotten`),
    ...(shown === `${LAST_CONTEXT}\n` ? [] : [`context.md says ${shown}`]),
    ...events
      .filter((event) => event.kind === "context" && event.by === "0")
      .map(({ seq }) => `the shard ${seq} is said to be a person's`),
    ...(standing.entries === 5 ? [] : [`there are said to be ${standing.entries} entries`]),
    ...(standing.last === events.at(-1)?.seq ? [] : [`the last is said to be ${standing.last}`]),
    ...(tearing === "holes" ? [] : [...files.keys()].filter((path) => path.includes("/corrupt/"))),
  ];
}

async function read(files: Files): Promise<readonly MemoryEvent[]> {
  const events: MemoryEvent[] = [];
  const memories = openMemories(createFaultyDisk({ files: new Map(files) }));
  for await (const event of memories.read(ID).events()) events.push(event);
  return events;
}

function sentIn(events: readonly MemoryEvent[]): readonly string[] {
  return events.flatMap((event) => (event.kind === "entry" || event.kind === "context" ? [idOf(event)] : []));
}

function idOf({ by, mail }: { readonly by: string; readonly mail: number }): string {
  return messageId({ from: by, to: ID, n: mail });
}

function disorder(events: readonly MemoryEvent[], sender: string): readonly string[] {
  const mails = events.flatMap((event) => ("mail" in event && event.by === sender ? [event.mail] : []));
  const isInOrder = mails.every((mail, index) => mail === index + 1);
  return isInOrder ? [] : [`${sender} sent 1, 2, 3..., and there are ${mails.join()}`];
}

function wrongWords(event: MemoryEvent, forgotten: ReadonlySet<number>): readonly string[] {
  if (event.kind !== "entry" && event.kind !== "context") return [];
  const words = wordsOf(event);
  if (forgotten.has(event.seq)) return words === "" ? [] : [`${event.seq} is forgotten, and says ${words}`];
  const sent = SENT.find((delivery) => nameOf(delivery) === idOf(event));
  return words === sent?.message.content ? [] : [`${idOf(event)} says ${JSON.stringify(words)}`];
}

function repeats(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}
