// What was recorded of a legion by one moment, in the place of what is recorded of it now: whoever reads it sees that moment and
// nothing later.

import { CONTROL, parseMessageId, type AgentId } from "../../domain/message/message.ts";
import type { Event } from "../../domain/event/event.ts";
import { createReader, excerptOf, readAtRest, type Reader } from "../../storage/contract/reader.ts";
import type { Moment } from "./moment.ts";

/** Mail that waited then is not told: nobody knows where it lay. See `unreadBy` for how much it was. */
export function readerAt(reader: Reader, { digests }: Moment): Reader {
  const endOf = (agent: AgentId): number => digests.get(agent)?.ledger.last ?? 0;
  const events = async function* (agent: AgentId, from = 1): AsyncGenerator<Event> {
    const end = endOf(agent);
    if (from > end) return;
    for await (const event of reader.events(agent, from)) {
      if (event.seq > end) return;
      yield event;
      if (event.seq === end) return;
    }
  };
  const there = createReader({
    events,
    known: () => Promise.resolve([...digests.keys()].filter((agent) => agent !== CONTROL)),
    last: (agent) => Promise.resolve(endOf(agent)),
    unread: () => Promise.resolve([]),
    recordText: () => Promise.resolve(undefined),
    lastStart: reader.lastStart,
    blobs: reader.blobs,
  });
  const then: Omit<Reader, "atRest" | "excerpt"> = {
    ...there,
    digest: async (agent, end) =>
      end ? reader.digest(agent, end) : (digests.get(agent) ?? there.digest(agent)),
    standing: async (agent) => digests.get(agent) ?? there.standing(agent),
    // What a start made of an agent is kept once.
    record: reader.record,
    isForeign: reader.isForeign,
    async *inbox() {
      for await (const message of reader.inbox()) {
        const { from, n } = parseMessageId(message.id);
        if ((digests.get(from)?.ledger.numbers.get(CONTROL) ?? 0) >= n) yield message;
      }
    },
  };
  return { ...then, atRest: (agent) => readAtRest(agent, then), excerpt: excerptOf(then) };
}
