// Logs of agents that talk to each other, as a test writes them, and whoever reads them.

import fc from "fast-check";
import { sendsOf, type Event, type NewEvent } from "../../../src/domain/event/event.ts";
import { CONTROL, type AgentId, type Message } from "../../../src/domain/message/message.ts";
import { createReader, type Reader } from "../../../src/storage/contract/reader.ts";
import { createBlobs } from "../../../src/past/log/blobs.ts";
import { createDisk } from "../../../src/base/files/disk.ts";
import { letter, opened, numbered, result } from "../../past/spans/story.ts";

export type Logs = Readonly<Record<AgentId, readonly NewEvent[]>>;

export function readerOf(logs: Logs): Reader {
  const told = new Map(
    Object.entries(logs).map(([agent, events]) => [agent, numbered([opened(`log of ${agent}`), ...events])]),
  );
  return createReader({
    known: () => Promise.resolve([...told.keys()].filter((id) => id !== CONTROL)),
    async *events(agent, from = 1): AsyncGenerator<Event> {
      for (const event of told.get(agent) ?? []) if (event.seq >= from) yield await Promise.resolve(event);
    },
    last: (agent) => Promise.resolve(told.get(agent)?.length ?? 0),
    unread: () => Promise.resolve([]),
    lastStart: () => Promise.resolve(undefined),
    recordText: () => Promise.resolve(undefined),
    blobs: () => createBlobs("nowhere", createDisk("nowhere")),
  });
}

/** Message `n` of `from` to `to`; the first of a chain unless `more` says another. */
export function said(from: AgentId, to: AgentId, n: number, more: Partial<Message> = {}): NewEvent {
  const at = new Date(n * 1_000).toISOString();
  return result(null, "ok", { sends: [letter(`${from}>${to}#${n}`, { sentAt: at, ...more })] });
}

/** The one that `sent` sends, as its reader takes it in. */
export function takes(sent: NewEvent, held?: true): NewEvent {
  const [message] = sendsOf(sent);
  const from = `log of ${message!.id.split(">")[0]}`;
  return { kind: "message", message: message!, mail: 1, from, held };
}

export interface Spoken {
  readonly from: AgentId;
  readonly to: AgentId;
  readonly isTaken: boolean;
}

const PARTY = fc.constantFrom("0", "1", "2", "3");

/** Of each pair the first few are taken in, as mail is. */
export const anyTalk: fc.Arbitrary<readonly Spoken[]> = fc
  .tuple(fc.array(fc.record({ from: PARTY, to: PARTY }), { maxLength: 60 }), fc.nat(5))
  .map(([talk, many]) => {
    const counts = new Map<string, number>();
    return talk.map(({ from, to }) => {
      const n = (counts.get(`${from}>${to}`) ?? 0) + 1;
      counts.set(`${from}>${to}`, n);
      return { from, to, isTaken: n <= many };
    });
  });

/** What the logs of all say of it. */
export function talked(talk: readonly Spoken[]): Logs {
  const logs: Record<AgentId, NewEvent[]> = { "0": [], "1": [], "2": [], "3": [] };
  const counts = new Map<string, number>();
  for (const { from, to, isTaken } of talk) {
    const n = (counts.get(`${from}>${to}`) ?? 0) + 1;
    counts.set(`${from}>${to}`, n);
    const sent = said(from, to, n);
    logs[from]!.push(sent);
    if (isTaken) logs[to]!.push(takes(sent));
  }
  return logs;
}
