// Spans on their way to a collector, one request at a time: as often as it takes, further and further apart.

import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { TracingSettings } from "./settings.ts";
import { count } from "../../base/text/wording.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { otlpRequest } from "../../past/spans/otlp.ts";
import type { Span } from "../../past/spans/span.ts";
import { deliver } from "./delivery.ts";
import type { SentMark, SentMarks } from "./marks.ts";

const MAX_SPANS = 512;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

export interface BatchOptions {
  readonly settings: TracingSettings;
  /** Of this program. */
  readonly version: string;
  readonly marks: SentMarks;
  readonly clock: Pick<Clock, "sleep">;
  /** Told what stands against it; one line. */
  readonly tell: (problem: string) => void;
  /** Aborts when the process is to end. */
  readonly over: AbortSignal;
}

export function createBatch({ settings, version, marks, clock, tell, over }: BatchOptions) {
  let spans: Span[] = [];
  const reached = new Map<AgentId, SentMark>();
  let last: AbortSignal | undefined;
  let hasFailed = false;
  /** Resolves with false where the process ends before it is taken. */
  const insist = async (body: string): Promise<boolean> => {
    const place = new URL(settings.url).host;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
      const signal = last ?? over;
      const outcome = await deliver(body, settings, signal);
      if (outcome.kind === "lost")
        tell(`${count(spans.length, "span")} were refused by ${place} and are lost: ${outcome.why}`);
      if (outcome.kind === "taken" && outcome.remark !== undefined) tell(`${place} says: ${outcome.remark}`);
      if (outcome.kind !== "later") return true;
      // What was broken off by the end is tried once more.
      if (signal === last) return false;
      if (!over.aborted) tell(`traces are sent to ${place} later: ${outcome.why}`);
      if (!over.aborted) await clock.sleep(outcome.afterMs ?? waitMs, over);
    }
  };
  return {
    /** The process ended, and the collector took not all. */
    get hasFailed() {
      return hasFailed;
    },
    get isFull() {
      return spans.length >= MAX_SPANS;
    },
    /** What was over with one event; with that all is told up to there. */
    add(agent: AgentId, mark: SentMark, more: readonly Span[]): void {
      spans.push(...more);
      reached.set(agent, mark);
    },
    /** From now on each request is tried once, until `signal` aborts. */
    end(signal: AbortSignal): void {
      last = signal;
    },
    /** Resolves when it was taken, and that is on disk; with false where the process ends before. */
    async send(): Promise<boolean> {
      const hasNews = spans.length > 0;
      if (hasNews) {
        hasFailed = !(await insist(otlpRequest(spans, { attributes: settings.resource, version })));
        if (hasFailed) return false;
        spans = [];
      }
      for (const [agent, mark] of reached) marks.set(agent, mark);
      // What is over without a span need not be read again, but is worth no writing by itself.
      if (hasNews || (last && reached.size > 0))
        await marks.save().catch((error: unknown) => tell(`traces may be sent twice: ${messageOf(error)}`));
      reached.clear();
      return true;
    },
  };
}
