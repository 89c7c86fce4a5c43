// The calls of the newest decision, as spans `execute_tool`: each from the decision, or the result before, to its result. The time
// that a call waits for a person is not its own. One that a crash cut off ends with its process, or begins when it is run again.

import type { Call, EventOf } from "../../domain/event/event.ts";
import {
  callEvent,
  shortName,
  spanIdOf,
  toSpan,
  type Span,
  type SpanAttributes,
  type SpanPlace,
  type SpanSource,
} from "./span.ts";

interface DecidedCalls {
  readonly decision: EventOf<"decision">;
  /** What it was made for. */
  readonly unit: SpanPlace;
  /** Since then the first call without a result may have been running. */
  sinceMs: number;
  /** Where the process that ran it is no more: when that was last heard of, and since when it may run again. */
  cut?: { readonly lastMs: number; readonly againMs: number };
  /** How many model calls each of them made, by its id. */
  readonly asked: Map<string, number>;
}

/** A call, and what its span is known by. */
export interface PlacedCall extends Call {
  readonly place: SpanPlace;
}

export const CUT_OFF = "interrupted";

export function createCalls(source: SpanSource) {
  let open: DecidedCalls | undefined;
  const find = (id: string | null): PlacedCall | undefined => {
    const index = open?.decision.calls.findIndex((call) => call.id === id) ?? -1;
    const call = open?.decision.calls[index];
    if (!open || !call) return undefined;
    const event = callEvent(open.decision.seq, index);
    return { ...call, place: { trace: open.unit.trace, id: spanIdOf(source.log, event) } };
  };
  return {
    find,
    decide(decision: EventOf<"decision">, unit: SpanPlace, atMs: number): void {
      open = { decision, unit, sinceMs: atMs, asked: new Map() };
    },
    /** A call asks a model. */
    ask: ({ id }: Call): void => void open?.asked.set(id, (open.asked.get(id) ?? 0) + 1),
    /** Did it ask just once? Then what it used is what that model call did. */
    askedOnce: ({ id }: Call): boolean => open?.asked.get(id) === 1,
    waited(atMs: number): void {
      if (open) open.sinceMs = atMs;
    },
    /** The process that ran it was last heard of at `lastMs`; what is run again is so from `againMs` on. */
    cut(lastMs: number, againMs: number): void {
      if (open) open.cut = { lastMs: open.cut?.lastMs ?? lastMs, againMs };
    },
    leave: (): void => void (open = undefined),
    /** A call has its result. */
    close(
      call: PlacedCall,
      result: EventOf<"result">,
      content: SpanAttributes,
      atMs: number,
    ): Span | undefined {
      if (!open) return undefined;
      const { unit, sinceMs, cut } = open;
      const { outcome, usage } = result;
      const isCut = outcome === "interrupted";
      Object.assign(open, { sinceMs: atMs, cut: undefined });
      return toSpan(source, {
        ...{ ...call.place, parent: unit.id, links: [] },
        ...{ operation: "execute_tool", target: call.action },
        startMs: isCut ? sinceMs : (cut?.againMs ?? sinceMs),
        endMs: isCut ? (cut?.lastMs ?? atMs) : atMs,
        attributes: {
          "gen_ai.tool.name": shortName(call.action),
          "gen_ai.tool.call.id": shortName(call.id),
          "gen_ai.tool.type": "function",
          ...content,
          "ai_legion.event": result.seq,
          "ai_legion.usage.input_tokens": usage?.input,
          "ai_legion.usage.output_tokens": usage?.output,
        },
        error: isCut ? CUT_OFF : outcome === "error" ? "tool_error" : undefined,
      });
    },
  };
}
