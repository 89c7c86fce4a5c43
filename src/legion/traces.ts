// What the agents of a legion did, as spans: folded from what is recorded, also while a node runs. All logs are read twice: what was
// sent in which span has to be known before the first is told. No more is held than that, and what is under way.

import { messageOf } from "../base/errors.ts";
import { CONTROL, type AgentId, type LogId } from "../domain/message/message.ts";
import type { ContentWanted } from "../past/spans/content.ts";
import { createSpans } from "../past/spans/fold.ts";
import { createOutline, createSentIn, type SentIn, type SpanOutline } from "../past/spans/sends.ts";
import { traceIdOf, type Span } from "../past/spans/span.ts";
import type { Reader } from "../storage/contract/reader.ts";

type RecordedLogs = Pick<Reader, "known" | "events">;

/** Which spans; without a word, all. */
export interface TraceWish {
  /** A first message: only what it reached. */
  readonly root?: string;
  readonly agents?: readonly AgentId[];
  /** Only what ended since, or goes on; in milliseconds since 1970. */
  readonly sinceMs?: number;
  readonly content: ContentWanted;
}

/** The logs of a legion after their first reading. */
export interface TraceLogs {
  /** The log of Control; empty if nothing was ever said. */
  readonly legion: LogId;
  readonly sentIn: SentIn;
  readonly outlines: ReadonlyMap<AgentId, SpanOutline>;
  /** Agents whose logs cannot be read, and why: what they did is missing. */
  readonly unread: readonly { readonly agent: AgentId; readonly reason: string }[];
  /** Of the message that was looked for, the first one of its chain; absent: nobody was sent it. */
  readonly root?: string;
}

/** @param message a message to look for */
export async function readTraceLogs(reader: RecordedLogs, message?: string): Promise<TraceLogs> {
  const sentIn = createSentIn();
  const outlines = new Map<AgentId, SpanOutline>();
  const unread: { agent: AgentId; reason: string }[] = [];
  let root: string | undefined;
  for (const agent of await reader.known()) {
    const outline = createOutline(sentIn);
    try {
      for await (const event of reader.events(agent)) {
        outline.see(event);
        if (message === undefined || event.kind !== "message") continue;
        if (event.message.root === message) root = message;
        else if (event.message.id === message) root ??= event.message.root;
      }
      outlines.set(agent, outline.settle());
    } catch (error) {
      unread.push({ agent, reason: messageOf(error) });
    }
  }
  return { legion: await logOfControl(reader), sentIn, outlines, unread, root };
}

/** The one that it began with: what was lost of it later changes no trace. */
export function logOfControl(reader: Pick<Reader, "events">): Promise<LogId> {
  return logOf(reader, CONTROL);
}

/** The same of any agent; empty where nothing is recorded. */
export async function logOf(reader: Pick<Reader, "events">, agent: AgentId): Promise<LogId> {
  for await (const event of reader.events(agent)) if (event.kind === "opened") return event.log;
  return "";
}

/** Agent by agent, each in the order in which they ended; then what goes on. */
export async function* tellSpans(
  reader: RecordedLogs,
  logs: TraceLogs,
  wish: TraceWish,
): AsyncGenerator<Span> {
  const { root, agents, sinceMs = -Infinity, content } = wish;
  const trace = root === undefined ? undefined : traceIdOf(logs.legion, root);
  const isWanted = (span: Span): boolean => trace === undefined || span.trace === trace;
  for (const [agent, outline] of logs.outlines) {
    if (agents && !agents.includes(agent)) continue;
    const spans = createSpans({ ...logs, agent, outline, content });
    for await (const event of reader.events(agent)) {
      if (event.seq > outline.last) break;
      yield* spans.see(event).filter((span) => isWanted(span) && span.endMs >= sinceMs);
    }
    yield* spans.open().filter(isWanted);
  }
}
