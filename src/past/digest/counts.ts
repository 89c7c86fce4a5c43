// Numbers under names of several parts, which only grow: what is counted in one log is added up over all of them.

import { z } from "zod";

/** By name, as `nameOf` writes it. */
export type GrowingCounts = ReadonlyMap<string, number>;

export const countsSchema = z.array(z.tuple([z.string(), z.number()]));

export function nameOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

export function partsOf(name: string): readonly string[] {
  return JSON.parse(name) as readonly string[];
}

/** @param more 0 says that there is such a number */
export function count(counts: Map<string, number>, name: string, more = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + more);
}

/** The part behind a name that has the sum of what was observed under it. */
export const SUM = "sum";

/** Bounds that OpenTelemetry's conventions give for how long a model call takes, in milliseconds, and for how many tokens it has. */
export const DURATION_BOUNDS: readonly number[] = Array.from({ length: 14 }, (_, n) => 10 * 2 ** n);
export const TOKEN_BOUNDS: readonly number[] = Array.from({ length: 14 }, (_, n) => 4 ** n);

interface NamedSum {
  readonly name: string;
  sum: number;
}

interface NameTree {
  readonly next: Map<string, NameTree>;
  own?: NamedSum;
}

/** Counts in the making. Some grow with each event of a log, so a name is put together only when there is a new one. */
export function createCounts(kept: readonly (readonly [name: string, sum: number])[] = []) {
  let sums: NamedSum[] = [];
  let root: NameTree = { next: new Map() };
  const sumOf = (parts: readonly string[]): NamedSum => {
    let at = root;
    for (const part of parts) {
      const next: NameTree = at.next.get(part) ?? { next: new Map() };
      if (!at.next.has(part)) at.next.set(part, next);
      at = next;
    }
    if (!at.own) sums.push((at.own = { name: nameOf(...parts), sum: 0 }));
    return at.own;
  };
  /** @param more 0 says that there is such a number */
  const add = (parts: readonly string[], more = 1): void => void (sumOf(parts).sum += more);
  for (const [name, sum] of kept) add(partsOf(name), sum);
  return {
    add,
    /** Counts `value` under the bound that it is at most, behind the name; the one after the last bound has no bound. */
    observe(parts: readonly string[], bounds: readonly number[], value: number): void {
      const found = bounds.findIndex((bound) => value <= bound);
      add([...parts, String(found === -1 ? bounds.length : found)]);
      add([...parts, SUM], value);
    },
    clear(): void {
      sums = [];
      root = { next: new Map() };
    },
    /** As they stand now. */
    counts: (): GrowingCounts => new Map(sums.map(({ name, sum }) => [name, sum])),
  };
}
