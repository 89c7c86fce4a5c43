// Making an agent in Redis that begins with the past of another.

import type { Clock } from "../clock.ts";
import type { Event } from "../event.ts";
import { longStrings, outline, type Outlined } from "../log/blobs.ts";
import { createRedisBlobs } from "../log/redis-blobs.ts";
import { readRedisLog } from "../log/redis-log.ts";
import { createBranch, followLog, type Branch } from "../past.ts";
import { eventsOf, type Past } from "../past-log.ts";
import type { RedisPlace } from "../redis/place.ts";
import { enlist } from "../redis/registry.ts";
import { prepareNewcomer } from "./redis-newcomer.ts";

/** Nobody knows of the agent before all of it is there; what an attempt left that was broken off is removed first. */
export async function foundInRedis(
  place: RedisPlace,
  past: Past,
  { record, clock }: { readonly record: string; readonly clock: Clock },
): Promise<Branch> {
  const kept = createRedisBlobs(place);
  const events = async function* (): AsyncGenerator<Event & Outlined> {
    for await (const event of eventsOf(past, { epoch: 1, now: clock.now, kept }))
      yield outline(event, longStrings(event), kept);
  };
  const newcomer = await prepareNewcomer(place, { events: events() });
  await newcomer.arrive();
  const follower = followLog(createBranch);
  for await (const event of readRedisLog(place)) follower.see(event);
  const branch = await follower.settle(() => readRedisLog(place));
  await enlist(place, record);
  return branch;
}
