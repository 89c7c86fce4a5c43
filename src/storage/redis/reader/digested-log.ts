// A log in Redis, as far as its digest has to do with it: bound to its name and to the newest event that was read.

import { crc32 } from "node:zlib";
import { z } from "zod";
import type { Event } from "../../../domain/event/event.ts";
import type { DigestedLog } from "../../contract/digests.ts";
import { readRedisLog } from "../log/log.ts";
import { agentKeys } from "../scripts/keys.ts";
import type { RedisPlace } from "../scripts/scope.ts";

const bindingSchema = z.object({ log: z.string().nullable(), sum: z.int() });

export function createDigestedRedisLog(place: RedisPlace): DigestedLog {
  const { link, legion, agent } = place;
  let sum = 0;
  const nameOf = async (): Promise<string | null> => {
    const name = await link.command("HGET", agentKeys(legion, agent).meta, "log");
    return typeof name === "string" ? name : null;
  };
  return {
    async isBound(binding, last) {
      const { data } = bindingSchema.safeParse(binding);
      if (!data || data.log !== (await nameOf())) return false;
      for await (const event of readRedisLog(place, last)) {
        sum = sumOf(event);
        return event.seq === last && sum === data.sum;
      }
      return false;
    },
    async *events(from) {
      for await (const event of readRedisLog(place, from)) {
        yield event;
        sum = sumOf(event);
      }
    },
    all: () => readRedisLog(place),
    bind: async () => ({ log: await nameOf(), sum }),
  };
}

function sumOf(event: Event): number {
  return crc32(JSON.stringify(event));
}
