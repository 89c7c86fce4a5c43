// The log of a peer without an actor: agent 0, or a long-term memory. Nobody owns it: whatever process has something for it adds
// to it at any time, which costs one trip however long the log is. So it is not written as other logs are: scripts count its
// events.

import { randomUUID } from "node:crypto";
import { LOG_FORMAT, type OpenedEvent } from "../../../domain/event/event.ts";
import type { LuaScript } from "../connection/script.ts";
import { agentKeys } from "./keys.ts";
import type { RedisPlace } from "./scope.ts";

/**
 * What these scripts have in common.
 *
 *   KEYS  meta, log, epoch, numbers, ...
 *   ARGV  log id, `opened` event, ...
 *
 * `append` adds an event. In front of the first one it begins a log with this id; and another log in front of the first one
 * after the server was restarted or another one has taken over: the newest numbers of the one before may be lost, unless
 * `durability` says that this Redis loses nothing. Whoever listens to the channel that is named as the log hears the number of
 * each event.
 */
export const PEER_LOG = `
local meta, log, epochs, numbers = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local seq, id, run, durability = unpack(redis.call('HMGET', meta, 'seq', 'log', 'run', 'durability'))
seq = tonumber(seq or 0)
local now, epoch
local function goesOn()
  now = now or string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
  return id and (run == now or durability == 'always')
end
local function open()
  if goesOn() then
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

export interface PeerCall {
  /** Behind those that all of them have. */
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
  /** When a log begins that begins with it, ISO 8601. */
  readonly at: string;
}

export async function runOnPeerLog(
  { link, legion, agent }: RedisPlace,
  script: LuaScript,
  { keys, args, at }: PeerCall,
): Promise<unknown> {
  const { meta, log, epoch, numbers } = agentKeys(legion, agent);
  const id = randomUUID();
  const opened: OpenedEvent = { kind: "opened", format: LOG_FORMAT, log: id, seals: {} };
  const head = [id, JSON.stringify({ at, ...opened })];
  return link.run(script, [meta, log, epoch, numbers, ...keys], [...head, ...args]);
}
