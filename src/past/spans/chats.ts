// Model calls as spans `chat`: every attempt, from the event that begins it to the one that ends it. One that nobody heard of
// again is told with what was reserved for it, which is what it is charged.

import type { EventOf, Stop, Usage } from "../../domain/event/event.ts";
import {
  modelAttributes,
  spanIdOf,
  toSpan,
  type Span,
  type SpanAttributes,
  type SpanPlace,
  type SpanSource,
} from "./span.ts";

/** A model call that is under way. */
export interface OpenChat {
  readonly prompted: EventOf<"prompted">;
  readonly startMs: number;
  /** What asks. */
  readonly parent: SpanPlace | undefined;
  readonly links: readonly SpanPlace[];
  /** What it is shown, if that is to be told. */
  readonly content: SpanAttributes;
}

/** How a model call ended. */
export interface ChatEnd {
  readonly atMs: number;
  /** Absent: nobody knows, and what was reserved is charged; `free`: it was refused. */
  readonly usage?: Usage | "free";
  readonly stop?: Stop;
  /** What it answered, if that is to be told. */
  readonly content?: SpanAttributes;
  readonly error?: string;
}

export const NO_ANSWER = "no_answer";

/** Follows which model calls are under way: at most one of the agent itself, and one of each call of its newest decision. */
export function createChats(spanOf: (chat: OpenChat, end: ChatEnd) => Span) {
  const open = new Map<string | undefined, OpenChat>();
  const end = (call: string | undefined, how: ChatEnd): readonly Span[] => {
    const chat = open.get(call);
    open.delete(call);
    return chat ? [spanOf(chat, how)] : [];
  };
  const endAll = (how: ChatEnd): readonly Span[] => [...open.keys()].flatMap((call) => end(call, how));
  return {
    /** Is the agent itself at one? */
    get isAsking() {
      return open.has(undefined);
    },
    begin(chat: OpenChat): readonly Span[] {
      const { call } = chat.prompted;
      // An action's earlier call is part of what its result says; the agent's own was given up.
      const before = end(call, { atMs: chat.startMs, ...(call === undefined && { error: NO_ANSWER }) });
      open.set(call, chat);
      return before;
    },
    /** The agent's own was answered; of all others nobody will hear. */
    answered(how: ChatEnd): readonly Span[] {
      return [...end(undefined, how), ...endAll({ atMs: how.atMs, error: NO_ANSWER })];
    },
    /** The action that asked is over. */
    closed: (call: string, how: ChatEnd): readonly Span[] => end(call, how),
    refused({ prompted, status }: EventOf<"refused">, atMs: number): readonly Span[] {
      const [call, chat] =
        [...open].find(
          ([
            ,
            {
              prompted: { seq },
            },
          ]) => seq === prompted,
        ) ?? [];
      const error = status === undefined ? "connection" : String(status);
      return chat ? end(call, { atMs, usage: "free", error }) : [];
    },
    /** Nobody is at any of them any more. */
    cut: (atMs: number, error: string): readonly Span[] => endAll({ atMs, error }),
    all: (): readonly OpenChat[] => [...open.values()],
  };
}

/** The words that the conventions have for them; of one that could not be read the model had said its fill. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  end: "stop",
  calls: "tool_call",
  length: "length",
  refused: "content_filter",
  unparsed: "stop",
};

export function finishReason(stop: Stop): string {
  return FINISH_REASONS[stop] ?? "error";
}

export function chatSpan(source: SpanSource, chat: OpenChat, end: ChatEnd): Span {
  const { prompted, startMs, parent, links } = chat;
  const model = modelAttributes(prompted.model);
  const failure =
    end.stop === "unparsed" || end.stop === "aborted" || end.stop === "refused" ? end.stop : undefined;
  return toSpan(source, {
    trace: parent?.trace ?? "",
    id: spanIdOf(source.log, String(prompted.seq)),
    parent: parent?.id,
    links,
    operation: "chat",
    target: String(model["gen_ai.request.model"]),
    ...{ startMs, endMs: end.atMs },
    attributes: {
      ...model,
      "gen_ai.response.finish_reasons": end.stop === undefined ? undefined : [finishReason(end.stop)],
      ...usageAttributes(prompted, end),
      ...chat.content,
      ...end.content,
      "ai_legion.event": prompted.seq,
    },
    error: end.error ?? failure,
  });
}

function usageAttributes({ reserved }: EventOf<"prompted">, { usage }: ChatEnd): SpanAttributes {
  if (usage === "free") return {};
  if (!usage) return { "gen_ai.usage.input_tokens": reserved.input, "ai_legion.usage.reserved": true };
  return {
    "gen_ai.usage.input_tokens": usage.input,
    "gen_ai.usage.output_tokens": usage.output,
    "gen_ai.usage.cache_read.input_tokens": usage.cacheRead,
    "gen_ai.usage.cache_creation.input_tokens": usage.cacheWrite,
    "ai_legion.usage.cost": usage.cost,
  };
}
