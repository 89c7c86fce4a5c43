// A log in Redis, as far as its digest has to do with it: bound to its name and to the newest event that was read.

import { crc32 } from "node:zlib";
import { z } from "zod";
import type { Event } from "../../../domain/event/event.ts";
import { inline } from "../../../past/log/blobs.ts";
import type { DigestedLog } from "../../contract/digests/digests.ts";
import { createRedisBlobs } from "../log/entry.ts";
import { readRedisEvents, readRedisLog } from "../log/log.ts";
import { agentKeys } from "../scripts/keys.ts";
import type { RedisPlace } from "../scripts/scope.ts";

const bindingSchema = z.object({ log: z.string().nullable(), sum: z.int() });

export function createDigestedRedisLog(place: RedisPlace): DigestedLog {
  const { link, legion, agent } = place;
  let newest: Event | undefined;
  const look = async (): Promise<{ readonly name: string | null; readonly last: number }> => {
    const reply = await link.command("HMGET", agentKeys(legion, agent).meta, "log", "seq");
    const [name = null, last] = reply as readonly (string | null)[];
    return { name, last: Number(last) };
  };
  return {
    async compare(binding, last) {
      const { data } = bindingSchema.safeParse(binding);
      const now = data && (await look());
      if (!now || data.log !== now.name) return "other";
      for await (const event of eventsIn(place, last)) {
        newest = event;
        if (event.seq !== last || sumOf(event) !== data.sum) return "other";
        return now.last === last ? "same" : "grown";
      }
      return "other";
    },
    async *events(from) {
      for await (const event of eventsIn(place, from)) {
        yield event;
        newest = event;
      }
    },
    all: (from) => readRedisLog(place, from),
    bind: async () => ({
      binding: { log: (await look()).name, sum: newest ? sumOf(newest) : 0 },
      isAtRest: true,
    }),
  };
}

/** A digest asks neither for what was pinned nor for state: what they were made of is not looked for. */
async function* eventsIn(place: RedisPlace, from: number): AsyncGenerator<Event> {
  const blobs = createRedisBlobs(place);
  for await (const page of readRedisEvents(place, from))
    for (const record of page) yield await inline(record, blobs);
}

function sumOf(event: Event): number {
  return crc32(JSON.stringify(event));
}
