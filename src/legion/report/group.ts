// Lines of which only the first are kept, however many there are.

import type { ReportGroup } from "./report.ts";

export interface GrowingGroup<T> {
  add(item: T): void;
  group(): ReportGroup<T>;
}

/** @param most Infinity: all of them */
export function createGroup<T>(most: number, compare: (a: T, b: T) => number): GrowingGroup<T> {
  let items: T[] = [];
  let total = 0;
  const cut = (): readonly T[] => (items = items.sort(compare).slice(0, most));
  return {
    add(item) {
      total++;
      items.push(item);
      if (items.length >= 2 * most) cut();
    },
    group: () => ({ items: cut(), total }),
  };
}

/** Newest first. */
export function byTime(a: { readonly at: string }, b: { readonly at: string }): number {
  return a.at < b.at ? 1 : Number(a.at > b.at) && -1;
}
