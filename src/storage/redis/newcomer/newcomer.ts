// An agent with a past, on its way into a legion in Redis: it is put together beside its place and moved there as a whole.

import { randomUUID } from "node:crypto";
import { LegionError } from "../../../base/errors.ts";
import { sendsOf, type Event } from "../../../domain/event.ts";
import { account, createLedger, type Ledger } from "../../../past/ledger.ts";
import { CONTROL, displayName, type AgentId } from "../../../domain/message.ts";
import { arrive, removeArriving, type Arriving } from "./scripts.ts";
import type { Luggage, UnreadMail } from "../../contract/arrival.ts";
import { arrivingKeys } from "../scripts/keys.ts";
import { entryId } from "../scripts/pages.ts";
import type { RedisPlace } from "../scripts/scope.ts";
import { setUnknown } from "../cluster/directory.ts";

export interface Newcomer {
  readonly agent: AgentId;
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
  const { agent } = place;
  await removeArriving(place);
  const arriving = await write(place, luggage).catch(async (error: unknown) => {
    await removeArriving(place).catch(() => undefined);
    throw error;
  });
  return {
    agent,
    async arrive() {
      // An attempt that was broken off in its last step left an agent that takes mail and is in no list.
      await setUnknown(place);
      const outcome = await arrive(place, arriving);
      if (outcome !== "arrived")
        throw new LegionError("REFUSED", `${displayName(agent)} ${OBSTACLES[outcome]}`);
    },
    remove: () => removeArriving(place),
  };
}

const OBSTACLES = {
  taken: "has come to be there meanwhile; nothing was changed",
  disturbed: "is being brought there by somebody else at this moment; try again",
} as const;

/** So many commands are sent before any of them is waited for. */
const AT_ONCE = 200;

async function write(place: RedisPlace, { events, mail }: Luggage): Promise<Arriving> {
  const { link, legion, agent } = place;
  const { meta, log, mailbox } = arrivingKeys(legion, agent);
  const attempt = randomUUID();
  const waiting: Promise<unknown>[] = [];
  const send = async (...command: readonly [name: string, ...args: (string | number)[]]): Promise<void> => {
    const sent = link.command(...command);
    // Waited for later; until then a failure is no surprise.
    sent.catch(() => undefined);
    waiting.push(sent);
    if (waiting.length === AT_ONCE) await Promise.all(waiting.splice(0));
  };
  const ledger = createLedger();
  let count = 0;
  let highest = 0;
  try {
    await send("HSET", meta, "attempt", attempt);
    for await (const event of events) {
      const { seq, epoch, ...rest } = event;
      account(ledger, event);
      count++;
      highest = Math.max(highest, epoch);
      await send(
        "XADD",
        log,
        entryId(seq),
        "e",
        JSON.stringify(rest),
        "p",
        epoch,
        ...numberedBy(agent, event, ledger),
      );
    }
    const { unread, seen } = (await mail?.(ledger)) ?? { unread: [], seen: ledger.seen };
    for (const { position, from, message } of unread)
      await send("XADD", mailbox, entryId(position), "f", from, "m", JSON.stringify(message));
    for (const command of countsOf(place, ledger, { unread, seen })) await send(...command);
    await Promise.all(waiting.splice(0));
    return { attempt, events: count, messages: unread.length, epoch: highest };
  } finally {
    await Promise.allSettled(waiting);
  }
}

/** Whoever delivers what Control said has to know which of its logs gave the numbers. */
function numberedBy(agent: AgentId, event: Event, { log = "" }: Ledger): readonly string[] {
  return agent === CONTROL && sendsOf(event).length > 0 ? ["l", log] : [];
}

type RedisCommand = readonly [name: string, key: string, ...args: (string | number)[]];

/** What is counted beside the log and the mailbox. */
function countsOf(
  { legion, agent }: RedisPlace,
  ledger: Ledger,
  { unread, seen }: UnreadMail,
): readonly RedisCommand[] {
  const keys = arrivingKeys(legion, agent);
  const abort = unread.findLast(({ message }) => message.delivery === "abort")?.position;
  const reached: RedisCommand[] = [
    ["HSET", keys.meta, "mail", unread.at(-1)?.position ?? ledger.taken],
    ["HSET", keys.meta, "taken", ledger.taken],
  ];
  return [
    ...(ledger.log === undefined
      ? []
      : [["HSET", keys.meta, "seq", ledger.last, "log", ledger.log] as const]),
    ...(unread.length > 0 || ledger.taken > 0 ? reached : []),
    ...(abort === undefined ? [] : [["HSET", keys.meta, "abort", abort] as const]),
    ...[...seen].map(([from, n]) => ["HSET", keys.seen, from, n] as const),
    ...(agent === CONTROL ? spokenOf(keys, ledger) : []),
  ];
}

/** What agent 0 has instead of an owner who knows it. */
function spokenOf(
  { numbers, out }: { readonly numbers: string; readonly out: string },
  ledger: Ledger,
): readonly RedisCommand[] {
  const undelivered = new Set(ledger.undelivered.map(({ seq }) => seq));
  return [
    ...[...ledger.numbers].map(([to, n]) => ["HSET", numbers, to, n] as const),
    ...[...undelivered].map((seq) => ["ZADD", out, seq, seq] as const),
  ];
}
