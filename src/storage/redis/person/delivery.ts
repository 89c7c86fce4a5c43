// Delivers what was said by agent 0 of a legion in Redis. What one process leaves undelivered, any other one delivers.

import type { Bus } from "../../../mail/bus.ts";
import { undeliverable } from "../../../past/dead-letters.ts";
import { sendsOf } from "../../../domain/event.ts";
import type { Send } from "../../../past/ledger.ts";
import { inline } from "../../../past/blobs.ts";
import { createRedisBlobs } from "../log/blobs.ts";
import { eventIn } from "../log/entry.ts";
import { readRedisLog } from "../log/log.ts";
import { CONTROL, parseMessageId, type AgentId, type LogId, type Message } from "../../../domain/message.ts";
import { offer, outOfReach, sentTo } from "../../../mail/outbox.ts";
import { agentKeys } from "../scripts/keys.ts";
import type { Link } from "../connection/link.ts";
import type { LegionPlace } from "../cluster/members.ts";
import { readPages } from "../scripts/pages.ts";
import { createWatermarks } from "../scripts/watermarks.ts";
import type { Speech, Spoken } from "./speech.ts";
import { inSuccession } from "./log-order.ts";

export interface SpeechDelivery {
  /** Delivers what was just said here; what cannot be delivered now is left for a sweep. Rejects if Redis cannot be reached. */
  deliver(spoken: Spoken): Promise<void>;
  /** Tries what anybody said and that is not delivered, oldest first; where that is much, a part of it at each call. */
  sweep(): Promise<void>;
  /** Leaves for a sweep what its recipients do not have, though the log says that they do. */
  doubt(): Promise<void>;
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
  const { out } = agentKeys(legion, CONTROL);
  /** Said here and not settled, by event. */
  const waiting = new Map<number, readonly Send[]>();
  const past = { read: (from?: number) => readRedisLog({ ...place, agent: CONTROL }, from) };
  const ordered = inSuccession(bus, past);

  /** Delivers the sends of event `seq`, but to those whose mailboxes are `full`, and notes it if none is left. */
  const tryAll = async (seq: number, sends: readonly Send[], full: Set<AgentId>): Promise<void> => {
    const statuses = await Promise.all(
      sends.map(async (send) => {
        if (full.has(send.to)) return "full";
        const { status } = await offer(past, ordered, send);
        if (status === "full" || status === "gap") full.add(send.to);
        return status;
      }),
    );
    if (statuses.some((status) => status === "full" || status === "gap")) return;
    const lost = sends.filter((_, index) => statuses[index] === "unknown");
    await speech.settle(
      seq,
      lost.map(({ message, to }) => undeliverable(message, outOfReach(to), seq)),
    );
    waiting.delete(seq);
  };
  const nextPart = createParts(link, out);
  const sweep = async (): Promise<void> => {
    const full = new Set<AgentId>();
    for (const seq of await nextPart()) await tryAll(seq, await readSends(place, seq), full);
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
      await tryAll(seq, sends, new Set());
    },
    sweep: () => (sweeping ??= sweep().finally(() => (sweeping = undefined))),
    async doubt() {
      const newest = createWatermarks(place);
      for await (const { to, from, n, seq } of sentTo(past))
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
    return toSends(seq, entry.fields.get("l") ?? "", sendsOf(event));
  }
  return [];
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
