// Delivers what was said by agent 0 of a legion in Redis. What one process leaves undelivered, any other one delivers: what
// is under way stands in Redis, beside the log.

import {
  CONTROL,
  parseMessageId,
  type AgentId,
  type Delivery,
  type LogId,
} from "../../../domain/message/message.ts";
import type { Bus } from "../../../mail/bus.ts";
import { offer, sentTo, unreachable, type Outbox } from "../../../mail/outbox.ts";
import { inline } from "../../../past/log/blobs.ts";
import { sendsIn, type Send } from "../../../past/mail/sends.ts";
import type { LegionPlace } from "../scripts/scope.ts";
import { createRedisBlobs, eventIn } from "../log/entry.ts";
import { agentKeys } from "../scripts/keys.ts";
import { readPages } from "../scripts/pages.ts";
import { createWatermarks } from "../scripts/watermarks.ts";
import type { PersonLog, NumberedEvent } from "./log.ts";

export interface PersonOutbox extends Pick<Outbox, "undelivered"> {
  /** Tries once to deliver what was just said here; what cannot be delivered now is left for a round. Never rejects. */
  deliver(said: readonly NumberedEvent[]): Promise<void>;
  /** Tries what anybody said and that is not delivered, oldest first; where that is much, a part of it at each call. */
  deliverForAll(): Promise<void>;
  /** Leaves for a round what its recipients do not have, though the log says that they do. */
  doubt(): Promise<void>;
}

/** So many events with undelivered sends are looked at in one round. */
const AT_ONCE = 100;

export function createPersonOutbox(place: LegionPlace, log: PersonLog, bus: Pick<Bus, "send">): PersonOutbox {
  const { link, legion } = place;
  const { out } = agentKeys(legion, CONTROL);
  /** Said here and not settled, by event. */
  const waiting = new Map<number, readonly Send[]>();
  const ordered = inOrderOfLogs(bus, log);
  /** Delivers the sends of event `seq`, but to those whose mailboxes are `full`, and notes it if none is left. */
  const tryAll = async (seq: number, sends: readonly Send[], full: Set<AgentId>): Promise<void> => {
    const statuses = await Promise.all(
      sends.map(async (send) => {
        if (full.has(send.to)) return "full";
        const { status } = await offer(log, ordered, send);
        if (status === "full" || status === "gap") full.add(send.to);
        return status;
      }),
    );
    if (statuses.some((status) => status === "full" || status === "gap")) return;
    const lost = sends.filter((_, index) => statuses[index] === "unknown");
    await log.settle(seq, lost.map(unreachable));
    waiting.delete(seq);
  };
  /** Goes round through what is not delivered: the oldest may wait for a full mailbox, and those behind them for nothing. */
  let last = 0;
  const nextPart = async (): Promise<readonly number[]> => {
    const range = [`(${last}`, "+inf", "LIMIT", 0, AT_ONCE];
    const seqs = ((await link.command("ZRANGEBYSCORE", out, ...range)) as readonly string[]).map(Number);
    last = seqs.length < AT_ONCE ? 0 : seqs.at(-1)!;
    return seqs;
  };
  const round = async (): Promise<void> => {
    const full = new Set<AgentId>();
    for (const seq of await nextPart()) await tryAll(seq, await readSends(place, seq), full);
    // Another process may have delivered what was said here.
    for (const seq of waiting.keys())
      if ((await link.command("ZSCORE", out, seq)) === null) waiting.delete(seq);
  };
  let underWay: Promise<void> | undefined;
  return {
    async deliver(said) {
      const spoken = said.map(({ event, log }) => sendsIn(event, log)).filter((sends) => sends.length > 0);
      for (const sends of spoken) waiting.set(sends[0]!.seq, sends);
      try {
        for (const sends of spoken) await tryAll(sends[0]!.seq, sends, new Set());
      } catch {
        // What stands in the log is said: whoever heard that it could not be delivered at once would say it again.
      }
    },
    deliverForAll: () => (underWay ??= round().finally(() => (underWay = undefined))),
    async doubt() {
      const newest = createWatermarks(place);
      for await (const { to, from, n, seq } of sentTo(log))
        if (n > (await newest(to, from))) await link.command("ZADD", out, seq, seq);
    },
    undelivered: () => [...waiting.values()].flat(),
  };
}

async function readSends({ link, legion }: LegionPlace, seq: number): Promise<readonly Send[]> {
  const { log } = agentKeys(legion, CONTROL);
  for await (const [entry] of readPages(link, log, seq)) {
    if (entry?.number !== seq) return [];
    const event = await inline(eventIn(entry, log), createRedisBlobs({ link, legion, agent: CONTROL }));
    return sendsIn(event, entry.fields.get("l") ?? "");
  }
  return [];
}

/**
 * Agent 0 goes on under another log where the newest numbers of the one before may be lost. Within a log numbers keep the
 * order; from one log to the next this does: before the first message of a log to somebody comes what earlier logs sent them,
 * and while there is no room for that, `full` is the answer.
 */
function inOrderOfLogs(bus: Pick<Bus, "send">, log: Pick<PersonLog, "read">): Pick<Bus, "send"> {
  /** Whoever asks while that is read waits for the same answer. */
  const reading = new Map<LogId, Promise<ReadonlyMap<AgentId, Send>>>();
  const sentBefore = (id: LogId): Promise<ReadonlyMap<AgentId, Send>> => {
    const found = reading.get(id) ?? readBefore(log, id).finally(() => reading.delete(id));
    reading.set(id, found);
    return found;
  };
  const ordered = {
    async send(delivery: Delivery) {
      const { to, n } = parseMessageId(delivery.message.id);
      const isFirst = (delivery.after ?? n - 1) === 0;
      const before = isFirst ? (await sentBefore(delivery.from)).get(to) : undefined;
      if (before) {
        // Whatever of its log is missing goes before it, and whatever came before that log.
        const { status } = await offer(log, ordered, before);
        if (status === "full" || status === "gap") return { status: "full" } as const;
      }
      return bus.send(delivery);
    },
  };
  return ordered;
}

/** Per recipient the newest send of all logs before `id`. */
async function readBefore(log: Pick<PersonLog, "read">, id: LogId): Promise<ReadonlyMap<AgentId, Send>> {
  const newest = new Map<AgentId, Send>();
  // Most legions have one log of agent 0 all their life: it is not read from end to end for that.
  for await (const event of log.read()) {
    if (event.kind === "opened" && event.log === id) return newest;
    break;
  }
  for await (const send of sentTo(log)) {
    if (send.from === id) break;
    newest.set(send.to, send);
  }
  return newest;
}
