// Logs of agents as tests write them, and the spans that they come to.

import type { Event, NewEvent, OpenedEvent, Outcome, Stop, Usage } from "../../../src/domain/event/event.ts";
import type { Message } from "../../../src/domain/message/message.ts";
import type { ContentWanted } from "../../../src/past/spans/content.ts";
import { createSpans } from "../../../src/past/spans/fold.ts";
import { createOutline, createSentIn } from "../../../src/past/spans/sends.ts";
import type { Span } from "../../../src/past/spans/span.ts";

export const LEGION = "log of 0";

export function opened(log = "log of 1"): OpenedEvent {
  return { kind: "opened", format: 2, log, seals: {} };
}

/** `id` is such as `0>1#1`; a chain of its own unless `more` names its root. */
export function letter(id: string, more: Partial<Message> = {}): Message {
  const [from = "", to = ""] = id.split(/[>#]/);
  return {
    ...{ id, root: id, type: "agentToAgent", source: { type: "agent", id: from }, targetAgentIds: [to] },
    ...{ content: `This is ${id}.`, sentAt: "2026-01-01T00:00:00.000Z", delivery: "normal", hops: 0 },
    ...more,
  };
}

let position = 0;
export function mail(id: string, more: Partial<Message> = {}, held?: true): NewEvent {
  const message = letter(id, more);
  return { kind: "message", message, mail: ++position, from: `log of ${id[0]}`, ...(held && { held }) };
}

export function prompted(input = 100, call?: string): NewEvent {
  const reserved = { input, output: 50 };
  return { kind: "prompted", model: "anthropic/m-1", prompt: "", introduction: "", reserved, call };
}

export function decision(
  calls: readonly string[],
  more: { stop?: Stop; sends?: Message[]; model?: string; usage?: Usage } = {},
): NewEvent {
  const asked = calls.map((id) => ({ id, action: `do-${id}`, parameters: { of: id } }));
  return {
    ...{ kind: "decision", text: "Well.", calls: asked, protocol: "tools", model: "anthropic/m-1" },
    ...{ usage: { input: 90, output: 7 }, stop: calls.length > 0 ? "calls" : "end", ...more },
  };
}

export function result(
  call: string | null,
  outcome: Outcome = "ok",
  more: { sends?: Message[]; usage?: Usage } = {},
): NewEvent {
  return { kind: "result", call, outcome, content: `${call} is done.`, ...more };
}

type Told = NewEvent | OpenedEvent;

/** As a log numbers them, one a second; each `opened` begins a process. */
export function numbered(events: readonly Told[]): readonly Event[] {
  let epoch = 0;
  return events.map((event, index) => {
    if (event.kind === "opened") epoch++;
    return { ...event, seq: index + 1, epoch, at: new Date((index + 1) * 1_000).toISOString() };
  });
}

export interface ToldSpans {
  readonly spans: readonly Span[];
  readonly open: readonly Span[];
}

/** Of all of these logs, by agent. */
export function tell<A extends string | number>(
  logs: Readonly<Record<A, readonly Told[]>>,
  content: ContentWanted = "left out",
) {
  const sentIn = createSentIn();
  const all = Object.entries<readonly Told[]>(logs).map(([agent, events]) => {
    const outline = createOutline(sentIn);
    for (const event of numbered(events)) outline.see(event);
    return { agent, events: numbered(events), outline: outline.settle() };
  });
  const told = all.map(({ agent, events, outline }): [string, ToldSpans] => {
    const fold = createSpans({ agent, legion: LEGION, outline, sentIn, content });
    const spans = events.flatMap((event) => fold.see(event));
    return [agent, { spans, open: fold.open() }];
  });
  return Object.fromEntries(told) as Record<A, ToldSpans>;
}

/** `chat m-1 4-5`, in the order in which they ended; times in seconds, which are numbers of events. */
export function shortly(spans: readonly Span[]): readonly string[] {
  return spans.map(({ name, startMs, endMs, error }) => {
    return [name, `${startMs / 1_000}-${endMs / 1_000}`, ...(error === undefined ? [] : [error])].join(" ");
  });
}
