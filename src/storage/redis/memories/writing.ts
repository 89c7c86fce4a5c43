// What is added to a long-term memory, each time at one blow. Scripts keep beside the log what it adds up to: nobody reads it
// from its beginning to go on, and what many nodes send at once is decided in one place.

import { CONTROL, parseMessageId, type Delivery } from "../../../domain/message/message.ts";
import type { NewMemoryEvent } from "../../../domain/memory/record.ts";
import { MAX_CONTEXTS } from "../../../past/memory/standing.ts";
import { bitOf, markIn } from "../../../past/memory/heard.ts";
import { outdated, repeated, takenIn } from "../../../past/memory/take-in.ts";
import { hashOfWords, splitWords } from "../../../past/memory/words.ts";
import type { LuaScript } from "../connection/script.ts";
import { agentKeys } from "../scripts/keys.ts";
import { PEER_LOG, runOnPeerLog } from "../scripts/peer-log.ts";
import type { RedisPlace } from "../scripts/scope.ts";
import { readReply, STANDING, type DeliveryGap } from "../scripts/watermarks.ts";

/**
 * What these scripts have in common.
 *
 *   KEYS  as for PEER_LOG; seen, words, contexts, heard
 *   ARGV  as for PEER_LOG; durability, ...
 *
 * `add` appends an event and puts its words beside it. The same fold as `accountMemory`, but for what is forgotten. `row`, `bit`:
 * the message that an entry is of, or ''.
 */
const MEMORY = `${PEER_LOG}
local seen, words, contexts, heard = KEYS[5], KEYS[6], KEYS[7], KEYS[8]
durability = ARGV[3]
local keeper = redis.call('HGET', meta, 'keeper')
local function bitsIn(row)
  return tonumber(redis.call('HGET', heard, row) or 0)
end
local function add(kind, by, from, mail, at, record, text, row, bits)
  append(record)
  if row ~= '' then redis.call('HSET', heard, row, bit.bor(bitsIn(row), tonumber(bits))) end
  redis.call('HSET', meta, 'at', at)
  if text ~= '' then redis.call('HSET', words, seq, text) end
  if tonumber(mail) > 0 then redis.call('HSET', seen, from, mail) end
  if kind == 'entry' then
    redis.call('HINCRBY', meta, 'entries', 1)
  elseif kind == 'kept' then
    keeper = by
    redis.call('HSET', meta, 'keeper', by)
  elseif kind == 'forgotten' then
    redis.call('HSET', meta, 'forgotten', seq)
  elseif kind == 'context' and by ~= '${CONTROL}' and by ~= keeper then
    redis.call('HINCRBY', meta, 'strays', 1)
  elseif kind == 'context' then
    redis.call('ZADD', contexts, seq, seq)
    redis.call('ZREMRANGEBYRANK', contexts, 0, -${MAX_CONTEXTS + 1})
  end
end`;

/**
 * Takes in what was sent, each if it is the next one of its sender's log. A log that is new here begins with any number, but for
 * Control's, which several processes deliver from, and where what was known of it may be lost: then its sender has to say what
 * came before.
 *
 *   KEYS  as for MEMORY
 *   ARGV  as for MEMORY; where a log that is new begins if nothing is there: after this number, or anywhere if it is "";
 *         of each: number before it; event as for `add`; the event before it that makes its sender the keeper where there is
 *         none, or ""; of a context the newest event when that was read which it is made of, or ""; what it comes to where there
 *         is an entry of the same message, or something was forgotten since
 *   ->    of each as JSON what became of it, as `readReply` takes it
 */
const RECEIVE: LuaScript = {
  name: "memory-receive",
  keys: 8,
  lua: `${MEMORY}${STANDING}
local function beginning()
  if not id then return ARGV[4] end
  local isFirst = goesOn() and tonumber(redis.call('GET', epochs) or 1) == 1
  return isFirst and '' or '0'
end
local start = beginning()
local function receive(before, kind, by, from, mail, at, record, text, row, bits, claim, asOf, again)
  local standing, newest = standingOf(newestIn(seen, from, by == '${CONTROL}' and '0' or start), mail, before)
  if standing ~= 'next' then return {status = standing, newest = newest} end
  if claim ~= '' and not keeper then add('kept', by, from, 0, at, claim, '', '') end
  local isThere = row ~= '' and bit.band(bitsIn(row), tonumber(bits)) ~= 0
  local forgotten = asOf ~= '' and tonumber(redis.call('HGET', meta, 'forgotten') or 0)
  if isThere or (forgotten and tonumber(asOf) < forgotten) then
    add('void', by, from, mail, at, again, '', '')
  else
    add(kind, by, from, mail, at, record, text, row, bits)
  end
  return {status = 'accepted'}
end

local replies = {}
for i = 5, #ARGV, 13 do
  replies[#replies + 1] = cjson.encode(receive(unpack(ARGV, i, i + 12)))
end
return replies`,
};

