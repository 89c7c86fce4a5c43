// An HTTP proxy on loopback for a program that makes requests of its own: `CONNECT host:port`, and requests that name a
// whole URL.
//
//   H6. All bytes that come from the web are counted, and the one that is too many ends every connection.
//   H7. Whatever a client or a server does, the process goes on.
//   H8. Only who was given the credential of this proxy is served.

import { randomBytes, timingSafeEqual } from "node:crypto";
import {
  createServer,
  request,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { isLegionError, messageOf } from "../../../base/errors.ts";
import type { NetworkProxy } from "../../../domain/authoring/network.ts";
import { formatBytes } from "../body.ts";
import type { Dial } from "../dial.ts";
import { explainFailure, hungUp, network } from "../failure.ts";
import { readAuthority, readUrl, refusal, shown, targetOf, type Target } from "../destination.ts";

const CONNECT_TIMEOUT_MS = 20_000;
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_REFUSALS = 20;

export interface ProxyOptions {
  readonly dial: Dial;
  readonly maxBytes: number;
  /** Path of a Unix socket; absent: a port of loopback. */
  readonly socket?: string;
}

export interface OpenProxy extends NetworkProxy {
  /** Absent on a Unix socket. */
  readonly port?: number;
}

/** As `Network.openProxy`. It does not keep the process alive. */
export async function openProxy({ dial, maxBytes, socket }: ProxyOptions): Promise<OpenProxy> {
  const credential = { username: "legion", password: randomBytes(32).toString("base64url") };
  const sockets = new Set<Socket>();
  const refused = new Set<string>();
  let bytes = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket.unref());
    socket.on("close", () => sockets.delete(socket)).on("error", () => socket.destroy());
  };
  const cut = () => sockets.forEach((socket) => socket.destroy());
  const line: ProxyLine = {
    async reach(target, client) {
      if (bytes > maxBytes)
        throw refusal(`It would be more than the ${formatBytes(maxBytes)} that may come in.`);
      const far = await connectWhile(client, target, dial);
      keep(far);
      return far;
    },
    count(chunk) {
      bytes += chunk.length;
      if (bytes > maxBytes) cut();
    },
    explain(error) {
      const isRefused = isLegionError(error, "REFUSED");
      if (isRefused && refused.size < MAX_REFUSALS) refused.add(error.message);
      const text = messageOf(error);
      const headers = {
        "content-type": "text/plain; charset=utf-8",
        "content-length": Buffer.byteLength(text),
        connection: "close",
      };
      return { status: isRefused ? 403 : 502, headers, text };
    },
  };

  const server = answering(line, credential).on("connection", keep);
  await new Promise<void>((resolve, reject) => {
    // Later ones, such as of a connection that cannot be accepted, end nothing.
    const address = socket === undefined ? { port: 0, host: "127.0.0.1" } : { path: socket };
    server.on("error", reject).listen(address, resolve);
  });
  server.unref();
  const port = socket === undefined ? (server.address() as AddressInfo).port : undefined;
  return {
    port,
    url: `http://127.0.0.1${port === undefined ? "" : `:${port}`}`,
    credential,
    greeting: GREETING,
    refused: () => [...refused],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}

/** No name of the web ends like this (RFC 6761). */
const GREETING = "http://proxy.invalid/";

/** @see https://www.rfc-editor.org/rfc/rfc9110#section-11.7 */
const WHO_ARE_YOU = {
  "proxy-authenticate": 'Basic realm="legion"',
  "content-length": 0,
  connection: "close",
};

function answering(line: ProxyLine, credential: NetworkProxy["credential"]): Server {
  const isKnown = lockFor(credential);
  return createServer({ maxHeaderSize: MAX_HEADER_BYTES })
    .on("clientError", (_, socket) => socket.destroy())
    .on("connect", (asked, client, head) => {
      if (isKnown(asked)) void tunnel(line, asked, { client, head });
      else client.end(`HTTP/1.1 407 ${STATUS_CODES[407]}\r\n${headerLines(WHO_ARE_YOU)}\r\n\r\n`);
    })
    .on("request", (asked, response) => {
      if (!isKnown(asked)) response.writeHead(407, WHO_ARE_YOU).end();
      else if (asked.url === GREETING) response.writeHead(204).end();
      else void forward(line, asked, response);
    });
}

