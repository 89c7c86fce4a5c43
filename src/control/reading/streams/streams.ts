// What goes on being told: server-sent events, as a page reads them by `fetch`. No viewer is buffered for: one of the overview skips
// what is old, one of a log is read to from where that is kept.

import type { ReadableStreamDefaultController } from "node:stream/web";
import type { OverviewHub } from "./overview.ts";
import { encodeItem, type StreamedItem } from "./told-item.ts";

/** So much may wait for a viewer. */
const BUFFERED = 524_288;
/** Or nobody would notice one that is gone. */
const BEAT_MS = 15_000;

const BEAT = new TextEncoder().encode(":\n\n");

export interface Streams {
  overview(hub: OverviewHub): Response;
  /** @param open begins to read, tells what may be left out, and stops when its signal aborts */
  log(
    open: (onLive: (item: StreamedItem) => void, signal: AbortSignal) => AsyncGenerator<StreamedItem>,
  ): Response;
  /** How many go on. */
  readonly size: number;
  /** Ends all of them. */
  close(): void;
}

export function createStreams(): Streams {
  const open = new Set<AbortController>();
  const begin = (): AbortController => {
    const ending = new AbortController();
    open.add(ending);
    ending.signal.addEventListener("abort", () => open.delete(ending));
    return ending;
  };
  return {
    overview: (hub) => overviewStream(hub, begin()),
    log: (read) => logStream(read, begin()),
    get size() {
      return open.size;
    },
    close() {
      for (const ending of open) ending.abort();
    },
  };
}

function overviewStream(hub: OverviewHub, ending: AbortController): Response {
  let joined: ReturnType<OverviewHub["join"]> | undefined;
  return eventStream(ending, {
    start(told) {
      const isReady = (): boolean => (told.desiredSize ?? 0) > 0;
      joined = hub.join({ isReady, show: (frame) => told.enqueue(frame) });
      ending.signal.addEventListener("abort", () => joined?.leave());
    },
    pull: () => joined?.catchUp(),
  });
}

function logStream(open: Parameters<Streams["log"]>[0], ending: AbortController): Response {
  let events: AsyncGenerator<StreamedItem> | undefined;
  return eventStream(ending, {
    start(told) {
      const onLive = (item: StreamedItem): void => {
        if (!ending.signal.aborted && (told.desiredSize ?? 0) > 0) told.enqueue(encodeItem(item));
      };
      events = open(onLive, ending.signal);
    },
    async pull(told) {
      const { value, done } = await events!.next();
      if (ending.signal.aborted) return;
      if (done) ending.abort();
      else told.enqueue(encodeItem(value));
    },
  });
}

type StreamBody = ReadableStreamDefaultController<Uint8Array>;

interface TellingStream {
  start(told: StreamBody): void;
  pull(told: StreamBody): void | Promise<void>;
}

function eventStream(ending: AbortController, { start, pull }: TellingStream): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      start(told) {
        const beat = setInterval(() => {
          if ((told.desiredSize ?? 0) > 0) told.enqueue(BEAT);
        }, BEAT_MS);
        ending.signal.addEventListener("abort", () => {
          clearInterval(beat);
          try {
            told.close();
          } catch {
            // It is closed: nobody reads it any more.
          }
        });
        start(told);
      },
      pull,
      cancel: () => ending.abort(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFERED }),
  );
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
}
