// What Redis does, at one blow, when messages are delivered.

import {
  CONTROL,
  CONTROL_PLACES,
  isControlsOwn,
  isUrgent,
  MAILBOX_LIMIT,
  parseMessageId,
  type Delivery,
} from "../../../domain/message/message.ts";
import { agentKeys } from "./keys.ts";
import type { RedisPlace } from "./scope.ts";
import { readReply, STANDING, type DeliveryGap } from "./watermarks.ts";
import type { LuaScript } from "../connection/script.ts";

/** Past so many messages in the mailbox, or so many bytes of new ones, the reader is not told them, but that they are there. */
const MOST_WAITING = 10;
const LONGEST_WORD = 4_096;

/**
 * Puts messages into a mailbox, each if it is the next one of its sender's log there, and wakes the reader. A log that is
 * new there may begin with any number, but for one that several processes deliver from: of two first messages the second
 * may come first. Nothing has to be fenced: a number is given by a commit, and each counts once.
 *
 *   KEYS  meta, mailbox, seen, ahead
 *   ARGV  limit or "" for Control, wake channel; of each message: log of its sender, number, number before it, itself as
 *         JSON, "mail", or of Control "control", or "abort" if it is urgent, "0" if a log that is new begins after that number or "" if anywhere
 *   ->    of each message its position, or as JSON why it was not accepted, as `readReply` takes it; `unknown` where nobody has
 *         made this agent known, but Control is always there
 *
 * The reader hears how far the mailbox goes: "<position of the newest message> <position of the newest abort or steer, or 0>", and " <position
 * of Control's newest>" if there is any. While
 * little waits there it hears the messages as well, oldest first, two lines for each: log of its sender, itself as JSON. On the
 * channel of its process, its wake channel and the number of these lines stand before them, and in a pack many such words are one.
 */
const DELIVER: LuaScript = {
  name: "deliver",
  keys: 4,
  lua: `${STANDING}
local meta, mailbox, seen, ahead = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local limit, wake = ARGV[1], ARGV[2]
local known, held, position, ear = unpack(redis.call('HMGET', meta, 'known', 'held', 'mail', 'ear'))
local say = ARGV.say or function(channel, text) redis.call('PUBLISH', channel, text) end
local isKnown = limit == '' or known
local waiting = redis.call('XLEN', mailbox)
-- What the log holds counts as unread.
local room = limit == '' and math.huge or limit - waiting - (held or 0)
local told, length = {}, 0
local last, abort, control
local counted = {}
position = tonumber(position or 0)

local function receive(from, number, before, message, what, start)
  if not isKnown then return cjson.encode({status = 'unknown'}) end
  local standing, newest = standingOf(counted[from] or newestIn(seen, from, start), number, before)
  if standing ~= 'next' then return cjson.encode({status = standing, newest = newest}) end
  local places = what == 'mail' and 0 or ${CONTROL_PLACES}
  if room + places <= 0 then return cjson.encode({status = 'full'}) end
  room = room - 1
  position = position + 1
  last = string.format('%.0f', position)
  -- First: what cannot be counted is not delivered either.
  if what ~= 'mail' then
    control = last
    redis.call('ZADD', ahead, last, last)
  end
  redis.call('XADD', mailbox, '0-' .. last, 'f', from, 'm', message)
  counted[from] = number
  if what == 'abort' then abort = last end
  length = length + #from + #message + 2
  if length <= ${LONGEST_WORD} then told[#told + 1] = from .. '\\n' .. message end
  return last
end

local replies = {}
for i = 3, #ARGV, 6 do
  replies[#replies + 1] = receive(unpack(ARGV, i, i + 5))
end
if last then
  for from, number in pairs(counted) do redis.call('HSET', seen, from, number) end
  if abort then redis.call('HSET', meta, 'mail', last, 'abort', abort) else redis.call('HSET', meta, 'mail', last) end
  local word = last .. ' ' .. (abort or 0) .. (control and ' ' .. control or '')
  local lines = 1
  -- A reader that is behind reads many at once; and what all agents of a node do not keep up with must not pile up on its way.
  if waiting < ${MOST_WAITING} and length <= ${LONGEST_WORD} then
    word = word .. '\\n' .. table.concat(told, '\\n')
    lines = lines + 2 * #told
  end
  if ear then say(ear, wake .. ' ' .. lines .. '\\n' .. word) else say(wake, word) end
end
return replies`,
};

