// What an agent sent before its Redis may have lost something is offered to its recipients once more. That this is still to
// be done stands beside the agent's log: whoever takes the agent next does it, whatever the one before had time for.

import { messageOf } from "../../../base/errors.ts";
import type { Outbox } from "../../../mail/outbox.ts";
import { agentKeys } from "../scripts/keys.ts";
import type { LuaScript } from "../connection/script.ts";
import type { RedisPlace } from "../scripts/scope.ts";
import { createWatermarks } from "../scripts/watermarks.ts";
import type { Tenure } from "../../../domain/lease.ts";

/**
 * Notes that what the agent sent was offered again.
 *
 *   KEYS  token, meta
 *   ARGV  token
 *   ->    1, or 0 if the token is another one by now
 */
const OFFERED: LuaScript = {
  name: "offered",
  keys: 2,
  lua: `#!lua flags=allow-oom
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[2], 'unoffered')
return 1`,
};

export interface HostedSender {
  readonly tenure: Tenure;
  readonly outbox: Outbox;
  /** Has nobody closed the outbox? */
  readonly isOpen: () => boolean;
}

/** Whoever has a message knows it by its number. Never rejects: where it fails, the right to run the agent ends. */
export async function offerWhatMayBeLost(
  place: RedisPlace,
  { tenure, outbox, isOpen }: HostedSender,
): Promise<void> {
  const { token, meta } = agentKeys(place.legion, place.agent);
  try {
    if ((await place.link.command("HEXISTS", meta, "unoffered")) !== 1) return;
    const newest = createWatermarks(place);
    await outbox.offerAgain(async ({ to, from, n }) => n > (await newest(to, from)));
    if (isOpen()) await place.link.run(OFFERED, [token, meta], [tenure.token]);
  } catch (error) {
    if (isOpen()) tenure.end(`what it had sent could not be offered again (${messageOf(error)})`);
  }
}
