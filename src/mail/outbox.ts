// Delivers the sends of committed events, beside the loop: the actor goes on while a message waits for its recipient.
//
//   O1. Only what is committed is delivered, per recipient in the order of its numbers.
//   O2. A delivery is tried until the recipient has it; after a restart from the log again. The recipient knows it by
//       its number.
//   O3. In mode `held` only what is said to the person is delivered.

import type { Bus, Reception } from "./bus.ts";
import type { Clock } from "../base/clock.ts";
import { buriedBy, graveOf, undeliverable, type Undeliverable } from "../past/mail/dead-letters.ts";
import { sendsIn, type Send } from "../past/mail/sends.ts";
import type { Memory } from "../past/past.ts";
import { CONTROL, type AgentId, type Delivery } from "../domain/message/message.ts";

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 60_000;

export interface Outbox {
  /** Starts to deliver what is not delivered yet. Resolves when each was tried once; never rejects. */
  deliver(): Promise<void>;
  /**
   * Offers once more what was ever sent and `mayBeMissing` says yes to, where a mailbox was damaged: what it has it knows by
   * its number. Resolves when each was tried once.
   */
  offerAgain(mayBeMissing: (send: Send) => boolean | Promise<boolean>): Promise<void>;
  /** Committed sends that are not in their recipient's mailbox yet, oldest first. */
  undelivered(): readonly Send[];
  /** Delivers what can be delivered at once; the rest has to wait for the next start. */
  close(): Promise<void>;
}

export function createOutbox(memory: Memory, bus: Pick<Bus, "send">, clock: Clock): Outbox {
  const progress = createProgress(memory);
  const closing = new AbortController();
  const mayGo = ({ to }: Send): boolean => to === CONTROL || memory.conversation.run.mode !== "held";
  const attempt = async (send: Send): Promise<boolean> => {
    const { status } = await offer(memory, bus, send);
    // Nobody will ever read it: it is kept for a person, and the numbers go on.
    if (status === "unknown") memory.note(unreachable(send));
    const isOver = status !== "full" && status !== "gap";
    if (isOver) progress.arrived(send);
    return isOver;
  };
  // A mailbox that cannot be written is like a full one: the message stays here and is tried again.
  const lanes = createLanes((send) => attempt(send).catch(() => false), clock, closing.signal);
  return {
    async deliver() {
      if (closing.signal.aborted) return;
      for (const send of progress.begin(mayGo)) lanes.add(send);
      await lanes.tried();
    },
    async offerAgain(mayBeMissing) {
      for await (const send of sentTo(memory)) {
        const isWanted = await mayBeMissing(send);
        if (closing.signal.aborted) return;
        if (isWanted && mayGo(send)) lanes.add(send);
      }
      await lanes.tried();
    },
    undelivered: progress.undelivered,
    async close() {
      closing.abort();
      await lanes.ended();
    },
  };
}

/** One lane for each recipient; `attempt` says whether a send is over. */
function createLanes(attempt: (send: Send) => Promise<boolean>, clock: Clock, closing: AbortSignal) {
  /** What goes to each recipient, oldest first, until nothing is left; `tried` resolves when all of it was tried once. */
  const lanes = new Map<AgentId, { queue: Send[]; tried: Promise<void>; end: Promise<void> }>();
  const run = async (to: AgentId, queue: Send[], tried: () => void): Promise<void> => {
    let retryMs = FIRST_RETRY_MS;
    while (queue[0]) {
      if (await attempt(queue[0])) {
        queue.shift();
        retryMs = FIRST_RETRY_MS;
        continue;
      }
      tried();
      await clock.sleep(retryMs, closing);
      if (closing.aborted) break;
      retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
    }
    // In the same turn as the last look: what comes later finds no lane and begins one.
    lanes.delete(to);
    tried();
  };
  const begin = (to: AgentId, first: Send): void => {
    const queue = [first];
    let resolve = (): void => undefined;
    const tried = new Promise<void>((settled) => (resolve = settled));
    lanes.set(to, { queue, tried, end: run(to, queue, resolve) });
  };
  return {
    add(send: Send): void {
      const lane = lanes.get(send.to);
      if (lane) lane.queue.push(send);
      else begin(send.to, send);
    },
    /** Resolves when everything was tried once. */
    async tried(): Promise<void> {
      await Promise.all([...lanes.values()].map(({ tried }) => tried));
    },
    /** Resolves when every lane has come to its end. */
    async ended(): Promise<void> {
      await Promise.all([...lanes.values()].map(({ end }) => end));
    },
  };
}

/** Keeps what nobody will ever read. */
export function unreachable({ message, to, seq }: Send): Undeliverable {
  return undeliverable(message, `There is no agent ${to} any more.`, seq);
}

/** How far the sends of a log have come of which it does not say that they are delivered. */
function createProgress(memory: Memory) {
  const { ledger } = memory;
  const begun = new WeakSet<Send>();
  const arrived = new WeakSet<Send>();
  let open = ledger.undelivered;
  /** So many of the first ones have arrived: one message may go to thousands. */
  let front = 0;
  let noted = 0;
  return {
    /** Those that were never begun and may go, oldest first; now they are. */
    begin(mayGo: (send: Send) => boolean): readonly Send[] {
      const fresh = ledger.undelivered.filter((send) => !begun.has(send) && mayGo(send));
      for (const send of fresh) begun.add(send);
      return fresh;
    },
    arrived(send: Send): void {
      arrived.add(send);
      if (open !== ledger.undelivered) [open, front] = [ledger.undelivered, 0];
      while (open[front] && arrived.has(open[front]!)) front++;
      const next = open[front];
      const upTo = next ? next.seq - 1 : (open.at(-1)?.seq ?? 0);
      if (upTo <= noted || upTo < (open[0]?.seq ?? Infinity)) return;
      noted = upTo;
      try {
        memory.note({ kind: "sent", upTo });
      } catch (error) {
        // It has arrived all the same; once the log is open again, its recipient knows it by its number.
        if (!memory.isDead()) throw error;
      }
    },
    undelivered: (): readonly Send[] => ledger.undelivered.filter((send) => !arrived.has(send)),
  };
}

/** Sends `send`, after what its recipient misses of the same log. */
export async function offer(
  memory: Pick<Memory, "read">,
  bus: Pick<Bus, "send">,
  send: Delivery & Pick<Send, "to" | "n">,
): Promise<Reception> {
  const receipt = await bus.send(send);
  if (receipt.status !== "gap") return receipt;
  let after = receipt.expected - 1;
  for await (const { from, message, n } of sentTo(memory, send.to)) {
    if (from !== send.from || n < receipt.expected || n >= send.n) continue;
    await bus.send({ from, message, after });
    after = n;
  }
  return bus.send({ ...send, after });
}

/**
 * Everything that was ever sent, to `recipient` or to anybody, oldest first. What is dead only a person sends again, and what was copied
 * from another agent's log is none of this one's.
 */
export async function* sentTo(memory: Pick<Memory, "read">, recipient?: AgentId): AsyncGenerator<Send> {
  const graves = new Set<string>();
  let copied = 0;
  for await (const event of memory.read()) {
    if (event.kind === "branch" && event.origin !== undefined) copied = event.seq;
    const grave = event.kind === "notice" ? buriedBy(event) : undefined;
    if (grave !== undefined) graves.add(grave);
  }
  let from = "";
  for await (const event of memory.read()) {
    if (event.kind === "opened") from = event.log;
    if (event.seq < copied) continue;
    for (const send of sendsIn(event, from))
      if ((recipient ?? send.to) === send.to && !graves.has(graveOf(send.message, send.seq))) yield send;
  }
}
