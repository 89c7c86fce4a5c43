// Sends spans to a collector: what is over in the record and was not sent. A bell says whose log has more; everything is read from
// the record. While the collector is away one batch is held, and nothing is read on: what comes meanwhile costs nothing. How far
// it is stands on disk, so that after the end of the process, however that came, nothing is missing, and what comes twice has the
// same ids.

import { messageOf } from "../../base/errors.ts";
import type { Inspect } from "../../domain/inspection.ts";
import { CONTROL, displayName, type AgentId } from "../../domain/message/message.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { createBatch, type BatchOptions } from "./batch.ts";
import { createTracks } from "./tracks.ts";

export interface Exporter {
  readonly see: Inspect;
  /** Sends what is over by now, if that can be had in a few seconds. Never rejects. */
  close(): Promise<void>;
}

export interface ExporterOptions extends Omit<BatchOptions, "over"> {
  readonly reader: Pick<Reader, "events" | "last">;
  /** Whose spans are sent, to begin with. */
  readonly agents: readonly AgentId[];
}

/** From what is seen to when it is sent. */
const PAUSE_MS = 1_000;
/** The end of a process waits no longer for a collector. */
const LAST_MS = 5_000;

export function startExporter(options: ExporterOptions): Exporter {
  const { agents, clock, reader, settings } = options;
  const over = new AbortController();
  const tell = onChange(options.tell);
  const batch = createBatch({ ...options, tell, over: over.signal });
  const tracks = createTracks({ reader, content: settings.content, sent: options.marks.at });
  /** Whose logs have more than was told. */
  let behind = new Set(agents);
  const newest = new Map<AgentId, number>();
  const pass = async (now: ReadonlySet<AgentId>): Promise<void> => {
    const ends = await tracks.readOn(now, (agent, error) =>
      tell(`what ${displayName(agent)} did is in no trace: ${messageOf(error)}`),
    );
    for (const [agent, end] of ends) {
      const sent = options.marks.of(agent, end.log);
      for await (const { seq, spans } of tracks.tell(agent, end)) {
        batch.add(agent, { ...end, seq }, seq > sent ? spans : []);
        if (batch.isFull && !(await batch.send())) return;
      }
    }
    await batch.send();
  };
  const tryPass = async (): Promise<void> => {
    const now = behind;
    behind = new Set();
    try {
      await pass(now);
    } catch (error) {
      behind = new Set([...now, ...behind]);
      tell(`traces cannot be made: ${messageOf(error)}`);
    }
  };
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    while (behind.size > 0 && !over.signal.aborted) {
      await clock.sleep(PAUSE_MS, over.signal);
      if (!over.signal.aborted) await tryPass();
    }
    running = undefined;
  };
  if (behind.size > 0) running = run();
  return {
    see(seen) {
      if (seen.kind !== "event" || seen.agent === CONTROL || over.signal.aborted) return;
      const { agent, event } = seen;
      // A log that failed goes on from what it acknowledged, with other events under the same numbers.
      if (event.seq <= (newest.get(agent) ?? 0)) tracks.forget(agent);
      newest.set(agent, event.seq);
      behind.add(agent);
      running ??= run();
    },
    async close() {
      const last = AbortSignal.timeout(LAST_MS);
      batch.end(last);
      over.abort();
      await running;
      if (!batch.hasFailed) await tryPass();
    },
  };
}

/** Says nothing twice in a row. */
function onChange(tell: (text: string) => void): (text: string) => void {
  let before = "";
  return (text) => {
    if (text !== before) tell(text);
    before = text;
  };
}
