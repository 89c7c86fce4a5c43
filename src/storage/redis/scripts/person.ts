// What Redis does, at one blow, with the log of agent 0. Nobody owns it: any process may add to it at any time, so Redis
// itself counts its events, numbers what is said in it, and remembers what is not delivered.

import type { LuaScript } from "../connection/script.ts";

/**
 * What these scripts have in common.
 *
 *   KEYS  meta, log, epoch, numbers, ...
 *   ARGV  log id, `opened` event, ...
 *
 * `append` adds an event. In front of the first one it begins a log with this id; and another log in front of the first one
 * after the server was restarted or another one has taken over: the newest numbers of the one before may be lost, unless a
 * node has said that this Redis loses nothing. Whoever listens to the channel that is named as the log hears the number of
 * each event.
 */
const APPEND = `
local meta, log, epochs, numbers = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local seq, id, run, epoch
local function open()
  local durability
  seq, id, run, durability = unpack(redis.call('HMGET', meta, 'seq', 'log', 'run', 'durability'))
  seq = tonumber(seq or 0)
  local now = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
  if id and (run == now or durability == 'always') then
    if run ~= now then redis.call('HSET', meta, 'run', now) end
    epoch = redis.call('GET', epochs)
    return
  end
  epoch = redis.call('INCR', epochs)
  id = ARGV[1]
  seq = seq + 1
  redis.call('XADD', log, '0-' .. seq, 'e', ARGV[2], 'p', epoch)
  redis.call('HSET', meta, 'seq', seq, 'log', id, 'run', now)
  redis.call('DEL', numbers)
end
local function append(event, ...)
  if not epoch then open() end
  seq = seq + 1
  redis.call('XADD', log, '0-' .. seq, 'e', event, 'p', epoch, ...)
  redis.call('HSET', meta, 'seq', seq)
  redis.call('PUBLISH', log, seq)
end`;

/**
 * Appends events and gives their sends the next numbers of their recipients.
 *
 *   KEYS  as above; out
 *   ARGV  as above; number of the newest event or "" for any; of each event: its JSON, its recipients with commas between
 *   ->    {"said", number of the first, epoch, log id, of each event: `<to>#<number>` of its sends with commas between}
 *         {"moved"}    the newest event is another one; nothing was done
 */
export const SAY: LuaScript = {
  name: "say",
  keys: 5,
  lua: `${APPEND}
local out, expected = KEYS[5], ARGV[3]
local newest = tonumber(redis.call('HGET', meta, 'seq') or 0)
if expected ~= '' and newest ~= tonumber(expected) then return {'moved'} end

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
 *   KEYS  as above; out
 *   ARGV  as above; JSON of the \`sent\` event without \`upTo\`; number of the event; JSON of events to append
 */
export const SETTLE: LuaScript = {
  name: "settle",
  keys: 5,
  lua: `${APPEND}
local out = KEYS[5]
local before = redis.call('ZRANGE', out, 0, 0)[1]
if redis.call('ZREM', out, ARGV[4]) == 1 then
  for i = 5, #ARGV do append(ARGV[i]) end
end
local oldest = redis.call('ZRANGE', out, 0, 0)[1]
if oldest ~= before then
  local upTo = oldest and tonumber(oldest) - 1 or redis.call('HGET', meta, 'seq')
  append(ARGV[3], 'u', upTo)
end`,
};

/**
 * Moves the oldest mail of agent 0 from its mailbox into its log.
 *
 *   KEYS  as above; mailbox
 *   ARGV  as above; JSON of a \`message\` event without \`message\`, \`mail\` and \`from\`; how many at most
 *   ->    how many are left
 */
export const TAKE_IN: LuaScript = {
  name: "take-in",
  keys: 5,
  lua: `${APPEND}
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
