// Streams whose ids are `0-<number>`: logs, numbered by event, and mailboxes, numbered by position.

import type { Link } from "../connection/link.ts";

/** What one reply should hold, about, as far as the page before tells how long entries are. */
export const PAGE_LENGTH = 1_048_576;
/** So many are in the first reply. */
export const FIRST_PAGE = 16;
const LARGEST_PAGE = 200;

export interface Entry {
  readonly number: number;
  readonly fields: ReadonlyMap<string, string>;
}

/** The id that an entry with this number has. */
export function entryId(number: number): string {
  return `0-${number}`;
}

/** The entries of the stream `key` from `number` on, oldest first, until there are no more; no page is empty. */
export async function* readPages(link: Link, key: string, number: number): AsyncGenerator<readonly Entry[]> {
  let count = FIRST_PAGE;
  for (let from = number; ;) {
    const reply = (await link.command("XRANGE", key, entryId(from), "+", "COUNT", count)) as Reply;
    if (reply.length > 0) yield reply.map(toEntry);
    if (reply.length < count) return;
    from = numberIn(reply.at(-1)![0]) + 1;
    const fitting = Math.floor((PAGE_LENGTH * count) / lengthOf(reply));
    count = Math.max(1, Math.min(fitting, 4 * count, LARGEST_PAGE));
  }
}

/** The entry of the stream `key` with this number; none if it is gone. */
export async function readEntry(link: Link, key: string, number: number): Promise<readonly Entry[]> {
  const id = entryId(number);
  return ((await link.command("XRANGE", key, id, id)) as Reply).map(toEntry);
}

type Reply = readonly (readonly [id: string, fields: readonly string[]])[];

function toEntry([id, list]: Reply[number]): Entry {
  const fields = new Map<string, string>();
  for (let index = 0; index < list.length; index += 2) fields.set(list[index]!, list[index + 1]!);
  return { number: numberIn(id), fields };
}

function numberIn(id: string): number {
  return Number(id.slice(id.indexOf("-") + 1));
}

function lengthOf(reply: Reply): number {
  return reply.reduce((sum, [, fields]) => fields.reduce((length, text) => length + text.length, sum), 0);
}
