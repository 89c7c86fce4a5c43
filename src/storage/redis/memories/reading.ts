// What a long-term memory in Redis says: also while others write to it.

import type { MemoryEvent } from "../../../domain/memory/record.ts";
import type { MemoryStanding } from "../../../past/memory/standing.ts";
import { hashOfWords, joinWords, type WordlessEvent } from "../../../past/memory/words.ts";
import type { MemoryReader } from "../../contract/memory/memories.ts";
import type { LuaScript } from "../connection/script.ts";
import { readRedisEvents } from "../log/log.ts";
import { pickFrom } from "../../search/remembered.ts";
import { agentKeys } from "../scripts/keys.ts";
import { PAGE_LENGTH } from "../scripts/pages.ts";
import type { RedisPlace } from "../scripts/scope.ts";
import { readWordsMark } from "./writing.ts";

/**
 * What a memory adds up to.
 *
 *   KEYS  meta, contexts, seen
 *   ->    {log, seq, at, keeper, entries, strays, forgotten}, {number of each shard that counts, oldest first}, {log of a sender, the highest
 *         number taken in, ...}
 */
const STAND: LuaScript = {
  name: "memory-standing",
  keys: 3,
  lua: `
local said = redis.call('HMGET', KEYS[1], 'log', 'seq', 'at', 'keeper', 'entries', 'strays', 'forgotten')
return {said, redis.call('ZRANGE', KEYS[2], 0, -1), redis.call('HGETALL', KEYS[3])}`,
};

type StandReply = readonly [
  said: readonly (string | null)[],
  contexts: readonly string[],
  seen: readonly string[],
];

export function createRedisMemoryReader(place: RedisPlace): MemoryReader {
  return {
    standing: () => standingIn(place),
    events: (from) => readRedisMemory(place, from),
    pick: (seqs) => pickFrom({ events: (from) => readRedisMemory(place, from) }, seqs),
    // Whoever may write to this Redis may do anything here: its address stands for trust.
    isForeign: () => Promise.resolve(false),
  };
}

/** The memory as it was when it stood like this. */
export function readerAt(reader: MemoryReader, standing: MemoryStanding): MemoryReader {
  return {
    ...reader,
    standing: async () => structuredClone(standing),
    async *events(from) {
      if ((from ?? 1) > standing.last) return;
      for await (const event of reader.events(from)) {
        if (event.seq <= standing.last) yield event;
        if (event.seq >= standing.last) return;
      }
    },
  };
}

async function standingIn({ link, legion, agent }: RedisPlace): Promise<MemoryStanding> {
  const { meta, contexts, seen } = agentKeys(legion, agent);
  const [said, shards, logs] = (await link.run(STAND, [meta, contexts, seen], [])) as StandReply;
  const [log, last, at, keeper, entries, strays, forgottenAt] = said;
  const seenNumbers = new Map<string, number>();
  for (let index = 0; index < logs.length; index += 2) seenNumbers.set(logs[index]!, Number(logs[index + 1]));
  return {
    ...(log && { log }),
    ...(keeper && { keeper }),
    ...(forgottenAt && { forgottenAt: Number(forgottenAt) }),
    last: Number(last),
    at: at ?? "",
    seen: seenNumbers,
    contexts: shards.map(Number),
    entries: Number(entries),
    strays: Number(strays),
  };
}

/** Every event from number `from` on, oldest first, with its words. */
async function* readRedisMemory(place: RedisPlace, from = 1): AsyncGenerator<MemoryEvent, undefined> {
  for await (const page of readRedisEvents<WordlessEvent>(place, from)) {
    for (const part of partsOf(page)) {
      const texts = await wordsOf(place, part);
      for (const event of part)
        yield event.kind === "opened" ? event : joinWords(event, texts.get(event.seq));
    }
  }
  return undefined;
}

/** So that the words of each are not much more than one reply should hold. */
function* partsOf(page: readonly WordlessEvent[]): Generator<readonly WordlessEvent[]> {
  let part: WordlessEvent[] = [];
  let length = 0;
  for (const event of page) {
    const more = markOf(event)?.length ?? 0;
    if (part.length > 0 && length + more > PAGE_LENGTH) {
      yield part;
      [part, length] = [[], 0];
    }
    part.push(event);
    length += more;
  }
  if (part.length > 0) yield part;
}

/** By the numbers of their records; what is not there, or not what was written, is absent. */
async function wordsOf(
  { link, legion, agent }: RedisPlace,
  events: readonly WordlessEvent[],
): Promise<ReadonlyMap<number, string>> {
  const marks = events.flatMap((event) => {
    const mark = markOf(event);
    return mark ? [{ seq: event.seq, hash: mark.hash }] : [];
  });
  if (marks.length === 0) return new Map();
  const asked = marks.map(({ seq }) => seq);
  const reply = await link.command("HMGET", agentKeys(legion, agent).words, ...asked);
  const found = new Map<number, string>();
  for (const [index, text] of (reply as readonly (string | null)[]).entries()) {
    const { seq, hash } = marks[index]!;
    // Another record may bear this number where the end of the log was lost in between.
    if (text !== null && hashOfWords(text) === hash) found.set(seq, text);
  }
  return found;
}

function markOf(event: WordlessEvent): ReturnType<typeof readWordsMark> {
  return "words" in event ? readWordsMark(event.words) : undefined;
}
