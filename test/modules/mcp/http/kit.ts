// A server behind a URL in this process, which a test may have as many vices as it likes.

import type { IncomingMessage, ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { keepConnected, type Connection } from "../../../../modules/mcp/life/connection.ts";
import { openServer } from "../../../../modules/mcp/life/open-server.ts";
import type { Site } from "../../../../modules/mcp/life/http/reach.ts";
import { createHandClock, type HandClock } from "../../../hand-clock.ts";
import { startSite, type Site as WebSite } from "../../../environment/network/web.ts";
import { serverPlace } from "../kit.ts";

interface Message {
  readonly id?: number | string;
  /** Absent: it is an answer. */
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: object;
    readonly protocolVersion?: string;
  };
}

export interface Exchange {
  /** `undefined` for what is no POST. */
  readonly message?: Message;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Answers in place of a well-behaved server where it returns true. */
export type Vice = (exchange: Exchange, server: McpSite) => boolean;

export interface McpSite extends WebSite {
  /** Those that are open. */
  readonly sessions: Set<string>;
}

const tool = (name: string) => ({ name, description: `Tool ${name}`, inputSchema: { type: "object" } });

/** Of the older protocol, with sessions: `echo`, and `wait`, which never answers. */
export async function startMcp(vice: Vice = () => false): Promise<McpSite> {
  let count = 0;
  const site = await startSite((request, response) => {
    const body = site.asked.at(-1)!.body;
    const message = request.method === "POST" ? (JSON.parse(body) as Message) : undefined;
    if (!vice({ message, request, response }, server)) behave({ message, request, response });
  });
  const server: McpSite = { ...site, sessions: new Set() };
  const behave = ({ message, request, response }: Exchange): void => {
    const session = String(request.headers["mcp-session-id"]);
    if (request.method === "DELETE") server.sessions.delete(session);
    if (!message) return void response.writeHead(request.method === "DELETE" ? 200 : 405).end();
    if (message.method === "initialize") {
      server.sessions.add(`s${++count}`);
      response.setHeader("mcp-session-id", `s${count}`);
    } else if (message.method !== "server/discover" && !server.sessions.has(session)) {
      return void response.writeHead(404).end();
    }
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.params?.name !== "wait") reply(response, message, resultOf(message));
  };
  return server;
}

function resultOf({ method, params }: Message): object | undefined {
  if (method === "initialize") {
    const serverInfo = { name: "fake", version: "1" };
    return { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo };
  }
  if (method === "tools/list") return { tools: [tool("echo"), tool("wait")] };
  if (method === "tools/call") return content(JSON.stringify(params?.arguments ?? {}));
  return undefined;
}

export function content(text: string): object {
  return { content: [{ type: "text", text }] };
}

/** Without a result it knows no such method. */
export function reply(response: ServerResponse, { id }: Pick<Message, "id">, result?: object): void {
  const outcome = result ? { result } : { error: { code: -32_601, message: "Method not found" } };
  response
    .setHeader("content-type", "application/json")
    .end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
}

export function siteOf(url: string, more: Partial<Site["way"]> = {}): Site {
  return { name: "fake", way: { kind: "http", url, headers: {}, ...more } };
}

/** A connection to it whose time is moved by hand; it is closed when the test ends. */
export function connect(site: Site): { readonly connection: Connection; readonly clock: HandClock } {
  const clock = createHandClock();
  const place = serverPlace(clock);
  const open = (attempt: Parameters<Parameters<typeof keepConnected>[1]>[0]) =>
    openServer(site, place, { ...attempt, connectMs: 10_000 });
  const connection = keepConnected(site.name, open, clock);
  onTestFinished(connection.close);
  return { connection, clock };
}

export const call = (connection: Connection, name: string, signal = new AbortController().signal) =>
  connection.use((client) => client.callTool({ name, arguments: { a: 1 } }, { signal, timeout: 60_000 }));

export const why = ({ standing }: Connection): string => ("why" in standing ? standing.why : "");
