// What Redis does, each at one blow, when the right to run an agent is taken, kept and given back. All keys are the agent's.

import { agentKeys, legionKeys } from "./keys.ts";
import type { RedisPlace } from "./scope.ts";
import type { LuaScript } from "../connection/script.ts";

/**
 * Gives the right to `owner` if nobody else has it. The same owner may take it again: whatever it began before has an
 * old token then.
 *
 *   KEYS  lease, epoch, token, meta
 *   ARGV  owner, nonce, time to live in ms, durability: `weak` if this Redis may lose what it acknowledged; purpose:
 *         `run`, or `errand` for what may be done to an agent that a person stopped; what all servers are called at present
 *   ->    {"unknown"}                      nobody has made this agent known
 *         {"stopped"}                      a person stopped it
 *         {"held", ms}                     another owner has it, for that long if it does not renew
 *         {"taken", epoch, token, past}    past is `whole` or `renewed`
 *
 * A server that was restarted, or that took over from another, may have lost the end of this agent's log. Its run id
 * tells, and the log is doubted from then on until another one stands in its place, whoever runs the agent meanwhile. What
 * the agent sent may be lost as well, also where only the server of a recipient is another one now: it is `unoffered`
 * until somebody has offered all of it again.
 */
const ACQUIRE: LuaScript = {
  name: "acquire",
  keys: 4,
  lua: `
local lease, epoch, token, meta = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner, nonce, ttl, durability, purpose, servers = unpack(ARGV)
local known, stopped, run, log, told, before =
  unpack(redis.call('HMGET', meta, 'known', 'stopped', 'run', 'log', 'durability', 'servers'))
if not known then return {'unknown'} end
if stopped and purpose == 'run' then return {'stopped'} end
local holder = redis.call('GET', lease)
if holder and holder ~= owner then return {'held', redis.call('PTTL', lease)} end

-- Who is here for an errand does not know; whoever ran the agent did.
if purpose == 'errand' then durability = told or durability end
local now = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if run and log and durability == 'weak' then
  if run ~= now then redis.call('HSET', meta, 'doubted', log) end
  if run ~= now or before and before ~= servers then redis.call('HSET', meta, 'unoffered', 1) end
end
redis.call('HSET', meta, 'run', now, 'durability', durability, 'servers', servers)
local past = 'whole'
if log and redis.call('HGET', meta, 'doubted') == log then past = 'renewed' end

local count = redis.call('INCR', epoch)
local shown = count .. ':' .. nonce
redis.call('SET', lease, owner, 'PX', ttl)
redis.call('SET', token, shown)
return {'taken', count, shown, past}`,
};

/**
 * Keeps the right, also where the lease ran out and nobody took it since, and also when memory is full.
 *
 *   KEYS  lease, token, meta
 *   ARGV  owner, token, time to live in ms
 *   ->    -1 if the token is another one by now; otherwise the highest position in the agent's mailbox
 */
const RENEW: LuaScript = {
  name: "renew",
  keys: 3,
  lua: `#!lua flags=allow-oom
if redis.call('GET', KEYS[2]) ~= ARGV[2] then return -1 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
return tonumber(redis.call('HGET', KEYS[3], 'mail') or 0)`,
};

/**
 * Gives the right back and tells everybody. The token goes too, so that nothing which is still on its way is done under it.
 *
 *   KEYS  lease, token
 *   ARGV  token, channel, agent
 *   ->    1, or 0 if the token is another one by now
 */
const RELEASE: LuaScript = {
  name: "release",
  keys: 2,
  lua: `#!lua flags=allow-oom
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return 1`,
};

/** `weak`: what Redis acknowledged may be gone after a restart, or after another server took over. */
export type Persistence = "always" | "weak";

/** Who asks for it, and for how long. */
interface LeaseTerms {
  readonly owner: string;
  readonly leaseMs: number;
}

/** `run`: to run the agent; `errand`: for one thing, which may also be done to an agent that a person stopped. */
export type Purpose = "run" | "errand";

interface AcquireTerms extends LeaseTerms {
  /** Nobody else will ever choose it. */
  readonly nonce: string;
  readonly durability: Persistence;
  readonly purpose: Purpose;
  /** Changes when any of them was restarted or another one took over; looked up before. */
  readonly servers: string;
}

type AcquireReply =
  | readonly ["unknown" | "stopped"]
  | readonly ["held", ms: number]
  | readonly ["taken", epoch: number, token: string, past: "whole" | "renewed"];

export async function acquireLease(
  { link, legion, agent }: RedisPlace,
  { owner, leaseMs, nonce, durability, purpose, servers }: AcquireTerms,
): Promise<AcquireReply> {
  const { lease, epoch, token, meta } = agentKeys(legion, agent);
  const args = [owner, nonce, leaseMs, durability, purpose, servers];
  return (await link.run(ACQUIRE, [lease, epoch, token, meta], args)) as AcquireReply;
}

/** Resolves with the highest position in the agent's mailbox, or with `lost` if another token stands by now. */
export async function renewLease(
  { link, legion, agent }: RedisPlace,
  { owner, leaseMs, token: shown }: LeaseTerms & { token: string },
): Promise<number | "lost"> {
  const { lease, token, meta } = agentKeys(legion, agent);
  const mail = (await link.run(RENEW, [lease, token, meta], [owner, shown, leaseMs])) as number;
  return mail < 0 ? "lost" : mail;
}

export async function releaseLease({ link, legion, agent }: RedisPlace, shown: string): Promise<void> {
  const { lease, token } = agentKeys(legion, agent);
  await link.run(RELEASE, [lease, token], [shown, legionKeys(legion).free, agent]);
}
