// What Redis does, at one blow, when an agent that was put together beside its place is moved there.

import { CONTROL } from "../../../domain/message.ts";
import { agentKeys, arrivingKeys, type ArrivingKeys } from "../scripts/keys.ts";
import type { RedisPlace } from "../scripts/scope.ts";
import type { LuaScript } from "../connection/script.ts";

/**
 * Moves what was written under other names to where the agent belongs, if nobody is there and all of it is what this
 * attempt wrote. What is there of an agent that nobody knows goes. Whoever opens its log next is as sure of it as if
 * this server had seen it grow.
 *
 *   KEYS  lease, token, epoch, meta, log, mailbox, seen, numbers, out; of the last six what arrives
 *   ARGV  attempt, how many events, how many messages, highest epoch, fields of meta that say somebody is there...
 *   ->    "arrived"
 *         "taken"        somebody is there
 *         "disturbed"    another attempt wrote in between; nothing was moved
 */
const ARRIVE: LuaScript = {
  name: "arrive",
  keys: 15,
  lua: `
local epoch, meta = KEYS[3], KEYS[4]
for i = 5, #ARGV do
  if redis.call('HEXISTS', meta, ARGV[i]) == 1 then return 'taken' end
end
local arriving, log, mailbox = KEYS[10], KEYS[11], KEYS[12]
local isWhole = redis.call('HGET', arriving, 'attempt') == ARGV[1]
  and redis.call('XLEN', log) == tonumber(ARGV[2])
  and redis.call('XLEN', mailbox) == tonumber(ARGV[3])
if not isWhole then return 'disturbed' end

for i = 1, 9 do redis.call('UNLINK', KEYS[i]) end
for i = 10, 15 do
  if redis.call('EXISTS', KEYS[i]) == 1 then redis.call('RENAME', KEYS[i], KEYS[i - 6]) end
end
redis.call('HDEL', meta, 'attempt')
redis.call('HSET', meta, 'run', string.match(redis.call('INFO', 'server'), 'run_id:(%x+)'))
redis.call('SET', epoch, ARGV[4])
return 'arrived'`,
};

/** What has to be there under the names of what arrives. */
export interface Arriving {
  /** A text that nobody else chose; in its meta. */
  readonly attempt: string;
  readonly events: number;
  readonly messages: number;
  /** The highest of its log. */
  readonly epoch: number;
}

/** `taken`: somebody is there. `disturbed`: another attempt wrote in between. */
export async function arrive(
  { link, legion, agent }: RedisPlace,
  { attempt, events, messages, epoch }: Arriving,
): Promise<"arrived" | "taken" | "disturbed"> {
  const own = agentKeys(legion, agent);
  const old = [own.lease, own.token, own.epoch];
  const keys = [...old, ...movedOf(own), ...movedOf(arrivingKeys(legion, agent))];
  // Control needs not be made known: it is there as soon as anybody spoke to it or for it.
  const signs = agent === CONTROL ? ["seq", "mail"] : ["known"];
  const args = [attempt, events, messages, epoch, ...signs];
  return (await link.run(ARRIVE, keys, args)) as "arrived" | "taken" | "disturbed";
}

/** In the order of the script. */
function movedOf({ meta, log, mailbox, seen, numbers, out }: ArrivingKeys): readonly string[] {
  return [meta, log, mailbox, seen, numbers, out];
}

/** Removes what arrives, as far as it has come. */
export async function removeArriving({ link, legion, agent }: RedisPlace): Promise<void> {
  await link.command("UNLINK", ...movedOf(arrivingKeys(legion, agent)));
}
