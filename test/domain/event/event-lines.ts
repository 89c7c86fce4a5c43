// Events by the line, and views over them.

import type { Call, Event, MessageEvent, NewEvent, Outcome } from "../../../src/domain/event/event.ts";
import { CONTROL, type AgentId } from "../../../src/domain/message/message.ts";
import { textProtocol } from "../../../src/model/protocol/text.ts";
import { toolsProtocol } from "../../../src/model/protocol/tools.ts";
import { createView, type View, type ViewOptions } from "../../../src/past/view.ts";

export const KEEP: ViewOptions = { protocol: toolsProtocol, errors: "keep", window: Infinity };
export const FORGET: ViewOptions = { protocol: textProtocol, errors: "forget", window: Infinity };

/** A view with a log's numbering in front of it. */
export function folded(
  options: ViewOptions,
  events: readonly NewEvent[],
): { readonly view: View; readonly log: Event[] } {
  const view = createView(options);
  const log = events.map((event, index): Event => ({
    ...event,
    seq: index + 1,
    epoch: 1,
    at: "2026-01-01T00:00:00.000Z",
  }));
  for (const event of log) view.see(event);
  return { view, log };
}

let sent = 0;

export function verdict(content: string): NewEvent {
  const event = message(content);
  return { ...event, message: { ...event.message, delivery: "verdict" } };
}

export function message(content: string, from: AgentId = CONTROL): MessageEvent {
  const id = `${from}>1#${++sent}`;
  return {
    kind: "message",
    mail: sent,
    from: "log",
    message: {
      id,
      type: "agentToAgent",
      source: { type: "agent", id: from },
      targetAgentIds: ["1"],
      content,
      sentAt: "2026-01-01T00:00:00.000Z",
      delivery: "normal",
      root: id,
      hops: 0,
    },
  };
}

export function decision(text: string, ...ids: readonly string[]): NewEvent {
  const calls = ids.map((id): Call => ({ id, action: "work", parameters: {} }));
  return {
    kind: "decision",
    text,
    calls,
    protocol: "tools",
    model: "m",
    usage: { input: 1, output: 1 },
    stop: "end",
  };
}

export function unparsed(text: string): NewEvent {
  return {
    kind: "decision",
    text,
    calls: [],
    protocol: "text",
    model: "m",
    usage: { input: 1, output: 1 },
    stop: "unparsed",
  };
}

export function result(call: string | null, outcome: Outcome, content = `${outcome} of ${call}`): NewEvent {
  return { kind: "result", call, outcome, content };
}

export function summary(covers: readonly [number, number], content = "what happened"): NewEvent {
  return { kind: "summary", covers, content, strategy: "legion", usage: { input: 1, output: 1 } };
}

export function texts({ turns }: View): string {
  return turns
    .map((turn) =>
      turn.role === "results" ? turn.results.map(({ content }) => content).join("\n") : turn.text,
    )
    .join("\n");
}
