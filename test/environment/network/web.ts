// A web on loopback: servers that a test answers for, names that it gives out, and a trap that nothing may step into.

import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { createServer as createPlainServer, type AddressInfo, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { isLegionError, type LegionError } from "../../../src/base/errors.ts";
import {
  createNetwork,
  type ClosableNetwork,
  type NetworkOptions,
} from "../../../src/environment/network/network.ts";
import type { WebRequest, WebResponse } from "../../../src/domain/authoring/network.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The address that the client connected to. */
  readonly address: string;
}

export interface Site {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly asked: Asked[];
  readonly server: Server;
  /** How many connections there have been. */
  connections(): number;
  /** Resolves when a connection that is open now, or the next one, has closed. */
  closed(): Promise<void>;
}

/** An HTTP server on loopback until the test is over. */
export async function startSite(answer: RequestListener): Promise<Site> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      asked.push({
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        address: request.socket.localAddress ?? "",
      });
      answer(request, response);
    });
  });
  return { ...(await serve(server, "127.0.0.1")), asked };
}

/** A server that is no web server: it does with a connection what a test says. */
export function startRaw(answer: (socket: Socket) => void): Promise<Omit<Site, "asked">> {
  // What is not read hides the end of a connection.
  return serve(
    createPlainServer((socket) => answer(socket.resume())),
    "127.0.0.1",
  );
}

/** Listens to every address of this machine. */
export function startTrap(): Promise<Omit<Site, "asked">> {
  return serve(
    createPlainServer((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nSECRET")),
    "::",
  ).catch(() => serve(createPlainServer(), "0.0.0.0"));
}

/** Writes `begin`, then `more` again and again, for as long as somebody reads. */
export function pour(socket: Socket, begin: string, more: Buffer | string): void {
  const next = (error?: Error | null): void => {
    if (!error) socket.write(more, next);
  };
  socket.write(begin, next);
}

export async function serve(server: Server, host: string): Promise<Omit<Site, "asked">> {
  const sockets = new Set<Socket>();
  let count = 0;
  server.on("connection", (socket: Socket) => {
    count++;
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, host, resolve);
  });
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    server,
    connections: () => count,
    closed: async () => {
      const [open] = sockets;
      const socket = open ?? (await new Promise<Socket>((resolve) => server.once("connection", resolve)));
      if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
    },
  };
}

/** A name server that knows these names, each with its addresses. */
export function namesOf(names: Readonly<Record<string, readonly string[]>>) {
  return (host: string): Promise<readonly string[]> =>
    Object.hasOwn(names, host)
      ? Promise.resolve(names[host]!)
      : Promise.reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" }));
}

/** A network until the test is over. Without `lookup` no name has an address. */
export function openNetwork(options: Partial<NetworkOptions> = {}): ClosableNetwork {
  const network = createNetwork({ allowPrivate: [], lookup: namesOf({}), ...options });
  onTestFinished(() => network.close());
  return network;
}

export function get(
  network: ClosableNetwork,
  url: string,
  request: Partial<WebRequest> = {},
): Promise<WebResponse> {
  return network.fetch(url, { signal: new AbortController().signal, ...request });
}

/** What a fetch or a proxy was ended with. */
export async function failureOf(promise: Promise<unknown>): Promise<LegionError> {
  const error = await promise.then(
    () => new Error("it worked"),
    (reason: unknown) => reason,
  );
  if (isLegionError(error)) return error;
  throw new Error("no LegionError", { cause: error });
}
