// A legion as it was: how far each log had come at one time, so that no message is received before it was sent, and what it came to by
// then. The clocks of several machines differ: whatever was received too early by them is left out.

import { isLegionError } from "../../base/errors.ts";
import { CONTROL, type AgentId, type LogId } from "../../domain/message/message.ts";
import type { Digest } from "../../past/digest/digest.ts";
import type { LogEnd } from "../../storage/contract/digests/checkpoints.ts";
import type { Reader } from "../../storage/contract/reader.ts";

export interface Moment {
  /** ISO 8601. */
  readonly at: string;
  /** Of every agent that there was, and of Control; an agent whose log cannot be read is not among them. */
  readonly digests: ReadonlyMap<AgentId, Digest>;
}

/** The time over which there is anything to be seen. */
export interface RecordSpan {
  /** ISO 8601; empty where nothing is recorded. */
  readonly began: string;
  readonly latest: string;
}

type Digesting = Pick<Reader, "known" | "digest">;

/** So many logs are read at once: most of the time the disk is waited for. */
const AT_ONCE = 4;

/** What the whole record comes to. */
export async function wholeRecord(reader: Digesting): Promise<Moment & RecordSpan> {
  const digests = await digestAll([CONTROL, ...(await reader.known())], (agent) => reader.digest(agent));
  const seen = [...digests.values()].filter(({ latest }) => latest > 0);
  const [began, latest] = [
    Math.min(...seen.map((digest) => digest.began)),
    Math.max(...seen.map((digest) => digest.latest)),
  ];
  const span = { began: toTime(began), latest: toTime(latest) };
  return { ...span, at: span.latest, digests };
}

function toTime(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : "";
}

/** @param whole of the same record */
export async function momentAt(reader: Digesting, ms: number, whole: Moment & RecordSpan): Promise<Moment> {
  // One of whom nothing is recorded was there as long as anybody.
  const since = Date.parse(whole.began);
  const there = [...whole.digests].filter(([, { began }]) => (began || since) <= ms);
  const ends = new Map<AgentId, LogEnd>(there.map(([agent]) => [agent, { ms }]));
  const digests = new Map<AgentId, Digest>();
  let late: readonly AgentId[] = [...ends.keys()];
  while (late.length > 0) {
    const read = await digestAll(late, (agent) => reader.digest(agent, ends.get(agent)));
    for (const [agent, digest] of read) digests.set(agent, digest);
    const sent = sentBy(digests, whole);
    late = [...digests].flatMap(([agent, { ledger }]) => {
      const mail = new Map(
        [...ledger.seen].flatMap(([log, n]) => {
          const most = sent.get(log)?.get(agent) ?? (sent.has(log) ? 0 : Infinity);
          return n > most ? [[log, most] as const] : [];
        }),
      );
      const before = ends.get(agent)!.mail;
      if (mail.size > 0) ends.set(agent, { ms, mail: new Map([...(before ?? []), ...mail]) });
      return mail.size > 0 ? [agent] : [];
    });
  }
  return { at: new Date(ms).toISOString(), digests };
}

type NumbersTo = ReadonlyMap<AgentId, number>;

/** By the log that each sender has today: how many each recipient had been sent. Of logs that are gone nobody knows. */
function sentBy(digests: ReadonlyMap<AgentId, Digest>, whole: Moment): ReadonlyMap<LogId, NumbersTo> {
  const sent = new Map<LogId, NumbersTo>();
  for (const [agent, { ledger }] of whole.digests) {
    const then = digests.get(agent)?.ledger;
    // Before it went on as the log that it is today, it had sent nothing of that.
    if (ledger.log !== undefined)
      sent.set(ledger.log, then?.log === ledger.log ? then.numbers : new Map<AgentId, number>());
  }
  return sent;
}

async function digestAll(
  agents: readonly AgentId[],
  digest: (agent: AgentId) => Promise<Digest>,
): Promise<ReadonlyMap<AgentId, Digest>> {
  const read = new Map<AgentId, Digest>();
  const left = agents.values();
  const readOn = async (): Promise<void> => {
    for (const agent of left) {
      // Its row in the overview says why it cannot be read.
      const found = await digest(agent).catch(unlessUnreadable);
      if (found) read.set(agent, found);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readOn));
  return new Map(agents.flatMap((agent) => (read.has(agent) ? [[agent, read.get(agent)!] as const] : [])));
}

function unlessUnreadable(error: unknown): undefined {
  if (!isLegionError(error)) throw error;
}

/** Messages to `agent` that were sent by then and that it had not taken in. */
export function unreadBy({ digests }: Moment, agent: AgentId): number {
  const { seen } = digests.get(agent)!.ledger;
  let unread = 0;
  for (const { ledger } of digests.values()) {
    const sent = ledger.numbers.get(agent) ?? 0;
    unread += Math.max(0, sent - (seen.get(ledger.log ?? "") ?? 0));
  }
  return unread;
}
