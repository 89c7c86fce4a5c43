// The writes to one workspace that its node knows of, numbered in the order in which it heard of them. In memory: what a result has
// to tell of them stands in it.

import { randomUUID } from "node:crypto";
import { createBeside } from "./beside.ts";
import type { Write } from "./stale.ts";

/** The newest ones are kept. */
const MAX_WRITES = 10_000;
/** Names of counts are in the order of their beginnings. */
const DIGITS = 9;

export type KnownWrites = ReturnType<typeof createWrites>;

/** @param nowMs in milliseconds since 1970 */
export function createWrites(root: string, nowMs: number) {
  const count = `${Math.max(0, nowMs).toString(36).padStart(DIGITS, "0")}.${randomUUID().slice(0, 8)}`;
  const kept: Write[] = [];
  let n = 0;
  return {
    count,
    root,
    /** Before a call that writes, or may. */
    begin: createBeside(),
    /** How many there were so far. */
    get n(): number {
      return n;
    },
    /** Returns its number. */
    add(write: Omit<Write, "n">): number {
      n++;
      kept.push({ ...write, n });
      if (kept.length > MAX_WRITES) kept.shift();
      return n;
    },
    /** Those behind number `from`, oldest first; of very many only the newest are known. */
    since: (from: number): readonly Write[] => kept.slice(Math.max(0, kept.length - (n - from))),
    /** Are all of those known? */
    knows: (from: number): boolean => n - from <= kept.length,
  };
}

const MAX_PATHS = 64;
/** The workspace as a whole. */
const ALL_OF_IT = [""];

/** Each path once; of very many the workspace. */
export function fewOf(paths: readonly string[]): readonly string[] {
  const each = [...new Set(paths)];
  return each.length > MAX_PATHS ? ALL_OF_IT : each;
}

/** Those to each workspace, by its root. */
export function openWrites(nowMs: () => number): (root: string) => KnownWrites {
  const known = new Map<string, KnownWrites>();
  return (root) => {
    const writes = known.get(root) ?? createWrites(root, nowMs());
    known.set(root, writes);
    return writes;
  };
}
