// Delivers what was said by agent 0 of a legion in Redis. What one process leaves undelivered, any other one delivers.

import type { Bus } from "../bus/bus.ts";
import { undeliverable } from "../dead-letters.ts";
import { sendsOf } from "../event.ts";
import type { Send } from "../ledger.ts";
import { inline } from "../log/blobs.ts";
import { createRedisBlobs } from "../log/redis-blobs.ts";
import { eventIn } from "../log/redis-entry.ts";
import { readRedisLog } from "../log/redis-log.ts";
import { CONTROL, parseMessageId, type AgentId, type LogId, type Message } from "../message.ts";
import { offer, outOfReach } from "../outbox.ts";
import { agentKeys } from "../redis/keys.ts";
import type { Link } from "../redis/link.ts";
import type { LegionPlace } from "../redis/nodes.ts";
import { readPages } from "../redis/pages.ts";
import type { Speech, Spoken } from "./redis-speech.ts";

export interface SpeechDelivery {
  /** Delivers what was just said here; what cannot be delivered now is left for a sweep. Rejects if Redis cannot be reached. */
  deliver(spoken: Spoken): Promise<void>;
  /** Tries what anybody said and that is not delivered, oldest first; where that is much, a part of it at each call. */
  sweep(): Promise<void>;
  /** What was said here and is not known to be delivered, oldest first. */
  undelivered(): readonly Send[];
}

/** So many events with undelivered sends are looked at in one sweep. */
const SWEPT_AT_ONCE = 100;

export function createSpeechDelivery(
  place: LegionPlace,
  speech: Speech,
  bus: Pick<Bus, "send">,
): SpeechDelivery {
  const { link, legion } = place;
  const zero = { ...place, agent: CONTROL };
  const { out, log } = agentKeys(legion, CONTROL);
  /** Said here and not settled, by event. */
  const waiting = new Map<number, readonly Send[]>();
  const past = { read: (from?: number) => readRedisLog(zero, from) };

  /** Delivers the sends of one event, but to those whose mailboxes are `full`. Says whether none is left. */
  const tryAll = async (sends: readonly Send[], full: Set<AgentId>): Promise<boolean> => {
    const statuses = await Promise.all(
      sends.map(async (send) => {
        if (full.has(send.to)) return "full";
        const { status } = await offer(past, bus, send);
        if (status === "full" || status === "gap") full.add(send.to);
        if (status === "unknown")
          await speech.speak([undeliverable(send.message, outOfReach(send.to), send.seq)]);
        return status;
      }),
    );
    return statuses.every((status) => status !== "full" && status !== "gap");
  };
  const close = async (seq: number): Promise<void> => {
    await speech.settle([seq]);
    waiting.delete(seq);
  };
  const sendsIn = async (seq: number): Promise<readonly Send[]> => {
    for await (const [entry] of readPages(link, log, seq)) {
      if (entry?.number !== seq) return [];
      const event = await inline(eventIn(entry, log), createRedisBlobs(zero));
      return toSends(seq, entry.fields.get("l") ?? "", sendsOf(event));
    }
    return [];
  };
  const nextPart = createParts(link, out);
  const sweep = async (): Promise<void> => {
    const full = new Set<AgentId>();
    for (const seq of await nextPart()) if (await tryAll(await sendsIn(seq), full)) await close(seq);
    // Another process may have delivered what was said here.
    for (const seq of waiting.keys())
      if ((await link.command("ZSCORE", out, seq)) === null) waiting.delete(seq);
  };
  let sweeping: Promise<void> | undefined;
  return {
    async deliver(spoken) {
      const { seq } = spoken;
      const sends = toSends(seq, spoken.log, spoken.sends);
      if (sends.length === 0) return;
      waiting.set(seq, sends);
      if (await tryAll(sends, new Set())) await close(seq);
    },
    sweep: () => (sweeping ??= sweep().finally(() => (sweeping = undefined))),
    undelivered: () => [...waiting.values()].flat(),
  };
}

/** Goes round through what is not delivered: the oldest may wait for a full mailbox, and those behind them for nothing. */
function createParts(link: Link, out: string): () => Promise<readonly number[]> {
  let last = 0;
  return async () => {
    const range = [`(${last}`, "+inf", "LIMIT", 0, SWEPT_AT_ONCE];
    const seqs = ((await link.command("ZRANGEBYSCORE", out, ...range)) as readonly string[]).map(Number);
    last = seqs.length < SWEPT_AT_ONCE ? 0 : seqs.at(-1)!;
    return seqs;
  };
}

function toSends(seq: number, from: LogId, sends: readonly Message[]): readonly Send[] {
  return sends.map((message) => {
    const { to, n } = parseMessageId(message.id);
    return { from, message, to, n, seq };
  });
}
