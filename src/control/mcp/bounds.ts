// How much a program is told at once.

import { elide } from "../../base/text/wording.ts";

/** Of one answer, in characters of its texts; at least one item is in it, whatever its length. */
const MAX_PAGE = 40_000;
/** Of one text. */
const MAX_TEXT = 20_000;
/** Of one text among many of an event. */
const MAX_PART = 2_000;

export function boundedText(text: string): string {
  return elide(text, MAX_TEXT);
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Is there more behind them? */
  readonly more: boolean;
}

/** The first of `items` that fit: at most `limit`, and not too long all together. */
export async function pageOf<T>(items: AsyncIterable<T> | Iterable<T>, limit: number): Promise<Page<T>> {
  const page: T[] = [];
  let length = 0;
  for await (const item of items) {
    length += JSON.stringify(item).length;
    if (page.length === limit || (page.length > 0 && length > MAX_PAGE)) return { items: page, more: true };
    page.push(item);
  }
  return { items: page, more: false };
}

/** The last `limit` of them. */
export async function* newestOf<T>(items: AsyncIterable<T>, limit: number): AsyncGenerator<T> {
  const newest: T[] = [];
  for await (const item of items) {
    newest.push(item);
    if (newest.length > limit) newest.shift();
  }
  yield* newest;
}

/** The same with its long texts cut; one that is too long all the same is cut as JSON, under `cut`. */
export function boundedRecord(record: object): Readonly<Record<string, unknown>> {
  const json = JSON.stringify(record, (_, value: unknown) =>
    typeof value === "string" ? elide(value, MAX_PART) : value,
  );
  if (json.length <= MAX_TEXT) return JSON.parse(json) as Record<string, unknown>;
  return { cut: elide(json, MAX_TEXT) };
}
