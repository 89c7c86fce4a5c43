// The log of one agent for one viewer: every event once and in order, read from where it is kept, so that nobody is buffered for;
// between them what a node tells before it is an event, which is dropped first.

import type { Inspection } from "../../../domain/inspection.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import { known } from "../known.ts";
import { logOf } from "../readings.ts";
import type { StreamedItem } from "./told-item.ts";
import type { WatchedLegion } from "../watched.ts";

export interface EventStreamOrder {
  readonly agent: AgentId;
  /** The number of the first event; default 1. */
  readonly from?: number;
  /** Where a viewer stood. Of another log than the one that is there now, it begins anew. */
  readonly lastId?: string;
  /** Takes what may be left out, at any time. */
  readonly onLive: (item: StreamedItem) => void;
  readonly signal: AbortSignal;
}

const LAST_ID = /^(.{1,128}):(\d{1,15})$/;

/** Ends when its signal aborts. Rejects with USAGE for an agent that nobody knows. */
export async function* streamEvents(
  watched: WatchedLegion,
  order: EventStreamOrder,
): AsyncGenerator<StreamedItem, undefined> {
  const { backend } = watched;
  const agent = await known(backend.reader, order.agent);
  const [, lastLog, lastSeq] = LAST_ID.exec(order.lastId ?? "") ?? [];
  let log = await logOf(backend.reader, agent);
  const isSame = lastLog === undefined || lastLog === log;
  const behind = isSame && lastSeq !== undefined ? Number(lastSeq) + 1 : undefined;
  const tell = (inspection: Inspection): void => {
    if (inspection.kind.startsWith("live:")) order.onLive({ text: JSON.stringify(inspection) });
  };
  const following = {
    signal: order.signal,
    onAway: (reason: string) => order.onLive({ text: JSON.stringify({ kind: "live:away", reason }) }),
    from: behind ?? (isSame ? order.from : undefined) ?? 1,
    live: async (signal: AbortSignal) => heard(await watched.live(agent, signal), tell),
  };
  // Where Redis is away, following tells of it.
  void watched.overhear(agent, (text) => order.onLive({ text }), order.signal).catch(() => undefined);
  for await (const event of backend.follow(agent, following)) {
    if (event.kind === "opened") log ??= event.log;
    yield { id: `${log}:${event.seq}`, text: JSON.stringify(event) };
  }
  return undefined;
}

async function* heard(
  inspections: AsyncIterable<Inspection> | Iterable<Inspection>,
  tell: (inspection: Inspection) => void,
): AsyncGenerator<Inspection> {
  for await (const inspection of inspections) {
    tell(inspection);
    yield inspection;
  }
}
