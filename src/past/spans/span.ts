// A span: one piece of an agent's work as tools for traces know it. Spans are folded from a log, so their ids are made of what
// stands there: whoever folds the same log, however often, gets the same ones. Pure.
//
// Names are those of OpenTelemetry's semantic conventions, version 1.45.0; what is ours begins with `ai_legion.`.
// https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/

import { displayName, type AgentId, type LogId } from "../../domain/message/message.ts";
import { sha256 } from "../log/blobs.ts";

export type SpanValue = string | number | boolean | readonly string[];

/** Those that are `undefined` are left out. */
export type SpanAttributes = Readonly<Record<string, SpanValue | undefined>>;

/** Where a span stands among all others. */
export interface SpanPlace {
  /** 32 hex digits; the same for a first message and all that it reached. */
  readonly trace: string;
  /** 16 hex digits. */
  readonly id: string;
}

/** `invoke_agent`: from taking mail in until the agent rests. `chat`: one model call. `execute_tool`: one action. */
export type SpanOperation = "invoke_agent" | "chat" | "execute_tool";

export interface Span extends SpanPlace {
  /** The span that it came from, which may be another agent's; absent: none, or nobody knows. */
  readonly parent?: string;
  /** What else it was shown came from there. */
  readonly links: readonly SpanPlace[];
  readonly agent: AgentId;
  readonly operation: SpanOperation;
  readonly name: string;
  /** Milliseconds since 1970, as the log has them. */
  readonly startMs: number;
  /** Never before `startMs`. */
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  /** Why it failed, in one word; absent: it did not. */
  readonly error?: string;
}

/** All that one agent's spans have in common. */
export interface SpanSource {
  readonly agent: AgentId;
  /** The agent's log. */
  readonly log: LogId;
}

/** Ids of messages begin anew in every legion: `legion` is the log of Control, which numbers the first ones. */
export function traceIdOf(legion: LogId, root: string): string {
  return sha256(`${legion}\n${root}`).slice(0, 32);
}

/** @param event the number of the event that it begins with; behind a dot which one, where several do */
export function spanIdOf(log: LogId, event: string): string {
  return sha256(`${log}\n${event}`).slice(0, 16);
}

/** The event, as `spanIdOf` takes it, of call number `index` (from 0) of a decision. */
export function callEvent(decision: number, index: number): string {
  return `${decision}.${index}`;
}

const MAX_NAME = 200;

/** Logs are data: a name in one may be of any length. */
export function shortName(name: string): string {
  return name.slice(0, MAX_NAME);
}

/** What is known of a span beside whose it is. */
export type SpanFacts = Omit<Span, "agent" | "name"> & {
  /** What was asked for: a model, a tool, an agent. */
  readonly target: string;
};

export function toSpan({ agent, log }: SpanSource, { target, ...facts }: SpanFacts): Span {
  return {
    ...facts,
    agent,
    name: `${facts.operation} ${shortName(target)}`,
    endMs: Math.max(facts.startMs, facts.endMs),
    attributes: {
      "gen_ai.operation.name": facts.operation,
      "gen_ai.agent.id": agent,
      "gen_ai.agent.name": displayName(agent),
      "gen_ai.conversation.id": log,
      ...facts.attributes,
      "error.type": facts.error,
    },
  };
}

/** A model's name as the log has it: `anthropic/claude...`, `scripted:file`, `offline`. */
export function modelAttributes(model: string): SpanAttributes {
  const [provider = ""] = /^[^/:]*/.exec(model) ?? [];
  return {
    "gen_ai.provider.name": shortName(provider),
    "gen_ai.request.model": shortName(model.slice(provider.length + 1) || provider),
  };
}
