// The limits of a legion whose agents run in several processes: what they have spent together, and may spend, is reckoned in
// Redis. All keys are the legion's.
//
// Of each agent its whole spending is noted, never a difference: a note that comes twice, or never, does no harm, and
// one of a process that has lost the agent is told by its epoch. Money is counted in billionths of a dollar, as whole
// numbers: sums of fractions drift.

import { LegionError } from "../../../base/errors.ts";
import type { Limits } from "../../../domain/limits.ts";
import { displayName, type AgentId } from "../../../domain/message/message.ts";
import { legionKeys } from "../scripts/keys.ts";
import type { LuaScript } from "../connection/script.ts";
import { exceeded, type Excess, type LegionCeiling, type Spent } from "../../../past/limits/spending.ts";
import type { Tenure } from "../../../domain/lease.ts";
import type { LegionPlace } from "../scripts/scope.ts";

/** In the order in which the scripts take and give them: the name in Redis, whose amount it is here, and in which parts. */
const MEASURES = [
  { name: "steps", member: "steps", parts: 1 },
  { name: "tokens", member: "tokens", parts: 1 },
  { name: "cost", member: "cost", parts: 1_000_000_000 },
  { name: "time", member: "timeMs", parts: 1 },
] as const;

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

type ReserveReply =
  | readonly ["reserved", 0 | 1]
  | readonly ["refused", (typeof MEASURES)[number]["name"], string]
  | readonly ["stale"];

export interface CeilingPlace extends LegionPlace {
  /** The right of this process to run `agent`, if it has it: it ends where the agent's purse is at a later one. */
  readonly tenureOf?: (agent: AgentId) => Tenure | undefined;
}

/** Sets the legion's limits, in place of those of the start before, and keeps them. */
export async function openRedisCeiling(place: CeilingPlace, first: Limits): Promise<LegionCeiling> {
  const { link, legion, tenureOf } = place;
  const keys = legionKeys(legion);
  const limit: LegionCeiling["limit"] = async (limits) => {
    await link.run(LIMIT, [keys.limits], limitsIn(limits));
  };
  await limit(first);
  return {
    limit,
    async reserve({ agent, epoch }, own, call) {
      const args = [agent, epoch, ...amountsIn(own), ...amountsIn(call)];
      const reply = (await link.run(RESERVE, [keys.spent, keys.limits], args)) as ReserveReply;
      if (reply[0] === "reserved") return { kind: "reserved", last: reply[1] === 1 };
      if (reply[0] === "refused") return { kind: "refused", ...refusal(reply[1], Number(reply[2])) };
      const tenure = tenureOf?.(agent);
      if (tenure?.epoch === epoch) tenure.end("its limits are kept under a later right");
      throw new LegionError("STORAGE", `${displayName(agent)} is run by another process by now.`);
    },
    settle({ agent, epoch }, own) {
      // What is not noted now stays reserved until the agent's next call.
      link.run(SETTLE, [keys.spent], [agent, epoch, ...amountsIn(own)]).catch(() => undefined);
    },
  };
}

function amountsIn(spent: Spent): readonly number[] {
  return MEASURES.map(({ member, parts }) => Math.ceil(spent[member] * parts));
}

function limitsIn(limits: Limits): readonly (string | number)[] {
  return MEASURES.flatMap(({ name, member, parts }) => {
    const limit = limits[member];
    return limit === undefined ? [] : [name, Math.round(limit * parts)];
  });
}

/** As a legion in one process says it. */
function refusal(measure: (typeof MEASURES)[number]["name"], limit: number): Excess {
  const { member, parts } = MEASURES.find(({ name }) => name === measure)!;
  const everything = { steps: Infinity, tokens: Infinity, cost: Infinity, timeMs: Infinity };
  return exceeded(everything, { [member]: limit / parts }, "the legion")!;
}
