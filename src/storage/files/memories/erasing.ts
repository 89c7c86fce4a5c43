// Forgetting, on the disk. Words are overwritten where they stand, and with them whatever no record names: what a writer left
// that ended before its records counted, and whose words were sent again since.

import { join } from "node:path";
import type { Disk } from "../../../base/files/disk.ts";
import { readOwn } from "./own-file.ts";
import { storedSegments, type MemoryFolder } from "./reading.ts";
import { placesIn, TEXTS_FILE } from "./texts.ts";

const BLANK = 0x20;

/** What the log says of one file of texts. */
interface TextsUse {
  /** Behind the last words that a record names. */
  end: number;
  /** What is to be erased, from and to, in the order of the log. */
  readonly doomed: (readonly [from: number, to: number])[];
}

/** Overwrites the words of the events `seqs`. Reads and writes nothing if there are none. */
export async function eraseWords(folder: MemoryFolder, seqs: Iterable<number>): Promise<void> {
  const doomed = new Set(seqs);
  if (doomed.size === 0) return;
  const { paths, disk } = folder;
  const uses = await usesOf(folder, doomed);
  for (const name of await disk.list(paths.texts))
    if (TEXTS_FILE.test(name)) await blankOut(join(paths.texts, name), disk, uses.get(name));
}

async function usesOf(
  folder: MemoryFolder,
  doomed: ReadonlySet<number>,
): Promise<ReadonlyMap<string, TextsUse>> {
  const uses = new Map<string, TextsUse>();
  const see = (text: string, isDoomed: () => boolean): void => {
    for (const { file, offset, bytes } of placesIn(text)) {
      const use = uses.get(file) ?? { end: 0, doomed: [] };
      uses.set(file, use);
      use.end = Math.max(use.end, offset + bytes);
      if (isDoomed()) use.doomed.push([offset, offset + bytes]);
    }
  };
  for await (const { records, damages } of storedSegments(folder)) {
    for (const record of records) if ("words" in record) see(record.words, () => doomed.has(record.seq));
    // What was set aside still says where its words are.
    for (const { bytes } of damages) see(bytes.toString("latin1"), () => false);
  }
  return uses;
}

async function blankOut(path: string, disk: Disk, use: TextsUse | undefined): Promise<void> {
  const end = use?.end ?? 0;
  if (!use?.doomed.length && ((await disk.size(path)) ?? 0) <= end) return;
  // Nothing of ours is in it: a link, or something else that was put there.
  if (!use && (await disk.kind(path)) !== "file") return;
  const bytes = await readOwn(path, disk);
  if (!bytes) return;
  const patches = joined([...(use?.doomed ?? []), [end, bytes.length]])
    .map(([from, to]) => ({ offset: from, bytes: bytes.subarray(from, to) }))
    .filter(({ bytes: words }) => words.some((byte) => byte !== BLANK))
    .map(({ offset, bytes: words }) => ({ offset, bytes: Buffer.alloc(words.length, BLANK) }));
  // Once for all of them: each time costs a flush, while nobody else can write.
  if (patches.length > 0) await disk.overwrite(path, patches);
}

/** The same stretches, those that touch as one. */
function joined(
  stretches: readonly (readonly [from: number, to: number])[],
): readonly (readonly [from: number, to: number])[] {
  const found: [from: number, to: number][] = [];
  for (const [from, to] of stretches.toSorted(([a], [b]) => a - b)) {
    const before = found.at(-1);
    if (before && from <= before[1]) before[1] = Math.max(before[1], to);
    else found.push([from, to]);
  }
  return found;
}
