// Making an agent in Redis that begins with the past of another.

import type { Clock } from "../../../base/clock.ts";
import type { Event } from "../../../domain/event.ts";
import { longStrings, outline, type Outlined } from "../../../past/log/blobs.ts";
import { createRedisBlobs } from "../log/blobs.ts";
import { readRedisLog } from "../log/log.ts";
import { createBranch, followLog, type Branch } from "../../../past/fold.ts";
import { eventsOf, type Past } from "../../contract/seed.ts";
import type { RedisPlace } from "../scripts/scope.ts";
import { enlist } from "../cluster/directory.ts";
import { prepareNewcomer } from "./newcomer.ts";

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
