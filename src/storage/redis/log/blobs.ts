import { agentKeys } from "../scripts/keys.ts";
import type { RedisPlace } from "../scripts/scope.ts";
import { blobsIn, type Blobs } from "../../../past/log/blobs.ts";

/** Long texts of one agent; what one process kept, another one finds. */
export function createRedisBlobs({ link, legion, agent }: RedisPlace): Blobs {
  const { blob } = agentKeys(legion, agent);
  return blobsIn({
    read: async (hash) => ((await link.command("GET", blob(hash))) as string | null) ?? undefined,
    // Over whatever is there: it is the same text, or damaged.
    place: async (hash, text) => void (await link.command("SET", blob(hash), text)),
  });
}
