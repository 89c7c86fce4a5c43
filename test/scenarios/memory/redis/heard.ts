// What a scribe's memory in Redis holds.

import { contextOf, entriesFrom } from "../../../../src/past/memory/recall.ts";
import type { Link } from "../../../../src/storage/redis/connection/link.ts";
import { createRedisMemories } from "../../../../src/storage/redis/memories/memories.ts";
import { MEMORY } from "../scribe/listening.ts";

export interface HeardPlace {
  readonly link: Link;
  readonly name: string;
}

const readerOf = ({ link, name }: HeardPlace) => createRedisMemories({ link, legion: name }).read(MEMORY);

export const entriesIn = (place: HeardPlace) => entriesFrom(readerOf(place), 1);

export const contextIn = async (place: HeardPlace) => (await contextOf(readerOf(place)))?.content;

/** Of each entry the thread and what was said, oldest first. */
export async function heardIn(place: HeardPlace): Promise<readonly string[]> {
  return (await entriesIn(place)).map(({ thread, raw }) => `${thread} ${raw}`);
}

/** Of each entry which message it is: two of one message are one too many. */
export async function messagesIn(place: HeardPlace): Promise<readonly string[]> {
  return (await entriesIn(place)).map(({ of }) => `${of?.log} ${of?.message}`);
}
