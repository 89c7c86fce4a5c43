import { afterEach } from "vitest";
import type { MemoryQuery } from "../../../src/domain/authoring/memories.ts";
import type { Search, SearchedMemory } from "../../../src/storage/search/search.ts";

/** Makes an index that is empty at first, and of nobody else. */
export type CreateSearch = (memory: SearchedMemory) => Promise<Search>;

/** What is opened is closed after each test. */
export function finding(create: CreateSearch) {
  const opened: Search[] = [];
  afterEach(async () => {
    for (const search of opened.splice(0)) await search.close();
  });
  const open = async (memory: SearchedMemory): Promise<Search> => {
    const search = await create(memory);
    opened.push(search);
    return search;
  };
  /** The numbers of what is found, best first. */
  const find = async (search: Search, text: string, query: Partial<MemoryQuery> = {}) =>
    (await search.search({ text, limit: 10, ...query })).map(({ seq }) => seq);
  const findIn = async (memory: SearchedMemory, text: string, query?: Partial<MemoryQuery>) =>
    find(await open(memory), text, query);
  return { open, find, findIn };
}
