// A server on loopback that says what a test tells it to, in the wire format of either provider, and keeps every
// request as it came.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach } from "vitest";

export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Reply = (response: ServerResponse) => void;
/** How a stream goes on after its last event. */
export type Ending = "end" | "cut" | "stall";

export interface Loopback {
  readonly url: string;
  readonly requests: Recorded[];
  /** The next requests are answered with these, in order; any other with a 500. */
  reply(...replies: Reply[]): void;
  /** Resolves when the connection of the newest request is closed. */
  closed(): Promise<void>;
  close(): Promise<void>;
}

export async function startLoopback(): Promise<Loopback> {
  const replies: Reply[] = [];
  const requests: Recorded[] = [];
  let closed = Promise.resolve();
  const server = createServer((request, response) => {
    closed = new Promise((resolve) => response.once("close", resolve));
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      requests.push({
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      });
      (replies.shift() ?? json(500, { error: { message: "nothing to say" } }))(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    reply: (...more) => void replies.push(...more),
    closed: () => closed,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A server of its own for each test of the suite that calls this. */
export function useLoopback(): { readonly server: Loopback } {
  let server!: Loopback;
  beforeEach(async () => {
    server = await startLoopback();
  });
  afterEach(() => server.close());
  return {
    get server() {
      return server;
    },
  };
}

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return text(status, JSON.stringify(value), { "content-type": "application/json", ...headers });
}

export function text(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return (response) => response.writeHead(status, headers).end(body);
}

/** Server-sent events as written. */
export function events(lines: readonly string[], ending: Ending = "end"): Reply {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(lines.map((line) => `${line}\n\n`).join(""), () => {
      if (ending === "end") response.end();
      if (ending === "cut") response.destroy();
    });
    response.flushHeaders();
  };
}

/** Events of Anthropic's Messages API. */
export function anthropicEvents(list: readonly { readonly type: string }[], ending?: Ending): Reply {
  return events(
    list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}`),
    ending,
  );
}

/** Chunks of chat completions; `[DONE]` unless the stream does not end. */
export function openAiChunks(list: readonly unknown[], ending: Ending = "end"): Reply {
  const lines = list.map((chunk) => `data: ${JSON.stringify(chunk)}`);
  return events(ending === "end" ? [...lines, "data: [DONE]"] : lines, ending);
}
