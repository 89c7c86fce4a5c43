// Delivers the sends of committed events, beside the loop: the actor goes on while a message waits for its recipient.
//
//   O1. Only what is committed is delivered, per recipient in the order of its numbers.
//   O2. A delivery is tried until the recipient has it; after a restart from the log again. The recipient knows it by
//       its number.

import type { Bus } from "./bus/bus.ts";
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
  /** Stops trying. */
  close(): void;
}

export function createOutbox(memory: Memory, bus: Pick<Bus, "send">, clock: Clock): Outbox {
  const { ledger } = memory;
  const delivered = new Set<number>();
  const lanes = new Map<AgentId, Promise<void>>();
  const closing = new AbortController();
  const waiting = (to: AgentId): Send | undefined =>
    ledger.undelivered.find((send) => send.to === to && !delivered.has(send.ordinal));

  const settle = (send: Send): void => {
    delivered.add(send.ordinal);
    const open = ledger.undelivered.find(({ ordinal }) => !delivered.has(ordinal));
    const upTo = open ? open.ordinal - 1 : ledger.sends;
    if (ledger.undelivered[0]!.ordinal > upTo) return;
    memory.note({ kind: "sent", upTo });
    for (const ordinal of delivered) if (ordinal <= upTo) delivered.delete(ordinal);
  };
  const attempt = async (send: Send): Promise<boolean> => {
    let receipt = await bus.send(send);
    if (receipt.status === "gap") {
      for await (const missing of sentBetween(memory, send, receipt.expected)) await bus.send(missing);
      receipt = await bus.send(send);
    }
    const arrived = receipt.status === "accepted" || receipt.status === "duplicate";
    if (arrived && !closing.signal.aborted) settle(send);
    return arrived;
  };
  /** Delivers everything to one recipient, in order. `tried` is called when all of it was tried once. */
  const run = async (to: AgentId, tried: () => void): Promise<void> => {
    let retryMs = FIRST_RETRY_MS;
    for (let send = waiting(to); send && !closing.signal.aborted; send = waiting(to)) {
      // A mailbox that cannot be written is like a full one: the message stays here and is tried again.
      if (await attempt(send).catch(() => false)) retryMs = FIRST_RETRY_MS;
      else {
        tried();
        await clock.sleep(retryMs, closing.signal);
        retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
      }
    }
    tried();
  };
  const lane = (to: AgentId): Promise<void> => {
    const running = lanes.get(to);
    if (running) return running;
    const tried = new Promise<void>((resolve) => {
      void run(to, resolve).finally(() => lanes.delete(to));
    });
    lanes.set(to, tried);
    return tried;
  };
  return {
    async deliver() {
      if (closing.signal.aborted) return;
      const recipients = new Set(this.undelivered().map(({ to }) => to));
      await Promise.all([...recipients].map(lane));
    },
    undelivered: () => ledger.undelivered.filter(({ ordinal }) => !delivered.has(ordinal)),
    close: () => closing.abort(),
  };
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
