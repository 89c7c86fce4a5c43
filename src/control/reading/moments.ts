// Earlier moments of a legion, for whoever looks at them: the last few are kept, so that every area of a page shows the same one and
// no log is looked at again for each.

import { CONTROL } from "../../domain/message/message.ts";
import { momentAt, unreadBy, wholeRecord, type Moment, type RecordSpan } from "../../legion/moment/moment.ts";
import { readerAt } from "../../legion/moment/reader.ts";
import { statusThen, type AgentStatus } from "../../legion/status.ts";
import { knotsShown } from "../../legion/knots/shown.ts";
import { withStandings } from "../../legion/waits.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { ReadingAnswer } from "../api/readings.ts";

/** Kept at once. */
const MOST_MOMENTS = 8;
/** So long the record is taken to be as it was found: what comes later is no part of an earlier moment. */
const FOUND_MS = 10_000;

export interface PastLegion {
  readonly reader: Reader;
  statuses(): Promise<readonly AgentStatus[]>;
}

export interface Moments {
  /** @param moment ISO 8601; absent: the latest of the record */
  show(moment: string | undefined): Promise<ReadingAnswer<"moment">>;
  legionAt(moment: string): Promise<PastLegion>;
}

type FoundRecord = Moment & RecordSpan;

export function createMoments(reader: Reader): Moments {
  let found: { readonly atMs: number; readonly record: Promise<FoundRecord> } | undefined;
  const kept = new Map<number, Promise<Moment>>();
  /** As it is at least since `ms`. */
  const recordSince = (ms: number): Promise<FoundRecord> => {
    const now = Date.now();
    if (found && found.atMs >= ms && now - found.atMs < FOUND_MS) return found.record;
    kept.clear();
    const record = wholeRecord(reader);
    found = { atMs: now, record };
    record.catch(() => (found = undefined));
    return record;
  };
  const at = async (ms: number): Promise<Moment> => {
    const record = await recordSince(ms);
    const moment = kept.get(ms) ?? momentAt(reader, ms, record);
    kept.delete(ms);
    kept.set(ms, moment);
    moment.catch(() => kept.delete(ms));
    for (const oldest of kept.keys()) if (kept.size > MOST_MOMENTS) kept.delete(oldest);
    return moment;
  };
  return {
    async show(said) {
      const record = await recordSince(said === undefined ? Date.now() : Date.parse(said));
      const { began, latest } = record;
      const moment = said === undefined ? record : await at(Date.parse(said));
      const agents = withStandings(await statusesAt(reader, moment));
      const ends = [...moment.digests].map(([agent, { ledger }]) => [agent, ledger.last] as const);
      const knots = knotsShown(agents);
      return { at: moment.at, began, latest, agents, knots, ends: Object.fromEntries(ends) };
    },
    async legionAt(said) {
      const moment = await at(Date.parse(said));
      return { reader: readerAt(reader, moment), statuses: () => statusesAt(reader, moment) };
    },
  };
}

async function statusesAt(reader: Reader, moment: Moment): Promise<readonly AgentStatus[]> {
  const agents = [...moment.digests].filter(([agent]) => agent !== CONTROL);
  return Promise.all(
    agents.map(async ([agent, digest]) => {
      const { model } = await reader.record(agent);
      return statusThen(agent, digest, { unread: unreadBy(moment, agent), model });
    }),
  );
}
