// The log of agent 0 in Redis, which whatever process a person speaks through adds to: scripts number what is said, and remember
// what is not delivered.

import { LegionError } from "../../../base/errors.ts";
import { NO_SECRETS, type Redactor } from "../../../base/redaction/redactor.ts";
import { sendsOf, type Event, type NewEvent } from "../../../domain/event/event.ts";
import { isMemoryId } from "../../../domain/memory/memory-id.ts";
import {
  CONTROL,
  isAgentId,
  parseMessageId,
  type AgentId,
  type Draft,
  type LogId,
  type Message,
} from "../../../domain/message/message.ts";
import { longStrings, outline } from "../../../past/log/blobs.ts";
import { redactEvent } from "../../../past/redact-event.ts";
import type { LegionPlace } from "../scripts/scope.ts";
import type { LuaScript } from "../connection/script.ts";
import { createRedisBlobs, numbered } from "../log/entry.ts";
import { readRedisLog } from "../log/log.ts";
import { agentKeys } from "../scripts/keys.ts";
import { PEER_LOG, runOnPeerLog } from "../scripts/peer-log.ts";

/**
 * Appends events and gives their sends the next numbers of their recipients.
 *
 *   KEYS  as for PEER_LOG; out
 *   ARGV  as for PEER_LOG; number of the newest event or "" for any; of each event: its JSON, its recipients with commas between
 *   ->    {"said", number of the first, epoch, log id, of each event: `<to>#<number>` of its sends with commas between}
 *         {"moved"}    the newest event is another one; nothing was done
 */
const SAY: LuaScript = {
  name: "say",
  keys: 5,
  lua: `${PEER_LOG}
local out, expected = KEYS[5], ARGV[3]
if expected ~= '' and seq ~= tonumber(expected) then return {'moved'} end

open()
local reply = {'said', seq + 1, tonumber(epoch), id}
for i = 4, #ARGV, 2 do
  local given = {}
  for to in string.gmatch(ARGV[i + 1], '[^,]+') do
    given[#given + 1] = to .. '#' .. redis.call('HINCRBY', numbers, to, 1)
  end
  if #given == 0 then
    append(ARGV[i])
  else
    append(ARGV[i], 'n', table.concat(given, ','), 'l', id)
    redis.call('ZADD', out, seq, seq)
  end
  reply[#reply + 1] = table.concat(given, ',')
end
return reply`,
};

/**
 * Remembers that the sends of an event are delivered, or never will be, which is then said in the log; once no older ones
 * are left, the log says so. Doing it again changes nothing: of several processes one has said it.
 *
 *   KEYS  as for PEER_LOG; out
 *   ARGV  as for PEER_LOG; JSON of the \`sent\` event without \`upTo\`; number of the event; JSON of events to append
 */
const SETTLE: LuaScript = {
  name: "settle",
  keys: 5,
  lua: `${PEER_LOG}
local out = KEYS[5]
local before = redis.call('ZRANGE', out, 0, 0)[1]
if redis.call('ZREM', out, ARGV[4]) == 1 then
  for i = 5, #ARGV do append(ARGV[i]) end
end
local oldest = redis.call('ZRANGE', out, 0, 0)[1]
if oldest ~= before then
  local upTo = oldest and tonumber(oldest) - 1 or seq
  append(ARGV[3], 'u', upTo)
end`,
};

/**
 * Moves the oldest mail of agent 0 from its mailbox into its log.
 *
 *   KEYS  as for PEER_LOG; mailbox
 *   ARGV  as for PEER_LOG; JSON of a \`message\` event without \`message\`, \`mail\` and \`from\`; how many at most
 *   ->    how many are left
 */
const TAKE_IN: LuaScript = {
  name: "take-in",
  keys: 5,
  lua: `${PEER_LOG}
local mailbox = KEYS[5]
local position
for _, entry in ipairs(redis.call('XRANGE', mailbox, '-', '+', 'COUNT', ARGV[4])) do
  position = string.match(entry[1], '%d+$')
  local mail = entry[2]
  append(ARGV[3], mail[1], mail[2], mail[3], mail[4], 'i', position)
end
if position then
  redis.call('HSET', meta, 'taken', position)
  redis.call('XTRIM', mailbox, 'MINID', '0-' .. position + 1)
end
return redis.call('XLEN', mailbox)`,
};

