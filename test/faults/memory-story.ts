// What happens to a long-term memory on a disk in memory: two senders, two shards of context, something to be forgotten, a clean
// close, a second opening that goes on. What was acknowledged is told to whoever audits what is left.

import type { Disk } from "../../src/base/files/disk.ts";
import { isLegionError } from "../../src/base/errors.ts";
import { NO_SECRETS } from "../../src/base/redaction/redactor.ts";
import type { MemoryEvent } from "../../src/domain/memory/record.ts";
import type { Delivery } from "../../src/domain/message/message.ts";
import { memoryPaths } from "../../src/storage/folder/memory-paths.ts";
import { openPersonFolder } from "../../src/storage/folder/person/folder.ts";
import { createFileMemories } from "../../src/storage/files/memories/memories.ts";
import type { Memories } from "../../src/storage/contract/memory/memories.ts";
import { context, entry, ID } from "../storage/contract/memory/memory-letters.ts";
import type { Files } from "./files.ts";
import { PROJECT } from "./scenario.ts";

/** Stands in an entry and in a shard of context, and is forgotten. */
export const CANARY = "canary-7313";

export const MEMORY = memoryPaths(PROJECT, ID);

/** What no crash can undo. */
export interface MemoryOutside {
  /** Whose delivery was accepted, `<sender> <number>`. */
  readonly accepted: Set<string>;
  /** Is the canary said to be forgotten? */
  isForgotten: boolean;
}

const A1 = entry(1, { from: "a" });
const A2 = entry(2, { from: "a", content: `so ${CANARY} said` });
const A3 = context(3, { from: "a", content: `# ${CANARY}`, upTo: 3 });
const A4 = entry(4, { from: "a" });
const A5 = context(5, { from: "a", content: "# What is so", upTo: 7 });
const [B1, B2, B3] = [1, 2, 3].map((n) =>
  entry(n, { from: "b", content: `b ${n} ${"long ".repeat(n * 50)}` }),
);

/** All that is sent, per sender in order. */
export const SENT: readonly Delivery[] = [A1, A2, A3, A4, A5, B1!, B2!, B3!];
export const LAST_CONTEXT = A5.message.content;

export function openMemories(disk: Disk): Memories {
  const person = openPersonFolder(process.env);
  return createFileMemories({ project: PROJECT, person, durability: "disk", redactor: NO_SECRETS, disk });
}

/** What a failure leaves undone is tried again so often. */
const TRIES = 4;

/** Plays it from the beginning: whoever does not know what was taken in offers everything again. */
export async function playMemory(disk: Disk, outside: MemoryOutside): Promise<void> {
  const send = (memories: Memories) => (delivery: Delivery) => receive(memories, delivery, outside);
  for (const steps of [
    [[A1, B1!, A2, B2!], [A3], "forget"],
    [[A4, A5], "forget", [B3!]],
    [SENT, "forget"],
  ] as const) {
    const memories = openMemories(disk);
    for (const step of steps) {
      if (step === "forget") await again(() => forget(memories));
      else await again(() => Promise.all(step.map(send(memories))));
      if (step === "forget") outside.isForgotten = true;
    }
    await memories.close();
  }
}

async function again(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return void (await work());
    } catch (error) {
      if (!isLegionError(error, "STORAGE") || tries === TRIES) throw error;
    }
  }
}

async function receive(memories: Memories, delivery: Delivery, { accepted }: MemoryOutside): Promise<void> {
  const receipt = await memories.receive(ID, delivery);
  if (receipt.status === "gap") throw new Error(`${delivery.message.id} comes after a gap`);
  accepted.add(nameOf(delivery));
}

export function nameOf({ message }: Delivery): string {
  return message.id;
}

async function forget(memories: Memories): Promise<void> {
  await memories.change(ID, async (_, reader) => {
    const found: MemoryEvent[] = [];
    for await (const event of reader.events()) if (wordsOf(event).includes(CANARY)) found.push(event);
    const entries = found.filter(({ kind }) => kind === "entry").length;
    if (found.length === 0) return [];
    return [{ kind: "forgotten", seqs: found.map(({ seq }) => seq), entries, by: "0" }];
  });
}

export function wordsOf(event: MemoryEvent): string {
  if (event.kind === "entry") return event.raw;
  return event.kind === "context" ? event.content : "";
}

export function bytesWith(text: string, files: Files): readonly string[] {
  return [...files].filter(([, { bytes }]) => bytes?.includes(text)).map(([path]) => path);
}
