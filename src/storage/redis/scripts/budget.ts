// What the agents of a legion have spent together, and may spend. All keys are the legion's.
//
// Of each agent its whole spending is noted, never a difference: a note that comes twice, or never, does no harm, and
// one of a process that has lost the agent is told by its epoch. Money is counted in billionths of a dollar, as whole
// numbers: sums of fractions drift.

import { legionKeys } from "./keys.ts";
import type { LuaScript } from "../connection/script.ts";
import type { SpenderId } from "../../../past/usage.ts";
import type { LegionPlace } from "./scope.ts";

/** In the order in which the scripts take and give them. */
export const MEASURES = ["steps", "tokens", "cost", "time"] as const;
export type Measure = (typeof MEASURES)[number];
/** Steps, tokens, billionths of a dollar, milliseconds. */
export type Amounts = readonly [steps: number, tokens: number, cost: number, time: number];

/** Notes what an agent has spent, in place of what was noted before. Returns the new sums. */
const NOTE = `
local names = {'steps', 'tokens', 'cost', 'time'}
local function note(spent, agent, epoch, amounts)
  local field = 'agent:' .. agent
  local before = {}
  for word in string.gmatch(redis.call('HGET', spent, field) or '0 0 0 0 0', '%S+') do before[#before + 1] = tonumber(word) end
  if before[1] > epoch then return nil end
  local sums, words = {}, {string.format('%.0f', epoch)}
  for i, name in ipairs(names) do
    sums[i] = (tonumber(redis.call('HGET', spent, name)) or 0) - before[i + 1] + amounts[i]
    words[#words + 1] = string.format('%.0f', amounts[i])
    redis.call('HSET', spent, name, string.format('%.0f', sums[i]))
  end
  redis.call('HSET', spent, field, table.concat(words, ' '))
  return sums
end
local function numbers(from)
  local found = {}
  for i = from, from + 3 do found[#found + 1] = tonumber(ARGV[i]) end
  return found
end`;

/**
 * Reserves a call on top of what its agent has spent and reserved, if that leaves the legion within its limits.
 *
 *   KEYS  spent, limits
 *   ARGV  agent, epoch, four amounts spent and reserved so far, four amounts of the call
 *   ->    {"reserved", 1 if no other call of this size fits, else 0}
 *         {"refused", measure, limit}    nothing is reserved
 *         {"stale"}                      another process has the agent by now
 */
const RESERVE: LuaScript = {
  name: "reserve",
  keys: 2,
  lua: `${NOTE}
local spent, limits = KEYS[1], KEYS[2]
local agent, epoch, own, call = ARGV[1], tonumber(ARGV[2]), numbers(3), numbers(7)
local sums = note(spent, agent, epoch, own)
if not sums then return {'stale'} end

local last = 0
for i, name in ipairs(names) do
  local limit = redis.call('HGET', limits, name)
  if limit then
    local most = tonumber(limit)
    -- Time may be used up, the others reached: a call takes no time before it is made.
    if name == 'time' then
      if sums[i] >= most then return {'refused', name, limit} end
    else
      if sums[i] + call[i] > most then return {'refused', name, limit} end
      if sums[i] + 2 * call[i] > most then last = 1 end
    end
  end
end
for i in ipairs(names) do own[i] = own[i] + call[i] end
note(spent, agent, epoch, own)
return {'reserved', last}`,
};

/**
 * Notes what an agent has spent and reserved.
 *
 *   KEYS  spent
 *   ARGV  agent, epoch, four amounts
 *   ->    1, or 0 if another process has the agent by now
 */
const SETTLE: LuaScript = {
  name: "settle-spending",
  keys: 1,
  lua: `#!lua flags=allow-oom
${NOTE}
return note(KEYS[1], ARGV[1], tonumber(ARGV[2]), numbers(3)) and 1 or 0`,
};

/**
 * Sets the limits of the legion, in place of those before.
 *
 *   KEYS  limits
 *   ARGV  measure, limit, measure, limit...
 *   ->    1
 */
const LIMIT: LuaScript = {
  name: "limit",
  keys: 1,
  lua: `
redis.call('DEL', KEYS[1])
for i = 1, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
return 1`,
};

export type Reserved =
  | { readonly kind: "reserved"; readonly last: boolean }
  | { readonly kind: "refused"; readonly measure: Measure; readonly limit: number }
  | { readonly kind: "stale" };

/** Each as its script. Rejects as the link does. */
export async function reserveSpending(
  { link, legion }: LegionPlace,
  { agent, epoch }: SpenderId,
  own: Amounts,
  call: Amounts,
): Promise<Reserved> {
  const { spent, limits } = legionKeys(legion);
  const reply = (await link.run(RESERVE, [spent, limits], [agent, epoch, ...own, ...call])) as ReserveReply;
  if (reply[0] === "reserved") return { kind: "reserved", last: reply[1] === 1 };
  return reply[0] === "refused"
    ? { kind: "refused", measure: reply[1], limit: Number(reply[2]) }
    : { kind: "stale" };
}

type ReserveReply = readonly ["reserved", 0 | 1] | readonly ["refused", Measure, string] | readonly ["stale"];

export async function settleSpending(
  { link, legion }: LegionPlace,
  { agent, epoch }: SpenderId,
  own: Amounts,
): Promise<void> {
  await link.run(SETTLE, [legionKeys(legion).spent], [agent, epoch, ...own]);
}

export async function limitSpending(
  { link, legion }: LegionPlace,
  limits: ReadonlyMap<Measure, number>,
): Promise<void> {
  await link.run(LIMIT, [legionKeys(legion).limits], [...limits].flat());
}
