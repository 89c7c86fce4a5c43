// Making an agent in Redis that begins with the past of another.

import type { Clock } from "../clock.ts";
import { longStrings, outline } from "../log/blobs.ts";
import { createRedisBlobs } from "../log/redis-blobs.ts";
import { readRedisLog } from "../log/redis-log.ts";
import { createBranch, followLog, type Branch } from "../past.ts";
import { eventsOf, type Past } from "../past-log.ts";
import { agentKeys } from "../redis/keys.ts";
import { entryId } from "../redis/pages.ts";
import type { RedisPlace } from "../redis/place.ts";
import { enlist } from "../redis/registry.ts";

/** So many events are written before any of them is waited for. */
const AT_ONCE = 200;

/** Nobody knows of the agent before all of it is there; what an attempt left that was broken off is removed first. */
export async function foundInRedis(
  place: RedisPlace,
  past: Past,
  { record, clock }: { readonly record: string; readonly clock: Clock },
): Promise<Branch> {
  const { link, legion, agent } = place;
  const { lease, epoch, token, meta, log, mailbox, seen } = agentKeys(legion, agent);
  await link.command("DEL", lease, epoch, token, meta, log, mailbox, seen);
  const kept = createRedisBlobs(place);
  const writing: Promise<unknown>[] = [];
  let newest = { seq: 0, epoch: 0, log: "" };
  for await (const event of eventsOf(past, { epoch: 1, now: clock.now, kept })) {
    const { seq, epoch: of, ...rest } = await outline(event, longStrings(event), kept);
    writing.push(link.command("XADD", log, entryId(seq), "e", JSON.stringify(rest), "p", of));
    newest = {
      seq,
      epoch: Math.max(newest.epoch, of),
      log: event.kind === "opened" ? event.log : newest.log,
    };
    if (writing.length === AT_ONCE) await Promise.all(writing.splice(0));
  }
  await Promise.all(writing);
  await link.command("SET", epoch, newest.epoch);
  await link.command("HSET", meta, "seq", newest.seq, "log", newest.log);
  const follower = followLog(createBranch);
  for await (const event of readRedisLog(place)) follower.see(event);
  const branch = await follower.settle(() => readRedisLog(place));
  await enlist(place, record);
  return branch;
}
