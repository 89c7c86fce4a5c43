// What a legion shows to its watchers, made by hand.

import type { DecisionEvent, Event, NewEvent, ResultEvent } from "../../src/domain/event/event.ts";
import type { AgentState, CallPhase, Inspection } from "../../src/domain/inspection.ts";
import type { Message } from "../../src/domain/message/message.ts";

let seq = 0;
export const committed = (agent: string, event: NewEvent): Inspection => ({
  kind: "event",
  agent,
  event: { ...event, seq: ++seq, epoch: 1, at: "2026-11-21T12:00:00.000Z" } as Event,
});
export const delta = (agent: string, text: string, kind: "text" | "thoughts" = "text"): Inspection => ({
  kind: "live:delta",
  agent,
  delta: { kind, text },
});
export const state = (agent: string, now: AgentState, reason?: string): Inspection => ({
  kind: "live:state",
  agent,
  state: now,
  ...(reason !== undefined && { reason }),
});
export const decision = (agent: string, given: Partial<DecisionEvent> = {}): Inspection =>
  committed(agent, {
    kind: "decision",
    text: "",
    calls: [],
    protocol: "tools",
    model: "scripted",
    usage: { input: 1, output: 1 },
    stop: "calls",
    ...given,
  });
export const result = (agent: string, content: string, given: Partial<ResultEvent> = {}): Inspection =>
  committed(agent, { kind: "result", call: "c1", outcome: "ok", content, ...given });
export const live = (agent: string, id: string, action: string, phase: CallPhase): Inspection => ({
  kind: "live:call",
  agent,
  call: id,
  action,
  ...phase,
});
export const progress = (agent: string, id: string, text: string): Inspection => ({
  kind: "live:progress",
  agent,
  call: id,
  text,
});
export const call = (action: string, parameters: unknown = {}, id = "c1") => ({ id, action, parameters });

export function message(from: string, to: string, content: string, given: Partial<Message> = {}): Message {
  return {
    id: `${from}>${to}#1`,
    type: "agentToAgent",
    source: { type: "agent", id: from },
    targetAgentIds: [to],
    content,
    sentAt: "2026-11-21T12:00:00.000Z",
    delivery: "normal",
    root: `${from}>${to}#1`,
    hops: 0,
    ...given,
  };
}
export const mail = (agent: string, content: string, given?: Partial<Message>): Inspection =>
  committed(agent, { kind: "message", message: message("0", agent, content, given), mail: 1, from: "log" });
