// What happens to an agent, for whoever asks for one event after the other, at their own pace.

import type { Event } from "../../domain/event/event.ts";
import type { Inspector } from "../../domain/inspection.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { AgentEvent } from "./agent-event.ts";
import { createBacklog, type Backlog } from "./backlog.ts";
import { createAgentEventFold } from "./fold.ts";

export interface AgentEventSource {
  readonly agent: AgentId;
  readonly inspector: Pick<Inspector, "watch">;
  /** The committed events from a number on, as far as there are any; also once the agent has stopped. */
  readonly read: (from: number) => AsyncIterable<Event>;
}

/**
 * The events of an agent from the call on, until `signal` aborts, the agent is stopped or nobody asks any more. A reader that is
 * slow, or never asks, slows nobody: one that is far behind gets each text in one piece, and of calls their results.
 */
export function iterateAgentEvents(
  source: AgentEventSource,
  signal?: AbortSignal,
): AsyncIterableIterator<AgentEvent, undefined> {
  const watch = watchAgent(source, signal);
  const events = readEvents(source, watch);
  return {
    next: () => events.next(),
    return() {
      // Before the first event was asked for, a generator does not hear of its end.
      watch.end();
      return events.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function* readEvents(
  { agent, read }: AgentEventSource,
  { backlog, over, changed, end }: AgentWatch,
): AsyncGenerator<AgentEvent, undefined> {
  const fold = createAgentEventFold(agent);
  try {
    while (!over.aborted) {
      const { missed, isOver } = backlog;
      const before = missed?.from;
      if (missed) {
        for await (const event of read(missed.from)) {
          if (over.aborted || event.seq > missed.to) break;
          missed.from = event.seq + 1;
          yield* fold({ kind: "event", agent, event });
        }
        if (missed.from > missed.to || isOver) backlog.caughtUp();
      }
      for (let seen = backlog.take(); seen; seen = backlog.take()) {
        for (const told of fold(seen)) yield told;
        if (seen.kind === "live:state" && seen.state === "stopped") return undefined;
        if (over.aborted) return undefined;
      }
      // What was only noted may be in the log with the next commit.
      if (!backlog.missed || backlog.missed.from === before) await changed();
    }
    return undefined;
  } finally {
    end();
  }
}

interface AgentWatch {
  readonly backlog: Backlog;
  /** Aborts at the end. */
  readonly over: AbortSignal;
  /** Resolves once something has happened since it did so before, or at the end. */
  changed(): Promise<void>;
  end(): void;
}

function watchAgent({ agent, inspector }: AgentEventSource, signal?: AbortSignal): AgentWatch {
  const backlog = createBacklog();
  const over = new AbortController();
  let isChanged = false;
  let wake = (): void => undefined;
  const change = (): void => {
    isChanged = true;
    wake();
  };
  const unwatch = inspector.watch((seen) => {
    if (seen.agent !== agent) return;
    backlog.add(seen);
    change();
  });
  const end = (): void => {
    over.abort();
    unwatch();
    signal?.removeEventListener("abort", end);
    change();
  };
  signal?.addEventListener("abort", end);
  if (signal?.aborted) end();
  return {
    backlog,
    over: over.signal,
    end,
    async changed() {
      if (!isChanged) await new Promise<void>((resolve) => (wake = resolve));
      isChanged = over.signal.aborted;
    },
  };
}
