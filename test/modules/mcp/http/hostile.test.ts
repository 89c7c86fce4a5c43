import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { startSite } from "../../../environment/network/web.ts";
import { NEVER } from "../kit.ts";
import { call, connect, content, reply, siteOf, startMcp, why, type Exchange, type Vice } from "./kit.ts";

const MB = 1024 * 1024;

/** Writes again and again, for as long as somebody reads. */
function pour(response: ServerResponse, type: string, more: string): true {
  response.on("error", () => undefined).writeHead(200, { "content-type": type });
  const next = (error?: Error | null): void => {
    if (!error && !response.destroyed) response.write(more, next);
  };
  next();
  return true;
}

const events = (response: ServerResponse, text: string): true => {
  response.writeHead(200, { "content-type": "text/event-stream" }).end(text);
  return true;
};
const answerTo = (id: unknown, text: string): string =>
  `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: content(text) })}\n\n`;

/** Only in a call of `echo`. */
const inCall =
  (vice: (exchange: Exchange) => true): Vice =>
  (exchange) =>
    exchange.message?.params?.name === "echo" && vice(exchange);

describe("hostile: MCP", () => {
  it.each<[string, Vice, RegExp]>([
    [
      "redirects to a private host",
      ({ response }) => Boolean(response.writeHead(307, { location: "http://10.0.0.1/mcp" }).end()),
      /^It redirects to http:\/\/10\.0\.0\.1\/mcp, which is not followed;/,
    ],
    [
      "redirects to no address at all",
      ({ response }) => Boolean(response.writeHead(308, { location: "http://[" }).end()),
      /^It redirects to http:\/\/\[, which is not followed;/,
    ],
    [
      "redirects to itself for ever",
      ({ response }) => Boolean(response.writeHead(307, { location: "/mcp" }).end()),
      /^It answered with HTTP 307\.$/,
    ],
    [
      "wants authorization",
      ({ response }) => Boolean(response.writeHead(401, { "www-authenticate": "Bearer" }).end()),
      /^It wants authorization \(HTTP 401\), and signing in \(OAuth\) is not there yet;/,
    ],
    [
      "is a web page",
      ({ response }) => Boolean(response.writeHead(200, { "content-type": "text/html" }).end("<p>Hi.")),
      /Unexpected content type: text\/html/,
    ],
    [
      "has nothing there, and says so at length",
      ({ response }) => Boolean(response.writeHead(404).end(`Not\n\u001b[2Jfound ${"x".repeat(2 * MB)}`)),
      /^It answered with HTTP 404: Not \[2Jfound x{1,300}…$/,
    ],
    [
      "answers with 100 MB",
      ({ response }) => pour(response, "application/json", " ".repeat(MB)),
      /^It sent a message of more than 16 MB\.$/,
    ],
    [
      "answers with an event of 100 MB",
      ({ response }) => pour(response, "text/event-stream", `data: ${"x".repeat(MB)}\n`),
      /^It sent a message of more than 16 MB\.$/,
    ],
    [
      "answers with 32 MB that were packed",
      ({ response }) => {
        const head = { "content-type": "application/json", "content-encoding": "gzip" };
        return Boolean(response.writeHead(200, head).end(gzipSync(Buffer.alloc(32 * MB, " "))));
      },
      /^It sent a message of more than 16 MB\.$/,
    ],
    [
      "refuses in words of its own",
      ({ message, response }) => {
        const error = { code: -32_000, message: `Go\n\u001b[2Jaway ${"x".repeat(2_000)}` };
        return events(response, `data: ${JSON.stringify({ jsonrpc: "2.0", id: message?.id, error })}\n\n`);
      },
      /Go \[2Jaway x{1,800}…$/,
    ],
    ["hangs up", ({ response }) => Boolean(response.socket?.destroy()), /hung up without a whole answer\.$/],
  ])("a server behind a URL that %s is away, with the reason in one line", async (_, vice, reason) => {
    const server = await startMcp(vice);
    const { connection } = connect(siteOf(`${server.url}/mcp`));
    await connection.settled(NEVER);
    expect(why(connection)).toMatch(reason);
    expect(why(connection)).not.toMatch(/[\n\u001b]/);
  });

  it.each([
    ["the metadata of a cloud", "http://169.254.169.254/mcp", /which no setting opens\.$/],
    ["a port of mail", "http://127.0.0.1:25/mcp", /^Port 25 of .* is refused/],
  ])("an entry with %s is not asked", async (_, url, reason) => {
    const { connection } = connect(siteOf(url));
    await connection.settled(NEVER);
    expect(why(connection)).toMatch(reason);
  });

  it("headers of an entry are not sent to where its server redirects, or points", async () => {
    const other = await startSite((_, response) => response.end());
    const headers = { authorization: "Bearer of-mine" };
    const server = await startMcp(({ request, response }) => {
      if (request.method === "GET")
        return events(response, `event: endpoint\ndata: ${other.url}/message\n\n`);
      return Boolean(response.writeHead(307, { location: other.url }).end());
    });
    const redirected = connect(siteOf(server.url, { headers })).connection;
    const pointed = connect(siteOf(server.url, { headers, kind: "sse" })).connection;
    await redirected.settled(NEVER);
    await pointed.settled(NEVER);
    expect(why(redirected)).toMatch(/^It redirects to /);
    expect(why(pointed)).not.toBe("");
    expect(other.asked).toEqual([]);
  });

  it("a server behind a URL that is mute is away after ten seconds", async () => {
    const server = await startMcp(() => true);
    const { connection, clock } = connect(siteOf(server.url));
    await clock.asleep(10_000);
    clock.advance(10_000);
    await connection.settled(NEVER);
    expect(why(connection)).toBe("It did not answer within 10 s.");
  });

  it.each<[string, Vice, RegExp]>([
    [
      "pours prose in events",
      inCall(({ response }) =>
        pour(response, "text/event-stream", "data: once upon a time\n\n".repeat(9_999)),
      ),
      /^The MCP server fake went while it was asked: It sent more than 1 MB that is no message\./,
    ],
    [
      "pours prose without end",
      inCall(({ response }) => pour(response, "text/event-stream", "once upon a time\n".repeat(9_999))),
      /^The MCP server fake went while it was asked: It sent more than 1 MB that is no message\./,
    ],
    [
      "answers with 100 MB",
      inCall(({ response }) => pour(response, "application/json", " ".repeat(MB))),
      /^The MCP server fake went while it was asked: It sent a message of more than 16 MB\./,
    ],
    [
      "answers with another type",
      inCall(({ response }) => (response.setHeader("content-type", "image/png").end("x"), true)),
      /Unexpected content type: image\/png/,
    ],
    [
      "answers half an event",
      inCall(({ response, message }) => events(response, answerTo(message?.id, "hi").slice(0, 20))),
      /It ended its answer too soon\. What it did until then is unknown\./,
    ],
    [
      "hangs up in the middle of an event",
      inCall(({ response }) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write('data: {"jsonrpc":');
        setImmediate(() => response.destroy());
        return true;
      }),
      /hung up without a whole answer\. What it did until then is unknown\./,
    ],
    [
      "answers wrong ids in events",
      inCall(({ response }) => events(response, answerTo(999, "hi") + answerTo("x", "hi"))),
      /It ended its answer too soon\./,
    ],
    [
      "answers wrong ids",
      inCall(({ response }) => (reply(response, { id: 999 }, content("hi")), true)),
      /^It answered something else than it was asked\. What it did is unknown\./,
    ],
    [
      "takes what it is asked, and answers nothing",
      inCall(({ response }) => Boolean(response.writeHead(202).end()) as true),
      /^It answered something else than it was asked\./,
    ],
    [
      "answers with what is no JSON",
      inCall(
        ({ response }) =>
          Boolean(response.writeHead(200, { "content-type": "application/json" }).end("{")) as true,
      ),
      /JSON/,
    ],
    [
      "hangs up in place of an answer",
      inCall(({ response }) => Boolean(response.socket?.destroy()) as true),
      /^The MCP server fake went while it was asked: .* hung up without a whole answer\./,
    ],
    [
      "wants authorization by now",
      inCall(({ response }) => Boolean(response.writeHead(401).end()) as true),
      /^The MCP server fake went while it was asked: It wants authorization \(HTTP 401\)/,
    ],
    [
      "fails with a page",
      inCall(({ response }) => Boolean(response.writeHead(500).end("oops")) as true),
      /Error POSTing to endpoint: oops/,
    ],
  ])("a server behind a URL that %s in a call fails it at once", async (_, vice, reason) => {
    const server = await startMcp(vice);
    const { connection } = connect(siteOf(server.url));
    await connection.settled(NEVER);
    await expect(call(connection, "echo")).rejects.toThrow(reason);
  });

  it("a server behind a URL that ends its answers and says to come back at once is asked four times a second", async () => {
    let asked = 0;
    const server = await startMcp(({ message, request, response }) => {
      if (request.method === "GET" && request.headers["last-event-id"] === undefined) return false;
      if (message?.params?.name !== "echo" && request.method !== "GET") return false;
      asked++;
      return events(response, `id: ${asked}\nretry: 0\ndata:\n\n`);
    });
    const { connection, clock } = connect(siteOf(server.url));
    await connection.settled(NEVER);
    const calling = call(connection, "echo");
    calling.catch(() => undefined);
    for (const times of [1, 2, 3]) {
      await vi.waitFor(() => expect(clock.sleeping()).toEqual([250]), { timeout: 10_000, interval: 5 });
      expect(asked).toBe(times);
      clock.advance(250);
    }
  });

  it("a server behind a URL that forgets every session is given up in the end", async () => {
    const server = await startMcp(({ message, response }) =>
      message?.method === "notifications/initialized" ? Boolean(response.writeHead(404).end()) : false,
    );
    const { connection, clock } = connect(siteOf(server.url));
    const pauses: number[] = [];
    await connection.settled(NEVER);
    while (connection.standing.state !== "away") {
      const before = connection.standing.sinceMs;
      const [pause = 0] = clock.sleeping().filter((ms) => ms !== 10_000);
      if (pause > 0) {
        pauses.push(pause);
        clock.advance(pause);
      }
      await vi.waitFor(() => expect(connection.standing.sinceMs).toBeGreaterThan(before), {
        timeout: 10_000,
        interval: 5,
      });
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
    expect(why(connection)).toBe("It has forgotten the session.");
  });

  it("a server behind a URL that asks more than is answered has gone, and had no more than 40 connections", async () => {
    const ping = (_: unknown, id: number) => `data: {"jsonrpc":"2.0","id":"p${id}","method":"ping"}\n\n`;
    const pings = Array.from({ length: 10_000 }, ping).join("");
    const server = await startMcp(({ message, response }) => {
      if (message && message.method === undefined) return true;
      return message?.params?.name === "echo" && events(response, pings);
    });
    const { connection } = connect(siteOf(server.url));
    await connection.settled(NEVER);
    await expect(call(connection, "echo")).rejects.toThrow("It asks more at a time than is answered.");
    expect(server.connections()).toBeLessThan(40);
  });

  it("a server behind a URL that is deaf to the end of its session keeps nobody", async () => {
    const server = await startMcp(({ request }) => request.method === "DELETE");
    const { connection } = connect(siteOf(server.url));
    await connection.settled(NEVER);
    await connection.close();
    expect(connection.standing.state).toBe("away");
  });

  it.each<[string, string, RegExp]>([
    ["is a web page", "<p>Hi.", /^It answered with text\/html where a stream of events belongs\.$/],
    ["ends", "", /^It ended its answer too soon\.$/],
    ["points to another server", "event: endpoint\ndata: http://10.0.0.1/message\n\n", /origin/],
    ["pours prose", "once upon a time", /^It sent a message of more than 16 MB\.$/],
  ])("a server of events that %s is away, with the reason", async (_, text, reason) => {
    const server = await startMcp(({ response }) => {
      if (text.startsWith("<")) return Boolean(response.setHeader("content-type", "text/html").end(text));
      if (text.startsWith("once")) return pour(response, "text/event-stream", text.repeat(9_999));
      return text === "" ? events(response, text) : pour(response, "text/event-stream", text);
    });
    const { connection } = connect(siteOf(server.url, { kind: "sse" }));
    await connection.settled(NEVER);
    expect(why(connection)).toMatch(reason);
  });
});
