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

/** GrowingCounts `value` under the bound that it is at most, behind the name; the one after the last bound has no bound. */
export function observe(
  counts: Map<string, number>,
  parts: readonly string[],
  bounds: readonly number[],
  value: number,
): void {
  const found = bounds.findIndex((bound) => value <= bound);
  count(counts, nameOf(...parts, String(found === -1 ? bounds.length : found)));
  count(counts, nameOf(...parts, SUM), value);
}
