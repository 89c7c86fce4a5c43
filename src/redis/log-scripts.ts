// What Redis does, at one blow, when the owner of an agent commits to its log.

import type { LogId } from "../message.ts";
import { agentKeys } from "./keys.ts";
import type { RedisPlace } from "./place.ts";
import type { Script } from "./script.ts";

/**
 * Appends events, and removes the mail that is among them from the mailbox; or does nothing, if another owner has come or
 * the log is not where its writer believes it to be. So it does nothing when it comes a second time. Whoever listens to the
 * channel that is named as the log hears the number of the newest event.
 *
 *   KEYS  token, meta, log, mailbox
 *   ARGV  token, number of the newest event before them, epoch, log id, highest position of mail among the events or "", events...
 *   ->    "committed"
 *         "fenced"       the token is another one by now
 *         "moved"        another event is the newest
 */
const COMMIT: Script = {
  name: "commit",
  keys: 4,
  lua: `
local token, meta, log, mailbox = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local shown, before, epoch, id, taken = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
if redis.call('GET', token) ~= shown then return 'fenced' end
local seq = tonumber(redis.call('HGET', meta, 'seq') or 0)
if seq ~= tonumber(before) then return 'moved' end

for i = 6, #ARGV do
  seq = seq + 1
  redis.call('XADD', log, '0-' .. seq, 'e', ARGV[i], 'p', epoch)
end
redis.call('HSET', meta, 'seq', seq, 'log', id)
redis.call('PUBLISH', log, seq)

if taken ~= '' then
  -- A past that was copied from another agent tells of positions that this mailbox has not reached.
  local last = math.min(tonumber(taken), tonumber(redis.call('HGET', meta, 'mail') or 0))
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
  /** The highest position of the mail among them; 0 if there is none. */
  readonly taken: number;
}

/** `fenced`: the token is another one by now. `moved`: another event is the newest. */
export async function commitEvents(
  { link, legion, agent }: RedisPlace,
  commit: Commit,
): Promise<"committed" | "fenced" | "moved"> {
  const { token, meta, log, mailbox } = agentKeys(legion, agent);
  const args = [commit.token, commit.before, commit.epoch, commit.log, commit.taken || "", ...commit.events];
  return (await link.run(COMMIT, [token, meta, log, mailbox], args)) as "committed" | "fenced" | "moved";
}
