import { agentKeys } from "./keys.ts";
import type { RedisPlace } from "./scope.ts";
import type { LuaScript } from "../connection/script.ts";

/**
 * What keys take up.
 *
 *   KEYS  log, mailbox, ahead, seen, meta, standing
 *   ->    bytes
 */
const SIZE: LuaScript = {
  name: "size",
  keys: 6,
  lua: `
local bytes = 0
for _, key in ipairs(KEYS) do bytes = bytes + (redis.call('MEMORY', 'USAGE', key) or 0) end
return bytes`,
};

/** Bytes of memory that one agent takes, without its long texts: each is a key of its own, and nothing lists them. */
export async function sizeOfAgent({ link, legion, agent }: RedisPlace): Promise<number> {
  const { log, mailbox, ahead, seen, meta, standing } = agentKeys(legion, agent);
  return Number(await link.run(SIZE, [log, mailbox, ahead, seen, meta, standing], []));
}
