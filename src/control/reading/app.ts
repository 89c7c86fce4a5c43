// What can be read of a legion, over HTTP, whatever carries that: it is loaded where somebody reads.

import type { Hono } from "hono";
import { LegionError } from "../../base/errors.ts";
import { describeRoutes } from "../api/describe.ts";
import { BASE, mountReadings, refuse, refuseUnknown, type StreamAnswer } from "../api/http.ts";
import type { ReadingQuestion } from "../api/readings.ts";
import { streamEvents } from "./streams/event-stream.ts";
import { createOverviewHub } from "./streams/overview.ts";
import { known } from "./known.ts";
import { createReadings } from "./readings.ts";
import { createStreams } from "./streams/streams.ts";
import type { WatchedLegion } from "./watched.ts";

/** Each of them reads. */
const MAX_STREAMS = 64;

export interface ReadingApp {
  readonly app: Hono;
  /** Ends all streams. */
  close(): void;
}

export async function createReadingApp(watched: WatchedLegion): Promise<ReadingApp> {
  const { Hono } = await import("hono");
  const hub = createOverviewHub(watched);
  const streams = createStreams();
  const stream: StreamAnswer = async (name, question, c) => {
    if (streams.size >= MAX_STREAMS) throw new LegionError("REFUSED", "too many watch already; close a page");
    if (name === "overview") return streams.overview(hub);
    const { agent, from } = question as ReadingQuestion<"events">;
    await known(watched.backend.reader, agent);
    const lastId = c.req.header("last-event-id");
    return streams.log((onLive, signal) => streamEvents(watched, { agent, from, lastId, onLive, signal }));
  };
  const app = new Hono();
  mountReadings(app, createReadings(watched), stream);
  app.get(`${BASE}/openapi.json`, (c) => c.json(describeRoutes(BASE)));
  app.notFound(refuseUnknown);
  app.onError(refuse);
  return {
    app,
    close() {
      hub.close();
      streams.close();
    },
  };
}
