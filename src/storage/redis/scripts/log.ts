// What Redis does, at one blow, when the owner of an agent commits to its log.

import type { MessageEvent } from "../../../domain/event/event.ts";
import { CONTROL, type LogId } from "../../../domain/message/message.ts";
import { agentKeys } from "./keys.ts";
import type { RedisPlace } from "./scope.ts";
import type { LuaScript } from "../connection/script.ts";

/**
 * Appends events, and removes the mail that is among them from the mailbox; or does nothing, if another owner has come, the
 * log is not where its writer believes it to be, or that mail is not the oldest which the mailbox holds. So it does nothing
 * when it comes a second time. Whoever listens to the channel that is named as the log hears the number of the newest event.
 *
 *   KEYS  token, meta, log, mailbox, ahead
 *   ARGV  token, number of the newest event before them, epoch, log id, position of the newest mail among the events or "",
 *         how many, how much mail the log then holds; of each the log of its sender and its id as in JSON, oldest first; events...
 *   ->    "committed"
 *         "fenced"       the token is another one by now
 *         "moved"        another event is the newest
 *         "strange"      other mail waits up to this position
 */
const COMMIT: LuaScript = {
  name: "commit",
  keys: 5,
  lua: `
local token, meta, log, mailbox, ahead = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local shown, before, epoch, id, taken = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local first = 8 + 2 * ARGV[6]
if redis.call('GET', token) ~= shown then return 'fenced' end
if (redis.call('HGET', meta, 'seq') or '0') ~= before then return 'moved' end

if taken ~= '' then
  local waiting = redis.call('XRANGE', mailbox, '-', '0-' .. taken)
  if #waiting ~= tonumber(ARGV[6]) then return 'strange' end
  local isControls
  for i, entry in ipairs(waiting) do
    local id, from, message = ARGV[7 + 2 * i], entry[2][2], entry[2][4]
    local isIt = from == ARGV[6 + 2 * i] and string.find(message, '"id":' .. id, 1, true)
    if not isIt then return 'strange' end
    isControls = isControls or string.sub(id, 2, ${CONTROL.length + 2}) == '${CONTROL}>'
  end
  redis.call('XTRIM', mailbox, 'MINID', '0-' .. taken + 1)
  if isControls then redis.call('ZREMRANGEBYSCORE', ahead, '-inf', taken) end
end

local seq = tonumber(before)
for i = first, #ARGV do
  seq = seq + 1
  redis.call('XADD', log, '0-' .. seq, 'e', ARGV[i], 'p', epoch)
end
seq = string.format('%.0f', seq)
if taken ~= '' then redis.call('HSET', meta, 'seq', seq, 'log', id, 'held', ARGV[7], 'taken', taken)
else redis.call('HSET', meta, 'seq', seq, 'log', id, 'held', ARGV[7]) end
redis.call('PUBLISH', log, seq)
return 'committed'`,
};

/** Events for a log, and what its writer believes about it. */
export interface Commit {
  readonly token: string;
  readonly epoch: number;
  readonly log: LogId;
  /** The number of the newest event before them. */
  readonly before: number;
  /** As JSON, without sequence number and epoch. */
  readonly events: readonly string[];
  /** How much mail the log holds with them. */
  readonly held: number;
  /** The mail among them, oldest first. */
  readonly mail: readonly Omit<MessageEvent, "kind">[];
}

/** As the script. */
export function createCommitting({
  link,
  legion,
  agent,
}: RedisPlace): (commit: Commit) => Promise<Committed> {
  const { token, meta, log, mailbox, ahead } = agentKeys(legion, agent);
  const keys = [token, meta, log, mailbox, ahead];
  return async ({ mail, held, events, ...commit }) => {
    const newest = mail.at(-1)?.mail ?? "";
    const args = [commit.token, commit.before, commit.epoch, commit.log, newest, mail.length, held];
    for (const { from, message } of mail) args.push(from, JSON.stringify(message.id));
    args.push(...events);
    return (await link.run(COMMIT, keys, args)) as Committed;
  };
}

type Committed = "committed" | "fenced" | "moved" | "strange";
