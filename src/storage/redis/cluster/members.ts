// The processes that are members of a legion. Each says once a second that it is there; whoever has not for a while is none.
// Time is the server's, so the clocks of the hosts do not matter.

import { fieldsOf, isTexts, readJson } from "../../../base/text/json.ts";
import type { NodeRecord } from "../../contract/nodes.ts";
import { legionKeys } from "../scripts/keys.ts";
import type { LuaScript } from "../connection/script.ts";
import type { LegionPlace } from "../scripts/scope.ts";

/** How long somebody is a member who does not say so any more. */
export const MEMBER_MS = 5_000;

/** The server's time in ms, and what is said by those whose membership ends later than that. */
const NOW_AND_MEMBERS = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function members()
  local records = {}
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')) do
    records[#records + 1] = redis.call('HGET', KEYS[2], id) or nil
  end
  return records
end`;

/**
 * Says that a process is a member, also when memory is full, and forgets those that are none any more.
 *
 *   KEYS  nodes, records
 *   ARGV  id, record as JSON, time to live in ms
 *   ->    the records of all members
 */
const ATTEND: LuaScript = {
  name: "attend",
  keys: 2,
  lua: `#!lua flags=allow-oom
${NOW_AND_MEMBERS}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)) do
  redis.call('ZREM', KEYS[1], id)
  redis.call('HDEL', KEYS[2], id)
end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
return members()`,
};

/**
 * Who is a member.
 *
 *   KEYS  nodes, records
 *   ->    the records of all members
 */
const MEMBERS: LuaScript = { name: "members", keys: 2, lua: `${NOW_AND_MEMBERS}\nreturn members()` };

/**
 * Ends a membership.
 *
 *   KEYS  nodes, records
 *   ARGV  id
 *   ->    1
 */
const LEAVE: LuaScript = {
  name: "leave",
  keys: 2,
  lua: `#!lua flags=allow-oom
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
return 1`,
};

/** Joins, or stays. Resolves with all members, by id. */
export async function attend(
  { link, legion }: LegionPlace,
  record: NodeRecord,
): Promise<readonly NodeRecord[]> {
  const { nodes, nodeRecords } = legionKeys(legion);
  const args = [record.id, JSON.stringify(record), MEMBER_MS];
  return readRecords(await link.run(ATTEND, [nodes, nodeRecords], args));
}

/** Resolves with all members, by id. */
export async function readNodes({ link, legion }: LegionPlace): Promise<readonly NodeRecord[]> {
  const { nodes, nodeRecords } = legionKeys(legion);
  return readRecords(await link.run(MEMBERS, [nodes, nodeRecords], []));
}

export async function leave({ link, legion }: LegionPlace, id: string): Promise<void> {
  const { nodes, nodeRecords } = legionKeys(legion);
  await link.run(LEAVE, [nodes, nodeRecords], [id]);
}

function readRecords(reply: unknown): readonly NodeRecord[] {
  const records = (reply as readonly string[]).flatMap(readRecord);
  return records.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Nothing for what is no record: any program may have written it. */
function readRecord(text: string): readonly NodeRecord[] {
  const { id, name, workspace, agents, able, inBackground } = fieldsOf(readJson(text));
  const isRecord =
    typeof id === "string" &&
    typeof name === "string" &&
    typeof workspace === "string" &&
    typeof agents === "number" &&
    isTexts(able);
  if (!isRecord) return [];
  return [{ id, name, workspace, agents, able, inBackground: isTexts(inBackground) ? inBackground : [] }];
}
