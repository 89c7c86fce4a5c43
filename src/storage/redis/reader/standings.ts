// How an agent stands, kept in Redis beside its log: one word tells it to whoever asks while nobody runs it. A cache: whoever runs the
// agent leaves it there at the end, whoever had to read the log as well, and it may go at any time.

import type { StandingKeeper } from "../../contract/digests/digests.ts";
import { readJson } from "../../../base/text/json.ts";
import type { LuaScript } from "../connection/script.ts";
import { agentKeys } from "../scripts/keys.ts";
import { FIRST_PAGE } from "../scripts/pages.ts";
import type { RedisPlace } from "../scripts/scope.ts";

/** The number of its newest event, its name, and a sum of that event: what a log is known by. Nothing where its end is lost. */
const END_OF_LOG = `
local function endOf(meta, log)
  local seq, id = unpack(redis.call('HMGET', meta, 'seq', 'log'))
  local newest = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
  if not id or not newest or newest[1] ~= '0-' .. seq then return end
  return seq, id, redis.sha1hex(newest[2][2])
end`;

/**
 * Keeps what a log comes to, if it is the log that this was made of, and ends there.
 *
 *   KEYS  meta, log, standing
 *   ARGV  number of its newest event, its name, the text to be kept
 */
const KEEP: LuaScript = {
  name: "keepStanding",
  keys: 3,
  lua: `${END_OF_LOG}
local seq, id, sum = endOf(KEYS[1], KEYS[2])
if seq ~= ARGV[1] or id ~= ARGV[2] then return end
redis.call('HSET', KEYS[3], 'seq', seq, 'log', id, 'sum', sum, 'text', ARGV[3])`,
};

/**
 *   KEYS  meta, log, standing
 *   ->    what was kept of this log, as it ends now
 */
const READ: LuaScript = {
  name: "readStanding",
  keys: 3,
  lua: `${END_OF_LOG}
local seq, id, sum, text = unpack(redis.call('HMGET', KEYS[3], 'seq', 'log', 'sum', 'text'))
if not text then return end
local now, name, newest = endOf(KEYS[1], KEYS[2])
return now == seq and name == id and newest == sum and text`,
};

export interface RedisStandings extends StandingKeeper {
  /** The newest event of the log that something was kept of; 0: nothing was. */
  last(): Promise<number>;
}

export function createRedisStandings({ link, legion, agent }: RedisPlace): RedisStandings {
  const { meta, log, standing } = agentKeys(legion, agent);
  const keys = [meta, log, standing];
  const asked = async (asking: Promise<unknown>): Promise<unknown> => asking.catch(() => undefined);
  return {
    last: async () => Number((await asked(link.command("HGET", standing, "seq"))) ?? 0),
    async read() {
      const text = await asked(link.run(READ, keys, []));
      return typeof text === "string" ? readJson(text) : undefined;
    },
    async keep(packed) {
      const { last, log: name = "" } = packed.ledger;
      if (last <= FIRST_PAGE) return;
      await asked(link.run(KEEP, keys, [last, name, JSON.stringify(packed)]));
    },
  };
}
