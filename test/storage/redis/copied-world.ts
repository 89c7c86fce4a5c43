// A past that was made in files, once more in Redis.

import type { Event } from "../../../src/domain/event/event.ts";
import { CONTROL } from "../../../src/domain/message/message.ts";
import type { FileReader } from "../../../src/storage/files/reader/reader.ts";
import { createRedisPlace } from "./recorded-place.ts";

/** Writes what `reader` shows of its agents into a legion in Redis, and what they said to Control. */
export async function copyToRedis(reader: FileReader, url: string, legion: string): Promise<void> {
  let nowMs = 0;
  const place = await createRedisPlace(url, legion, () => nowMs);
  for (const agent of await reader.known()) {
    await place.enlist(agent, await reader.record(agent));
    for await (const { seq: _, epoch: __, at, ...event } of reader.events(agent)) {
      nowMs = Date.parse(at);
      if (event.kind !== "opened") await place.append(agent, [event]);
      for (const hash of introductionIn(event))
        await place.keep(agent, (await reader.blobs(agent).read(hash))!);
    }
  }
  for await (const event of reader.events(CONTROL))
    if (event.kind === "message") await place.deliver({ from: event.from, message: event.message });
}

function introductionIn(event: Pick<Event, "kind">): readonly string[] {
  return event.kind === "prompted" && "introduction" in event ? [String(event.introduction)] : [];
}
