// An agent with a past, on its way into a legion in Redis: it is put together beside its place and moved there as a whole.

import { randomUUID } from "node:crypto";
import { LegionError } from "../../../base/errors.ts";
import { sendsOf } from "../../../domain/event/event.ts";
import { account, createLedger } from "../../../past/ledger.ts";
import { CONTROL, displayName, isControlsOwn, isUrgent } from "../../../domain/message/message.ts";
import type { Luggage } from "../../contract/arrival.ts";
import type { Link } from "../connection/link.ts";
import type { LuaScript } from "../connection/script.ts";
import { agentKeys, arrivingKeys } from "../scripts/keys.ts";
import { entryId } from "../scripts/pages.ts";
import type { RedisPlace } from "../scripts/scope.ts";
import { setUnknown } from "../cluster/directory.ts";

/**
 * Moves what was written under other names to where the agent belongs, if nobody is there and all of it is what this
 * attempt wrote. What is there of an agent that nobody knows goes. Whoever opens its log next is as sure of it as if
 * this server had seen it grow.
 *
 *   KEYS  lease, token, epoch, meta, log, mailbox, ahead, seen, numbers, out; of the last seven what arrives
 *   ARGV  attempt, how many events, how many messages, highest epoch, fields of meta that say somebody is there...
 *   ->    "arrived"
 *         "taken"        somebody is there
 *         "disturbed"    another attempt wrote in between; nothing was moved
 */
const ARRIVE: LuaScript = {
  name: "arrive",
  keys: 17,
  lua: `
local epoch, meta = KEYS[3], KEYS[4]
for i = 5, #ARGV do
  if redis.call('HEXISTS', meta, ARGV[i]) == 1 then return 'taken' end
end
local arriving, log, mailbox = KEYS[11], KEYS[12], KEYS[13]
local isWhole = redis.call('HGET', arriving, 'attempt') == ARGV[1]
  and redis.call('XLEN', log) == tonumber(ARGV[2])
  and redis.call('XLEN', mailbox) == tonumber(ARGV[3])
if not isWhole then return 'disturbed' end

for i = 1, 10 do redis.call('UNLINK', KEYS[i]) end
for i = 11, 17 do
  if redis.call('EXISTS', KEYS[i]) == 1 then redis.call('RENAME', KEYS[i], KEYS[i - 7]) end
end
redis.call('HDEL', meta, 'attempt')
redis.call('HSET', meta, 'run', string.match(redis.call('INFO', 'server'), 'run_id:(%x+)'))
redis.call('SET', epoch, ARGV[4])
return 'arrived'`,
};

export interface Newcomer {
  readonly place: RedisPlace;
  /**
   * Moves it to its place, where nobody knows of it yet. The caller has just seen that the legion has no such agent. Rejects
   * with REFUSED if somebody is there all the same.
   */
  arrive(): Promise<void>;
  /** Gives up, if it has not arrived. */
  remove(): Promise<void>;
}

/** Writes the agent of `place` beside its place, whatever an earlier attempt left there. Its long texts are kept already. */
export async function prepareNewcomer(place: RedisPlace, luggage: Luggage): Promise<Newcomer> {
  const { link, legion, agent } = place;
  const own = agentKeys(legion, agent);
  const arriving = arrivingKeys(legion, agent);
  const remove = async (): Promise<void> => void (await link.command("UNLINK", ...inOrder(arriving)));
  await remove();
  const written = await write(place, luggage).catch(async (error: unknown) => {
    await remove().catch(() => undefined);
    throw error;
  });
  return {
    place,
    async arrive() {
      // An attempt that was broken off in its last step left an agent that takes mail and is in no list.
      await setUnknown(place);
      const keys = [own.lease, own.token, own.epoch, ...inOrder(own), ...inOrder(arriving)];
      // Control needs not be made known: it is there as soon as anybody spoke to it or for it.
      const signs = agent === CONTROL ? ["seq", "mail"] : ["known"];
      const { attempt, events, messages } = written;
      const args = [attempt, events, messages, written.epoch, ...signs];
      const outcome = (await link.run(ARRIVE, keys, args)) as keyof typeof OBSTACLES | "arrived";
      if (outcome !== "arrived")
        throw new LegionError("REFUSED", `${displayName(agent)} ${OBSTACLES[outcome]}`);
    },
    remove,
  };
}

/** In the order of the script. */
function inOrder({
  meta,
  log,
  mailbox,
  ahead,
  seen,
  numbers,
  out,
}: ReturnType<typeof arrivingKeys>): readonly string[] {
  return [meta, log, mailbox, ahead, seen, numbers, out];
}

const OBSTACLES = {
  taken: "has come to be there meanwhile; nothing was changed",
  disturbed: "is being brought there by somebody else at this moment; try again",
} as const;

/** What has to be there under the names of what arrives. */
interface Arriving {
  /** A text that nobody else chose; in its meta. */
  readonly attempt: string;
  events: number;
  messages: number;
  /** The highest of its log. */
  epoch: number;
}

/** So many commands are sent before any of them is waited for. */
const AT_ONCE = 200;

async function write(place: RedisPlace, luggage: Luggage): Promise<Arriving> {
  const written: Arriving = { attempt: randomUUID(), events: 0, messages: 0, epoch: 0 };
  const waiting: Promise<unknown>[] = [];
  for await (const command of commandsFor(place, luggage, written)) {
    const sent = place.link.command(...command);
    // Waited for later; until then a failure is no surprise.
    sent.catch(() => undefined);
    waiting.push(sent);
    if (waiting.length === AT_ONCE) await Promise.all(waiting.splice(0));
  }
  await Promise.all(waiting);
  return written;
}

async function* commandsFor(
  { legion, agent }: RedisPlace,
  { events, mail }: Luggage,
  written: Arriving,
): AsyncGenerator<Parameters<Link["command"]>> {
  const { meta, log, mailbox, ahead, seen, numbers, out } = arrivingKeys(legion, agent);
  const ledger = createLedger();
  yield ["HSET", meta, "attempt", written.attempt];
  for await (const event of events) {
    const { seq, epoch, ...rest } = event;
    account(ledger, event);
    written.events++;
    written.epoch = Math.max(written.epoch, epoch);
    // Whoever delivers what Control said has to know which of its logs gave the numbers.
    const numberedBy = agent === CONTROL && sendsOf(event).length > 0 ? ["l", ledger.log ?? ""] : [];
    yield ["XADD", log, entryId(seq), "e", JSON.stringify(rest), "p", epoch, ...numberedBy];
  }
  const waiting = (await mail?.(ledger)) ?? { unread: [], seen: ledger.seen };
  written.messages = waiting.unread.length;
  let newest = ledger.taken;
  for (const { position, from, message } of waiting.unread) {
    newest = position;
    yield ["XADD", mailbox, entryId(position), "f", from, "m", JSON.stringify(message)];
    if (isUrgent(message)) yield ["HSET", meta, "abort", position];
    if (agent !== CONTROL && isControlsOwn(message)) yield ["ZADD", ahead, position, position];
  }
  if (newest > 0) yield ["HSET", meta, "mail", newest, "taken", ledger.taken];
  if (ledger.log !== undefined)
    yield ["HSET", meta, "seq", ledger.last, "log", ledger.log, "held", ledger.heldMail.now.size];
  for (const [from, n] of waiting.seen) yield ["HSET", seen, from, n];
  if (agent !== CONTROL) return;
  // What it has instead of an owner who knows it.
  for (const [to, n] of ledger.numbers) yield ["HSET", numbers, to, n];
  for (const { seq } of ledger.undelivered) yield ["ZADD", out, seq, seq];
}
