// A collector: a real HTTP server that keeps the spans it took.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";

export interface TakenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

export interface Collector {
  readonly url: string;
  readonly port: number;
  /** Of all requests that were answered with 200, in their order. */
  readonly spans: TakenSpan[];
  readonly requests: IncomingMessage[];
  readonly bodies: string[];
  /** How it answers from now on. `hang`: it reads, and says nothing. */
  answer: number | "hang";
  /** What it says with that. */
  words: string;
  /** Resolves when `holds`, which is asked after each request. */
  until(holds: () => boolean): Promise<void>;
  close(): Promise<void>;
}

export async function startCollector(port = 0): Promise<Collector> {
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => void take(request, response));
  const collector: Collector = {
    ...{ url: "", port: 0, spans: [], requests: [], bodies: [], answer: 200, words: "{}" },
    until: (holds) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!holds()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const bytes = Buffer.concat(pieces);
    const body = (request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString();
    collector.requests.push(request);
    collector.bodies.push(body);
    if (collector.answer === 200) collector.spans.push(...spansIn(body));
    if (collector.answer !== "hang")
      response.writeHead(collector.answer, { "content-type": "application/json" }).end(collector.words);
    for (const look of [...waiting]) look();
  };
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  onTestFinished(collector.close);
  const { port: taken } = server.address() as AddressInfo;
  return Object.assign(collector, { port: taken, url: `http://127.0.0.1:${taken}` });
}

export function spansIn(body: string): readonly TakenSpan[] {
  const { resourceSpans } = JSON.parse(body) as {
    readonly resourceSpans: readonly [
      { readonly scopeSpans: readonly [{ readonly spans: readonly TakenSpan[] }] },
    ];
  };
  return resourceSpans[0].scopeSpans[0].spans;
}