/** Says whether a request brings the credential. */
function lockFor({ username, password }: NetworkProxy["credential"]): (asked: IncomingMessage) => boolean {
  const key = Buffer.from(`Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
  return ({ headers }) => {
    const said = Buffer.from(headers["proxy-authorization"] ?? "");
    return said.length === key.length && timingSafeEqual(said, key);
  };
}

function headerLines(headers: Readonly<Record<string, string | number>>): string {
  return Object.entries(headers)
    .map((pair) => pair.join(": "))
    .join("\r\n");
}

/** What the connections of one proxy share. */
interface ProxyLine {
  /** Connects for as long as `client` stays. */
  reach(target: Target, client: Client): Promise<Socket>;
  /** Takes down what came from the web. */
  count(chunk: Buffer): void;
  /** What to tell the client; a refusal is kept for whoever opened the proxy. */
  explain(error: unknown): Explanation;
}

interface Explanation {
  readonly status: 403 | 502;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly text: string;
}

type Client = Duplex | ServerResponse;

async function connectWhile(client: Client, target: Target, dial: Dial): Promise<Socket> {
  const stop = new AbortController();
  const late = () => stop.abort(network(`${shown(target)} does not answer.`));
  const timer = setTimeout(late, CONNECT_TIMEOUT_MS).unref();
  client.once("close", () => stop.abort(network("The client has left.")));
  try {
    return await dial(target, { signal: stop.signal });
  } finally {
    clearTimeout(timer);
  }
}

interface Tunnel {
  readonly client: Duplex;
  /** What the client sent before it was answered. */
  readonly head: Buffer;
}

async function tunnel(line: ProxyLine, asked: IncomingMessage, { client, head }: Tunnel): Promise<void> {
  try {
    const far = await line.reach(readAuthority(asked.url ?? ""), client);
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    far.write(head);
    far.on("data", line.count).on("close", () => client.end(() => client.destroy()));
    client.pipe(far).pipe(client);
  } catch (error) {
    const { status, headers, text } = line.explain(error);
    client.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headerLines(headers)}\r\n\r\n${text}`);
  }
}

async function forward(line: ProxyLine, asked: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const url = readHttpUrl(asked.url ?? "");
    const far = await line.reach(targetOf(url), response);
    const answer = await passOn(asked, { url, far, count: line.count });
    // Without the server's words for its status: they may be of characters that cannot be said.
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders));
    // Unlike pipeline it leaves a client that got its answer alone.
    answer.on("error", () => response.destroy()).pipe(response);
  } catch (error) {
    const { status, headers, text } = line.explain(error);
    if (response.headersSent) response.destroy();
    else response.writeHead(status, STATUS_CODES[status], headers).end(text);
  }
}

function readHttpUrl(text: string): URL {
  if (/^http:/i.test(text)) return readUrl(text);
  throw refusal("This is a proxy: it takes requests for a whole http URL, and CONNECT.");
}

interface ProxiedRequest {
  readonly url: URL;
  readonly far: Socket;
  readonly count: ProxyLine["count"];
}

/** The answer of the server, its body yet to come. */
function passOn(asked: IncomingMessage, { url, far, count }: ProxiedRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isChunked = asked.headers["transfer-encoding"] !== undefined;
    const outgoing = request({
      createConnection: () => far,
      method: asked.method,
      path: `${url.pathname}${url.search}`,
      headers: [
        ...endToEnd(asked.rawHeaders, ["host", "expect"]),
        ...["host", url.host],
        ...(isChunked ? ["transfer-encoding", "chunked"] : []),
      ],
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    // Not before the one who parses it listens, too: whoever listens first sets it flowing.
    outgoing.once("socket", () => far.on("data", count));
    outgoing.once("response", resolve);
    const fail = (error: Error) => reject(explainFailure(error, targetOf(url)) as Error);
    outgoing.on("error", fail).once("close", () => fail(hungUp()));
    asked.pipe(outgoing);
  });
}

/** @see https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** Names and values in turn, as they came, without those that are meant for the next machine or that are `left` out. */
function endToEnd(raw: readonly string[], left: readonly string[] = []): string[] {
  const pairs = raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as const] : [],
  );
  const named = pairs.flatMap(([name, value]) =>
    /^connection$/i.test(name) ? value.toLowerCase().split(",") : [],
  );
  const dropped = new Set([...HOP_BY_HOP, ...left, ...named.map((name) => name.trim())]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}
