// The words of a memory's records, one after the other in files beside its log: so that what is forgotten can be overwritten where
// it stands, and no log has to be written anew. A record names the place of its words, and their hash.

import { join } from "node:path";
import { LegionError } from "../../../base/errors.ts";
import type { AppendFile, Disk } from "../../../base/files/disk.ts";
import { hashOfWords } from "../../../past/memory/words.ts";
import { readOwn } from "./own-file.ts";

/** So much is read at once. */
const WINDOW_BYTES = 131_072;
const PART_BYTES = 8 * 1_048_576;
export const TEXTS_FILE = /^\d{1,15}-\d{1,6}$/;
const PLACE = /\b(\d{1,15}-\d{1,6}):(\d{1,15}):(\d{1,15}):([0-9a-f]{32})\b/g;

export interface WordPlace {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
  readonly hash: string;
}

/** The places that `text` names: a record's is one. */
export function placesIn(text: string): readonly WordPlace[] {
  return [...text.matchAll(PLACE)].map(([, file, offset, bytes, hash]) => ({
    ...{ file: file!, hash: hash!, offset: Number(offset), bytes: Number(bytes) },
  }));
}

/** The end of the texts, where nobody has written since. */
export interface TextsEnd {
  readonly file: string;
  readonly bytes: number;
}

export interface Texts {
  /** Writes words, which count once `settle` has resolved, and returns their place. */
  add(words: string): string;
  /** Rejects with STORAGE if they are not as durable as promised, or not where `add` says. */
  settle(): Promise<void>;
  readonly end: TextsEnd | undefined;
  close(): void;
}

export interface TextsOptions {
  readonly folder: string;
  readonly disk: Disk;
  /** Names the files of this writer. */
  readonly epoch: number;
  /** `process`: what was added need not be flushed. */
  readonly durability: "disk" | "process";
}

export async function openTexts(options: TextsOptions, start?: TextsEnd): Promise<Texts> {
  const { folder, disk, epoch } = options;
  let part = await newestPart(options);
  let end = start;
  let file: AppendFile | undefined = start && disk.extend(join(folder, start.file));
  const begin = (): TextsEnd => {
    file?.close();
    const name = `${epoch}-${++part}`;
    file = disk.create(join(folder, name));
    return (end = { file: name, bytes: 0 });
  };
  /** The ends of files that are not settled. */
  const unsettled = new Map<AppendFile, TextsEnd>();
  return {
    add(words) {
      const at = end && end.bytes < PART_BYTES ? end : begin();
      const bytes = Buffer.from(words);
      file!.write(bytes);
      end = { file: at.file, bytes: at.bytes + bytes.length };
      unsettled.set(file!, end);
      return `${at.file}:${at.bytes}:${bytes.length}:${hashOfWords(bytes)}`;
    },
    async settle() {
      const ends = [...unsettled];
      unsettled.clear();
      for (const each of ends) await settleTexts(options, ...each);
    },
    get end() {
      return end;
    },
    close: () => file?.close(),
  };
}

async function settleTexts(
  { durability, disk }: TextsOptions,
  file: AppendFile,
  end: TextsEnd,
): Promise<void> {
  if (durability === "disk") await file.sync();
  // Whoever was taken over and does not know yet has put words before ours.
  if ((await disk.size(file.path)) !== end.bytes)
    throw new LegionError("STORAGE", `${file.path}: another process writes to it.`);
}

/** Also an earlier writer may have had this epoch: after a failure, or if the folder of locks was deleted. */
async function newestPart({ folder, disk, epoch }: TextsOptions): Promise<number> {
  const names = (await disk.list(folder)).filter((name) => name.startsWith(`${epoch}-`));
  return names.reduce((newest, name) => Math.max(newest, Number(name.split("-")[1]) || 0), -1);
}

/** Reads words by their places, best in the order of the log; `undefined` for what is not there, or not what was written. */
export function createTextReader(folder: string, disk: Pick<Disk, "read" | "kind">) {
  let held: { readonly file: string; readonly offset: number; readonly bytes: Buffer } | undefined;
  return async (text: string): Promise<string | undefined> => {
    const [place] = placesIn(text);
    if (!place) return undefined;
    const { file, offset } = place;
    const isHeld = ({ offset: from, bytes }: NonNullable<typeof held>): boolean =>
      from <= offset && offset + place.bytes <= from + bytes.length;
    if (held?.file !== file || !isHeld(held)) {
      const part = { offset, maxBytes: Math.max(WINDOW_BYTES, place.bytes) };
      held = { file, offset, bytes: (await readOwn(join(folder, file), disk, part)) ?? Buffer.alloc(0) };
    }
    const bytes = held.bytes.subarray(offset - held.offset, offset - held.offset + place.bytes);
    return hashOfWords(bytes) === place.hash ? bytes.toString("utf8") : undefined;
  };
}
