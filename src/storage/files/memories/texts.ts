// The words of a memory's records, one after the other in files beside its log: so that what is forgotten can be overwritten where
// it stands, and no log has to be written anew. A record names the place of its words, and their hash.

import { join } from "node:path";
import type { AppendFile, Disk } from "../../../base/files/disk.ts";
import { hashOfWords } from "../../../past/memory/words.ts";

const PART_BYTES = 8 * 1_048_576;
const PLACE = /^(\d{1,15}-\d{1,6}):(\d{1,15}):(\d{1,15}):([0-9a-f]{32})$/;
const ERASED = 0x20;

interface WordPlace {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
  readonly hash: string;
}

function parsePlace(text: string): WordPlace | undefined {
  const [, file, offset, bytes, hash] = PLACE.exec(text) ?? [];
  if (file === undefined) return undefined;
  return { file, offset: Number(offset), bytes: Number(bytes), hash: hash! };
}

/** The end of the texts, where nobody has written since. */
export interface TextsEnd {
  readonly file: string;
  readonly bytes: number;
}

export interface Texts {
  /** Writes words, which count once `settle` has resolved, and returns their place. */
  add(words: string): string;
  settle(): Promise<void>;
  /** Overwrites what is at a place, for good. */
  erase(place: string): Promise<void>;
  readonly end: TextsEnd | undefined;
  close(): void;
}

export interface TextsOptions {
  readonly folder: string;
  readonly disk: Disk;
  /** Names the files of this writer: no other one has the same. */
  readonly epoch: number;
  /** `process`: what was added need not be flushed. */
  readonly durability: "disk" | "process";
}

export function openTexts({ folder, disk, epoch, durability }: TextsOptions, start?: TextsEnd): Texts {
  let end = start;
  let file: AppendFile | undefined = start && disk.extend(join(folder, start.file));
  let part = -1;
  const begin = (): TextsEnd => {
    file?.close();
    const name = `${epoch}-${++part}`;
    file = disk.create(join(folder, name));
    return (end = { file: name, bytes: 0 });
  };
  /** Full parts that are not flushed. */
  let unsettled: AppendFile[] = [];
  return {
    add(words) {
      const at = end && end.bytes < PART_BYTES ? end : begin();
      const bytes = Buffer.from(words);
      file!.write(bytes);
      if (!unsettled.includes(file!)) unsettled.push(file!);
      end = { file: at.file, bytes: at.bytes + bytes.length };
      return `${at.file}:${at.bytes}:${bytes.length}:${hashOfWords(bytes)}`;
    },
    async settle() {
      const files = unsettled;
      unsettled = [];
      if (durability === "disk") for (const each of files) await each.sync();
    },
    async erase(text) {
      const place = parsePlace(text);
      if (!place) return;
      const path = join(folder, place.file);
      const bytes = Math.min(place.bytes, ((await disk.size(path)) ?? 0) - place.offset);
      if (bytes > 0) await disk.overwrite(path, place.offset, Buffer.alloc(bytes, ERASED));
    },
    get end() {
      return end;
    },
    close: () => file?.close(),
  };
}

/** Reads words by their places, best in the order of the log; `undefined` for what is not there, or not what was written. */
export function createTextReader(folder: string, disk: Pick<Disk, "read">) {
  let held: { readonly file: string; readonly bytes: Buffer } | undefined;
  return async (text: string): Promise<string | undefined> => {
    const place = parsePlace(text);
    if (!place) return undefined;
    const end = place.offset + place.bytes;
    // It may have grown since.
    if (held?.file !== place.file || held.bytes.length < end)
      held = { file: place.file, bytes: (await disk.read(join(folder, place.file))) ?? Buffer.alloc(0) };
    const bytes = held.bytes.subarray(place.offset, end);
    return hashOfWords(bytes) === place.hash ? bytes.toString("utf8") : undefined;
  };
}