/**
 * Adds events where nothing else was added meanwhile, also when memory is full: who forgets makes room.
 *
 *   KEYS  as for MEMORY
 *   ARGV  as for MEMORY; number of the newest event; numbers of the events whose words go, with commas between, how many of
 *         them were entries; events as for `add`
 *   ->    "added", or "moved" if another event is the newest: then nothing was done
 */
const CHANGE: LuaScript = {
  name: "memory-change",
  keys: 8,
  lua: `#!lua flags=allow-oom${MEMORY}
if seq ~= tonumber(ARGV[4]) then return 'moved' end
for i = 7, #ARGV, 9 do add(unpack(ARGV, i, i + 8)) end
local others = -tonumber(ARGV[6])
for number in string.gmatch(ARGV[5], '[^,]+') do
  redis.call('HDEL', words, number)
  others = others + 1 - redis.call('ZREM', contexts, number)
end
if ARGV[6] ~= '0' then redis.call('HINCRBY', meta, 'entries', '-' .. ARGV[6]) end
local strays = tonumber(redis.call('HGET', meta, 'strays') or 0)
if others > 0 and strays > 0 then redis.call('HSET', meta, 'strays', math.max(0, strays - others)) end
return 'added'`,
};

type Arguments = readonly (string | number)[];

/** A delivery as the script takes it. */
export interface IncomingRecord {
  readonly args: Arguments;
}

/** Throws REFUSED if its message has no number. */
export function incomingRecord(delivery: Delivery, at: string): IncomingRecord {
  const { n } = parseMessageId(delivery.message.id);
  const events = takenIn(delivery, { keeper: undefined });
  const event = events.at(-1)!;
  const claim = events.length > 1 ? JSON.stringify({ at, ...events[0]! }) : "";
  const { asOf = "" } = event.kind === "context" ? event : {};
  const again = JSON.stringify({ at, ...insteadOf(event) });
  return { args: [delivery.after ?? n - 1, ...argumentsOf(event, at), claim, asOf, again] };
}

function insteadOf(event: NewMemoryEvent): NewMemoryEvent | undefined {
  if (event.kind === "entry") return repeated(event);
  return event.kind === "context" ? outdated(event) : undefined;
}

/** Of an event, as `add` takes it. */
function argumentsOf(event: NewMemoryEvent, at: string): Arguments {
  const { record, words = "" } = splitWords(event);
  const text = JSON.stringify({ at, ...record(wordsMark(words)) });
  const by = "by" in event ? event.by : "";
  const sent = "mail" in event ? [event.from, event.mail] : ["", 0];
  const mark = markIn(event);
  const { row, bit } = mark === undefined ? { row: "", bit: 0 } : bitOf(mark);
  return [event.kind, by, ...sent, at, text, words, row, bit];
}

/** What a record says of words that stand beside it: how long they are, and their hash. */
function wordsMark(words: string): string {
  return `${words.length}:${hashOfWords(words)}`;
}

const MARK = /^(\d{1,10}):([0-9a-f]{32})$/;

export function readWordsMark(mark: string): { readonly length: number; readonly hash: string } | undefined {
  const [, length, hash] = MARK.exec(mark) ?? [];
  return hash === undefined ? undefined : { length: Number(length), hash };
}

/** What has to be known before anything is written to a memory. */
export interface MemoryTerms {
  /** `always`: what this Redis acknowledged is never lost. */
  readonly durability: string;
  /** Where nothing is there: may that be because it was lost? */
  readonly before: "nothing" | "perhaps lost";
}

/** What became of each, in the same order. */
export async function receiveRecords(
  place: RedisPlace,
  records: readonly IncomingRecord[],
  { durability, before, at }: MemoryTerms & { readonly at: string },
): Promise<readonly ({ readonly status: "accepted" | "duplicate" } | DeliveryGap)[]> {
  const head = [durability, before === "nothing" ? "" : 0];
  const args = [...head, ...records.flatMap((record) => record.args)];
  const replies = await runOnPeerLog(place, RECEIVE, { keys: keysOf(place), args, at });
  return (replies as readonly string[]).map(readReply<{ readonly status: "accepted" | "duplicate" }>);
}

/** Did it add them? Only where `last` is still the newest event. */
export async function addToMemory(
  place: RedisPlace,
  events: readonly NewMemoryEvent[],
  { durability, last, at }: Pick<MemoryTerms, "durability"> & { readonly last: number; readonly at: string },
): Promise<boolean> {
  const forgotten = events.flatMap((event) => (event.kind === "forgotten" ? [event] : []));
  const seqs = forgotten.flatMap((event) => event.seqs).join();
  const entries = forgotten.reduce((sum, event) => sum + event.entries, 0);
  const args = [durability, last, seqs, entries, ...events.flatMap((event) => argumentsOf(event, at))];
  return (await runOnPeerLog(place, CHANGE, { keys: keysOf(place), args, at })) === "added";
}

function keysOf({ legion, agent }: RedisPlace): readonly string[] {
  const { seen, words, contexts, heard } = agentKeys(legion, agent);
  return [seen, words, contexts, heard];
}
