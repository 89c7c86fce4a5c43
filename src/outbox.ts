// Delivers the sends of committed events, beside the loop: the actor goes on while a message waits for its recipient.
//
//   O1. Only what is committed is delivered, per recipient in the order of its numbers.
//   O2. A delivery is tried until the recipient has it; after a restart from the log again. The recipient knows it by
//       its number.

import type { Bus, Receipt } from "./bus/bus.ts";
import type { Clock } from "./clock.ts";
import { sendsOf } from "./event.ts";
import type { Send } from "./ledger.ts";
import type { Memory } from "./memory.ts";
import { parseMessageId, type AgentId, type Delivery } from "./message.ts";

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 60_000;

export interface Outbox {
  /** Starts to deliver what is not delivered yet. Resolves when each was tried once; never rejects. */
  deliver(): Promise<void>;
  /** Committed sends that are not in their recipient's mailbox yet, oldest first. */
  undelivered(): readonly Send[];
  /** Delivers what can be delivered at once; the rest has to wait for the next start. */
  close(): Promise<void>;
}

/** Delivers to one recipient, in order, as long as there is something to deliver. */
interface Lane {
  /** Resolves when all of it was tried once. */
  readonly tried: Promise<void>;
  readonly run: Promise<void>;
}

export function createOutbox(memory: Memory, bus: Pick<Bus, "send">, clock: Clock): Outbox {
  const { ledger } = memory;
  /** Ordinals that arrived, until the log says so of all up to them. */
  const arrived = new Set<number>();
  const lanes = new Map<AgentId, Lane>();
  const closing = new AbortController();
  let noted = 0;
  const undelivered = (): readonly Send[] =>
    ledger.undelivered.filter(({ ordinal }) => !arrived.has(ordinal));
  const next = (to: AgentId): Send | undefined =>
    ledger.undelivered.find((send) => send.to === to && !arrived.has(send.ordinal));

  const settle = (send: Send): void => {
    arrived.add(send.ordinal);
    const open = ledger.undelivered.find(({ ordinal }) => !arrived.has(ordinal));
    const upTo = open ? open.ordinal - 1 : ledger.sends;
    const oldest = ledger.undelivered[0]?.ordinal ?? Infinity;
    for (const ordinal of arrived) if (ordinal < oldest) arrived.delete(ordinal);
    if (upTo < oldest || upTo <= noted) return;
    noted = upTo;
    memory.note({ kind: "sent", upTo });
  };
  const attempt = async (send: Send): Promise<boolean> => {
    const receipt = await offer(memory, bus, send);
    const isThere = receipt.status === "accepted" || receipt.status === "duplicate";
    if (isThere) settle(send);
    return isThere;
  };
  const run = async (to: AgentId, tried: () => void): Promise<void> => {
    let retryMs = FIRST_RETRY_MS;
    for (let send = next(to); send; send = next(to)) {
      // A mailbox that cannot be written is like a full one: the message stays here and is tried again.
      if (await attempt(send).catch(() => false)) {
        retryMs = FIRST_RETRY_MS;
        continue;
      }
      tried();
      await clock.sleep(retryMs, closing.signal);
      if (closing.signal.aborted) break;
      retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
    }
    // In the same turn as the last look: a send that is committed later finds no lane and starts one.
    lanes.delete(to);
    tried();
  };
  const start = (to: AgentId): Lane => {
    let resolve = (): void => undefined;
    const tried = new Promise<void>((settled) => (resolve = settled));
    const lane = { tried, run: run(to, resolve) };
    lanes.set(to, lane);
    return lane;
  };
  return {
    async deliver() {
      if (closing.signal.aborted) return;
      const recipients = new Set(undelivered().map(({ to }) => to));
      await Promise.all([...recipients].map((to) => (lanes.get(to) ?? start(to)).tried));
    },
    undelivered,
    async close() {
      closing.abort();
      await Promise.all([...lanes.values()].map((lane) => lane.run));
    },
  };
}

/** Sends `send`, after what its recipient misses of the same log. */
async function offer(memory: Memory, bus: Pick<Bus, "send">, send: Send): Promise<Receipt> {
  const receipt = await bus.send(send);
  if (receipt.status !== "gap") return receipt;
  let after = receipt.expected - 1;
  for await (const missing of sentBetween(memory, send, receipt.expected)) {
    await bus.send({ ...missing, after });
    after = parseMessageId(missing.message.id).n;
  }
  return bus.send({ ...send, after });
}

/** The sends of the same log to the same recipient with numbers from `expected` up to that of `send`. */
async function* sentBetween(memory: Memory, send: Send, expected: number): AsyncGenerator<Delivery> {
  let log = "";
  for await (const event of memory.read()) {
    if (event.kind === "opened") log = event.log;
    if (log !== send.from) continue;
    for (const message of sendsOf(event)) {
      const { to, n } = parseMessageId(message.id);
      if (to === send.to && n >= expected && n < send.n) yield { from: log, message };
    }
  }
}
