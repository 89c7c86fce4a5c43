// What lies on a disk in memory, and what of it a machine leaves that stops.
//
//   Until the name of a file is flushed, a power cut may undo its newest creation, replacement or removal; until its
//   bytes are, it may take any of them away. Both are undone for one file and kept for another, in any combination.

/** One file, by its path. */
export interface StoredFile {
  /** What everybody reads; `undefined` once it was removed. */
  readonly bytes: Buffer | undefined;
  /** How many of the bytes are on the device. */
  readonly synced: number;
  /** What was there before the newest change of the name, as long as that is not flushed. */
  readonly before?: { readonly bytes: Buffer | undefined };
}

export type Files = Map<string, StoredFile>;

/** What is left of bytes that were never flushed: a first part of them, or holes of zeros among them. */
export type Tearing = "cut" | "holes";

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export type Random = () => number;

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** After `kill -9`: the machine goes on, and what it had not flushed may still be lost later. */
export function afterKill(files: Files): Files {
  return new Map(files);
}

/** After a power cut: nothing is there but what the device holds. */
export function afterPowerCut(files: Files, random: Random, tearing: Tearing = "cut"): Files {
  const left: Files = new Map();
  for (const [path, file] of files) {
    const undone = file.before !== undefined && random() < 0.5;
    const bytes = undone ? file.before.bytes : file.bytes && tear(file.bytes, file.synced, random, tearing);
    if (bytes) left.set(path, { bytes, synced: bytes.length });
  }
  return left;
}

function tear(bytes: Buffer, synced: number, random: Random, tearing: Tearing): Buffer {
  const between = (from: number): number => from + Math.floor(random() * (bytes.length - from + 1));
  const end = [synced, bytes.length, between(synced)][Math.floor(random() * 3)]!;
  const left = Buffer.from(bytes.subarray(0, end));
  return tearing === "cut"
    ? left
    : left.fill(0, Math.min(between(synced), end), Math.min(between(synced), end));
}