/** What a receipt says; of an accepted message also its position in the mailbox. */
export type Delivered =
  | { readonly status: "accepted"; readonly position: number }
  | { readonly status: "duplicate" | "full" | "unknown" }
  | DeliveryGap;

function readDelivered(reply: string): Delivered {
  return reply.startsWith("{")
    ? readReply<Exclude<Delivered, DeliveryGap>>(reply)
    : { status: "accepted", position: Number(reply) };
}

/** Delivers messages to one agent, in this order; what became of each. */
export async function deliver(
  { link, legion, agent }: RedisPlace,
  deliveries: readonly Delivery[],
): Promise<readonly Delivered[]> {
  const { meta, mailbox, seen, ahead, wake } = agentKeys(legion, agent);
  const args: (string | number)[] = [agent === CONTROL ? "" : MAILBOX_LIMIT, wake];
  for (const { from, message, after } of deliveries) {
    const sent = parseMessageId(message.id);
    const isAhead = isControlsOwn(message) && agent !== CONTROL;
    const lane = isUrgent(message) ? "abort" : "control";
    const start = sent.from === CONTROL ? 0 : "";
    args.push(from, sent.n, after ?? sent.n - 1, JSON.stringify(message), isAhead ? lane : "mail", start);
  }
  const replies = await link.run(DELIVER, [meta, mailbox, seen, ahead], args);
  return (replies as readonly string[]).map(readDelivered);
}

/**
 * Has what is delivered from now on said on a channel of its reader's own, unless that has lost the right to read it.
 *
 *   KEYS  token, meta
 *   ARGV  token, channel
 *   ->    {position of the newest mail, of the newest abort or steer, of the newest that was taken in}
 */
const HEAR: LuaScript = {
  name: "hear",
  keys: 2,
  lua: `#!lua flags=allow-oom
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('HSET', KEYS[2], 'ear', ARGV[2]) end
return redis.call('HMGET', KEYS[2], 'mail', 'abort', 'taken')`,
};

/** Resolves with how far the mailbox goes by then. */
export async function hearMail(
  { link, legion, agent }: RedisPlace,
  { token: shown, channel }: { readonly token: string; readonly channel: string },
): Promise<readonly (string | null)[]> {
  const { token, meta } = agentKeys(legion, agent);
  return (await link.run(HEAR, [token, meta], [shown, channel])) as readonly (string | null)[];
}

/** What was said on the wake channel of an agent: how far its mailbox goes, in positions, and what is new there. */
export interface Wake {
  readonly newest: number;
  /** 0 if there is none among the new ones. */
  readonly abort: number;
  /** The same of what Control says. */
  readonly control: number;
  /** What the newest messages are, oldest first; none where they have to be read. */
  readonly told: readonly { readonly from: string; readonly message: string }[];
}

/** `undefined` for anything that no delivery says. */
export function parseWake(text: string): Wake | undefined {
  const [head = "", ...lines] = text.split("\n");
  const match = /^([1-9]\d{0,14}) (\d{1,15})(?: (\d{1,15}))?$/.exec(head);
  if (!match) return undefined;
  const told = [];
  for (let index = 0; index + 1 < lines.length; index += 2)
    told.push({ from: lines[index]!, message: lines[index + 1]! });
  const [newest, abort, control] = [match[1], match[2], match[3] ?? 0].map(Number);
  return { newest: newest!, abort: abort!, control: control!, told };
}

/** Words on the channel of a process, each with the wake channel of its mailbox; what no delivery says is left out. */
export function parseWakes(text: string): readonly (readonly [of: string, wake: Wake])[] {
  const lines = text.split("\n");
  const words: (readonly [string, Wake])[] = [];
  for (let next = 0; next < lines.length;) {
    const head = lines[next]!;
    const space = head.lastIndexOf(" ");
    const count = Number(head.slice(space + 1));
    if (!(count >= 1)) break;
    const wake = parseWake(lines.slice(next + 1, next + 1 + count).join("\n"));
    if (wake) words.push([head.slice(0, space), wake]);
    next += 1 + count;
  }
  return words;
}
