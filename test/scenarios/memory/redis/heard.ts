// What a scribe's memory in Redis holds.

import { expect } from "vitest";
import type { Event } from "../../../../src/domain/event/event.ts";
import { contextOf, entriesFrom } from "../../../../src/past/memory/recall.ts";
import { threadOf } from "../../../../src/past/observed/said.ts";
import type { Link } from "../../../../src/storage/redis/connection/link.ts";
import { createRedisMemories } from "../../../../src/storage/redis/memories/memories.ts";
import type { RedisNode } from "../../../storage/redis/redis-world.ts";
import { until } from "../../../storage/redis/servers.ts";
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

/** A Redis of which a part is away answers nothing for a while. */
export const eventually = (isSo: () => Promise<boolean>): Promise<void> =>
  until(() => isSo().catch(() => false));

/** What was said in the log of agent 1 as it is by now, a line each. */
function saidIn(events: readonly Event[]): readonly string[] {
  let log = "";
  return events.flatMap((event): readonly string[] => {
    if (event.kind === "opened") ({ log } = event);
    if (event.kind === "message") return [`${event.from} ${event.message.id}`];
    return event.kind === "decision" ? (event.sends ?? []).map(({ id }) => `${log} ${id}`) : [];
  });
}

const logOf = (message: string): string => message.split(" ")[0]!;

/** Resolves when all that stands in the log of agent 1 is heard; then each of it is one entry, in the order of who said it. */
export async function expectHeard(place: HeardPlace, { events }: Pick<RedisNode, "events">): Promise<void> {
  const isHeard = async (): Promise<boolean> => {
    const heard = await messagesIn(place);
    return saidIn(await events("1")).every((message) => heard.includes(message));
  };
  await eventually(isHeard);
  const heard = await messagesIn(place);
  const said = saidIn(await events("1"));
  expect(new Set(heard).size).toBe(heard.length);
  // What was heard before its log began anew stays where it was.
  for (const log of new Set(said.map(logOf)))
    expect(heard.filter((one) => said.includes(one) && logOf(one) === log)).toEqual(
      said.filter((one) => logOf(one) === log),
    );
  const entries = await entriesIn(place);
  const words = entries.filter(({ speaker }) => speaker === "0").map(({ raw }) => raw);
  expect(words).toEqual([...new Set(words)]);
  for (const { thread, of } of entries) expect(threadOf({ id: of!.message })).toBe(thread);
}

/** What the person said, as the memory has it. */
export const wordsIn = async (place: HeardPlace): Promise<readonly string[]> =>
  (await entriesIn(place)).filter(({ speaker }) => speaker === "0").map(({ raw }) => raw);
