// Agent 0 of a legion in Redis goes on under another log where the newest numbers of the one before may be lost. Within a log
// numbers keep the order; from one log to the next this does: what was said to somebody under earlier ones comes first.

import type { Bus } from "../../../mail/bus.ts";
import type { Send } from "../../../past/ledger.ts";
import type { Memory } from "../../../past/past.ts";
import { parseMessageId, type AgentId, type Delivery, type LogId } from "../../../domain/message.ts";
import { offer, sentTo } from "../../../mail/outbox.ts";

/** As `bus`; says `full` of the first message of a log while an earlier log's last to the same recipient has no room. */
export function inSuccession(bus: Pick<Bus, "send">, memory: Pick<Memory, "read">): Pick<Bus, "send"> {
  const earlier = createEarlier(memory);
  const ordered: Pick<Bus, "send"> = {
    async send(delivery) {
      const last = isFirst(delivery) && (await earlier(delivery.from)).get(addressee(delivery));
      if (last) {
        // Whatever of its log is missing goes before it, and whatever came before that log.
        const { status } = await offer(memory, ordered, last);
        if (status === "full" || status === "gap") return { status: "full" };
      }
      return bus.send(delivery);
    },
  };
  return ordered;
}

function addressee({ message }: Delivery): AgentId {
  return parseMessageId(message.id).to;
}

/** Nothing of the same log comes before it. */
function isFirst({ message, after }: Delivery): boolean {
  return (after ?? parseMessageId(message.id).n - 1) === 0;
}

type Newest = ReadonlyMap<AgentId, Send>;

/** Per recipient the newest send of all logs before one; whoever asks while that is read waits for the same answer. */
function createEarlier(memory: Pick<Memory, "read">): (log: LogId) => Promise<Newest> {
  const reading = new Map<LogId, Promise<Newest>>();
  return (log) => {
    const found = reading.get(log) ?? readBefore(memory, log).finally(() => reading.delete(log));
    reading.set(log, found);
    return found;
  };
}

async function readBefore(memory: Pick<Memory, "read">, log: LogId): Promise<Newest> {
  const newest = new Map<AgentId, Send>();
  if (await isOldest(memory, log)) return newest;
  for await (const send of sentTo(memory)) {
    if (send.from === log) break;
    newest.set(send.to, send);
  }
  return newest;
}

/** Most legions have one log of agent 0 all their life: they are not read from end to end for that. */
async function isOldest(memory: Pick<Memory, "read">, log: LogId): Promise<boolean> {
  for await (const event of memory.read()) return event.kind === "opened" && event.log === log;
  return true;
}
