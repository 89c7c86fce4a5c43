// Lines of which only the first are kept, however many there are.

import type { ReportGroup } from "./report.ts";

export interface GrowingGroup<T> {
  /** @param many how much of what is counted the line stands for; absent: 1 */
  add(item: T, many?: number): void;
  /** There are more than come to be added. */
  cut(): void;
  /** Adds all of another group, each line as `toItem` makes it. */
  join<O>(other: ReportGroup<O>, toItem: (item: O) => T): void;
  group(): ReportGroup<T>;
}

/** @param most Infinity: all of them */
export function createGroup<T>(most: number, compare: (a: T, b: T) => number): GrowingGroup<T> {
  let items: T[] = [];
  let [total, isMore] = [0, false];
  const first = (): readonly T[] => (items = items.sort(compare).slice(0, most));
  return {
    add(item, many = 1) {
      total += many;
      items.push(item);
      if (items.length >= 2 * most) first();
    },
    cut: () => void (isMore = true),
    join(other, toItem) {
      for (const item of other.items) this.add(toItem(item), 0);
      total += other.total;
      isMore ||= other.isMore;
    },
    group: () => ({ items: first(), total, isMore }),
  };
}

/** Newest first. */
export function byTime(a: { readonly at: string }, b: { readonly at: string }): number {
  return a.at < b.at ? 1 : Number(a.at > b.at) && -1;
}
