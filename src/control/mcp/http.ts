// An MCP server on a port of this machine, for programs that have its token. Nothing is kept between two requests.
//
//   K5. Nobody is heard whose request did not come to this machine by its own name, comes from a page of another one, or has
//       not the token; a body is read after that, and up to a size.

import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { LegionError, messageOf } from "../../base/errors.ts";
import type { ServerFactory } from "./server.ts";
import type { ServedPrograms, StdioLines } from "./stdio.ts";

const HOST = "127.0.0.1";
const PATH = "/mcp";
/** A message of the greatest size, twice that for what JSON escapes. */
const MAX_BODY = 4 * 1_048_576;
const MAX_CONNECTIONS = 64;
const CLOSING_MS = 1_000;

export interface HttpDoor extends Pick<StdioLines, "onFault"> {
  /** 0: any that is free. */
  readonly port: number;
  readonly token: string;
}

export interface ServedHttp extends ServedPrograms {
  readonly url: string;
  readonly server: Server;
}

/** Rejects with REFUSED where the port is taken. */
export async function serveOverHttp(
  create: ServerFactory,
  { port, token, onFault }: HttpDoor,
): Promise<ServedHttp> {
  const { createMcpHandler } = await import("@modelcontextprotocol/server");
  const { localhostHostValidation, localhostOriginValidation, toNodeHandler } =
    await import("@modelcontextprotocol/node");
  const onerror = (error: Error): void => onFault(error.message);
  const mcp = createMcpHandler(create, { maxRequestBodySize: MAX_BODY, onerror });
  const answer = toNodeHandler(mcp, { maxRequestBodySize: MAX_BODY, onerror });
  const isOurHost = localhostHostValidation();
  const isOurOrigin = localhostOriginValidation();
  const server = createServer((request, response) => {
    if (!isOurHost(request, response) || !isOurOrigin(request, response)) return;
    if (!hasToken(request, token)) return refuse(response, 401, "The token is missing, or another one.");
    if (request.url?.split("?")[0] !== PATH) return refuse(response, 404, `There is only ${PATH}.`);
    if (Number(request.headers["content-length"]) > MAX_BODY)
      return refuse(response, 413, `A request may have ${MAX_BODY} bytes.`);
    void answer(request, response).catch(onerror);
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, port);
  const address = server.address();
  const url = `http://${HOST}:${typeof address === "object" ? address?.port : port}${PATH}`;
  return {
    url,
    server,
    ended: once(server, "close").then(() => undefined),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      await mcp.close();
      server.closeIdleConnections();
      const impatience = setTimeout(() => server.closeAllConnections(), CLOSING_MS);
      await closed;
      clearTimeout(impatience);
    },
  };
}

function hasToken({ headers: { authorization = "" } }: IncomingMessage, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(authorization), digest(`Bearer ${token}`));
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const authenticate = status === 401 ? { "www-authenticate": "Bearer" } : {};
  response.writeHead(status, { "content-type": "application/json", connection: "close", ...authenticate });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_000, message } }));
}

async function listen(server: Server, port: number): Promise<void> {
  const listening = once(server, "listening");
  server.listen(port, HOST);
  await listening.catch((error: unknown) => {
    throw new LegionError("REFUSED", `port ${port}: ${messageOf(error)}`, { cause: error });
  });
}
