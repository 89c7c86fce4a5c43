// Spans as Chrome's trace events, which chrome://tracing, ui.perfetto.dev and speedscope.app open: one track for each agent. Pure.
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU

import { displayName, type AgentId } from "../../domain/message/message.ts";
import type { Span } from "./span.ts";

/** All are of one process, as far as these tools care. */
const PROCESS = 1;

/** A file with these spans, piece by piece. */
export async function* chromePieces(spans: AsyncIterable<Span>): AsyncGenerator<string, undefined> {
  const tracks = new Map<AgentId, number>();
  let before = '{"displayTimeUnit":"ms","traceEvents":[\n';
  for await (const span of spans) {
    const known = tracks.get(span.agent);
    const track = known ?? tracks.size + 1;
    if (known === undefined) {
      tracks.set(span.agent, track);
      yield before + JSON.stringify(named(track, span.agent));
      before = ",\n";
    }
    yield before + JSON.stringify(complete(track, span));
  }
  yield tracks.size > 0 ? "\n]}\n" : `${before}]}\n`;
  return undefined;
}

function named(track: number, agent: AgentId): object {
  return { ph: "M", name: "thread_name", pid: PROCESS, tid: track, args: { name: displayName(agent) } };
}

/** Times are microseconds. */
function complete(track: number, span: Span): object {
  const { trace, id, parent, links, name, operation, startMs, endMs, attributes } = span;
  const linked = links.length > 0 ? { links: links.map((link) => link.id).join(" ") } : {};
  return {
    ...{ ph: "X", name, cat: operation, pid: PROCESS, tid: track },
    ...{ ts: startMs * 1_000, dur: (endMs - startMs) * 1_000 },
    args: { trace, span: id, parent, ...linked, ...attributes },
  };
}
