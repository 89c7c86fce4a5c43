// What Redis does, at one blow, when the owner of an agent commits to its log.

import type { LogId } from "../message.ts";
import { agentKeys } from "./keys.ts";
import type { RedisPlace } from "./place.ts";
import type { Script } from "./script.ts";

/**
 * Appends events, and removes the mail that is among them from the mailbox; or does nothing, if another owner has come, the
 * log is not where its writer believes it to be, or the mail is not what the mailbox holds. So it does nothing when it comes
 * a second time. Whoever listens to the channel that is named as the log hears the number of the newest event.
 *
 *   KEYS  token, meta, log, mailbox
 *   ARGV  token, number of the newest event before them, epoch, log id; of the mail among the events the lowest and highest
 *         position (0 if there is none) and how many; of each its position, log of its sender, id as in JSON; events...
 *   ->    "committed"
 *         "fenced"       the token is another one by now
 *         "moved"        another event is the newest
 *         "strange"      other mail has such a position
 */
const COMMIT: Script = {
  name: "commit",
  keys: 4,
  lua: `
local token, meta, log, mailbox = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local shown, before, epoch, id = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local oldest, taken, mails = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local first = 8 + 3 * mails
if redis.call('GET', token) ~= shown then return 'fenced' end
local seq = tonumber(redis.call('HGET', meta, 'seq') or 0)
if seq ~= tonumber(before) then return 'moved' end

-- A past that was copied from another agent tells of positions that this mailbox has not reached.
local last = math.min(taken, tonumber(redis.call('HGET', meta, 'mail') or 0))
local held = {}
if oldest <= last and mails > 0 then
  for _, entry in ipairs(redis.call('XRANGE', mailbox, '0-' .. oldest, '0-' .. last)) do
    held[entry[1]] = entry[2]
  end
end
for i = 8, first - 1, 3 do
  local entry = held['0-' .. ARGV[i]]
  local isIt = entry and entry[2] == ARGV[i + 1] and string.find(entry[4], '"id":' .. ARGV[i + 2], 1, true)
  if tonumber(ARGV[i]) <= last and not isIt then return 'strange' end
end

for i = first, #ARGV do
  seq = seq + 1
  redis.call('XADD', log, '0-' .. seq, 'e', ARGV[i], 'p', epoch)
end
redis.call('HSET', meta, 'seq', seq, 'log', id)
redis.call('PUBLISH', log, seq)

if mails > 0 then
  redis.call('HSET', meta, 'taken', last)
  redis.call('XTRIM', mailbox, 'MINID', '0-' .. last + 1)
end
return 'committed'`,
};

/** Events for a log, and what its writer believes about it. */
export interface Commit {
  readonly token: string;
  readonly epoch: number;
  readonly log: LogId;
  /** The number of the newest event before them. */
  readonly before: number;
  /** The number of the last of them. */
  readonly last: number;
  /** As JSON, without sequence number and epoch. */
  readonly events: readonly string[];
  /** The mail among them. */
  readonly mail: readonly Taken[];
}

export interface Taken {
  readonly position: number;
  readonly from: LogId;
  /** Of the message. */
  readonly id: string;
}

/** `fenced`: the token is another one by now. `moved`: another event is the newest. `strange`: the mailbox holds other mail. */
export async function commitEvents(
  { link, legion, agent }: RedisPlace,
  commit: Commit,
): Promise<"committed" | "fenced" | "moved" | "strange"> {
  const { token, meta, log, mailbox } = agentKeys(legion, agent);
  const positions = commit.mail.map(({ position }) => position);
  const range = positions.length > 0 ? [Math.min(...positions), Math.max(...positions)] : [0, 0];
  const mail = commit.mail.flatMap(({ position, from, id }) => [position, from, JSON.stringify(id)]);
  const head = [commit.token, commit.before, commit.epoch, commit.log, ...range, positions.length];
  const reply = await link.run(COMMIT, [token, meta, log, mailbox], [...head, ...mail, ...commit.events]);
  return reply as "committed" | "fenced" | "moved" | "strange";
}