/** An event as it stands in the log, and what numbered its sends. */
export interface NumberedEvent {
  readonly event: Event;
  readonly log: LogId;
}

export interface PersonLog {
  /**
   * Adds `events`; of their sends ids, and roots that are their own ids, are given anew. `undefined`, and nothing is done,
   * unless `last` is the newest event; without it any may be. Throws REFUSED for a recipient that is neither agent nor memory.
   */
  add(events: readonly NewEvent[], last?: number): Promise<readonly NumberedEvent[] | undefined>;
  /**
   * Remembers that none of the sends of event `seq` is under way any more, and adds `events`, which have no sends; whoever
   * comes second adds nothing.
   */
  settle(seq: number, events?: readonly NewEvent[]): Promise<void>;
  /** Takes in everything that was said to agent 0. */
  takeIn(): Promise<void>;
  read(from?: number): AsyncIterable<Event>;
}

/** So many messages are taken in at one blow. */
const TAKEN_AT_ONCE = 100;

export function createPersonLog(
  { link, legion }: LegionPlace,
  now: () => number,
  redactor: Redactor = NO_SECRETS,
): PersonLog {
  const place = { link, legion, agent: CONTROL };
  const { out, mailbox } = agentKeys(legion, CONTROL);
  const blobs = createRedisBlobs(place);
  const timeNow = (): string => new Date(now()).toISOString();
  const run = (script: LuaScript, at: string, args: readonly (string | number)[]): Promise<unknown> =>
    runOnPeerLog(place, script, { keys: [script === TAKE_IN ? mailbox : out], at, args });
  const textOf = async (event: NewEvent, at: string): Promise<string> => {
    const sends = sendsOf(event).map(asDraft);
    const draft = sends.length > 0 ? { ...event, sends } : event;
    return JSON.stringify({ at, ...(await outline(draft, longStrings(draft), blobs)) });
  };
  return {
    async add(said, last) {
      const events = said.map((event) => redactEvent(event, redactor));
      const at = timeNow();
      const args: (string | number)[] = [last ?? ""];
      for (const event of events) args.push(await textOf(event, at), recipientsOf(event).join());
      const [status, first, epoch, log, ...given] = (await run(SAY, at, args)) as SayReply;
      if (status === "moved") return undefined;
      return events.map((event, index) => {
        const drafts = sendsOf(event).map(asDraft);
        const sends = drafts.length > 0 && { sends: numbered(drafts, given[index]!) };
        return { log, event: { seq: first + index, epoch, at, ...event, ...sends } as Event };
      });
    },
    async settle(seq, events = []) {
      const at = timeNow();
      const texts = await Promise.all(events.map((event) => textOf(event, at)));
      await run(SETTLE, at, [JSON.stringify({ at, kind: "sent" }), seq, ...texts]);
    },
    async takeIn() {
      let left: number;
      do {
        const at = timeNow();
        const args = [JSON.stringify({ at, kind: "message" }), TAKEN_AT_ONCE];
        left = (await run(TAKE_IN, at, args)) as number;
      } while (left > 0);
    },
    read: (from) => readRedisLog(place, from),
  };
}

type SayReply = readonly [
  status: "said" | "moved",
  first: number,
  epoch: number,
  log: LogId,
  ...numbers: string[],
];

function recipientsOf(event: NewEvent): readonly AgentId[] {
  const recipients = sendsOf(event).map(({ id }) => parseMessageId(id).to);
  const stray = recipients.find((id) => id !== CONTROL && !isAgentId(id) && !isMemoryId(id));
  if (stray === undefined) return recipients;
  throw new LegionError("REFUSED", `"${stray}" is not the id of an agent.`);
}

/** A message without what its number decides. */
function asDraft({ id, root, ...rest }: Message): Draft {
  return root === id ? rest : { ...rest, root };
}
