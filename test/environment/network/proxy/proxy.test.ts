import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer as createSecureServer } from "node:https";
import { createServer } from "node:http";
import type { Duplex } from "node:stream";
import { fetch, ProxyAgent, WebSocket, type Dispatcher } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import type { NetworkProxy } from "../../../../src/domain/authoring/network.ts";
import { createCertificates } from "../certificates.ts";
import { connectAsStranger, connectTo, credentialOf, openProxy, openTunnel } from "./proxy-client.ts";
import { namesOf, openNetwork, serve, startRaw, startSite } from "../web.ts";

const LOOPBACK = { allowPrivate: ["127.0.0.1"], lookup: namesOf({ "site.test": ["127.0.0.1"] }) };

/** Sends requests through a proxy as a browser does: tunnels for https and web sockets, whole URLs for http. */
function through(proxy: NetworkProxy, options: Partial<ProxyAgent.Options> = {}): Dispatcher {
  const agent = new ProxyAgent({
    uri: proxy.url,
    token: credentialOf(proxy),
    proxyTunnel: false,
    ...options,
  });
  onTestFinished(() => agent.destroy());
  return agent;
}

/** Answers a web socket's opening and sends every short text back in capitals. */
function capitals(request: { readonly headers: NodeJS.Dict<string | string[]> }, socket: Duplex): void {
  const key = `${String(request.headers["sec-websocket-key"])}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash("sha1").update(key).digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  );
  socket
    .on("error", () => {})
    .on("data", (frame: Buffer) => {
      const mask = frame.subarray(2, 6);
      const text = Buffer.from(frame.subarray(6)).map((byte, index) => byte ^ mask[index % 4]!);
      const reply = Buffer.from(Buffer.from(text).toString().toUpperCase());
      if (frame[0] === 0x81) socket.write(Buffer.concat([Buffer.from([0x81, reply.length]), reply]));
      else socket.end();
    });
}

async function shout(url: string, dispatcher: Dispatcher): Promise<unknown> {
  const socket = new WebSocket(url, { dispatcher });
  onTestFinished(() => socket.close());
  await once(socket, "open");
  socket.send("hello");
  const [event] = (await once(socket, "message")) as [MessageEvent];
  return event.data;
}

describe("whoever opened the proxy", () => {
  it.each([
    ["evil.test:443", "evil.test", "https://evil.test"],
    ["evil.test:8443", "evil.test:8443", "https://evil.test:8443"],
    ["[2001:db8::1]:443", "[2001:db8::1]", "https://[2001:db8::1]"],
  ])("is asked for %s as a URL, and what it forbids is not reached", async (place, shown, url) => {
    const asked: string[] = [];
    const network = openNetwork({ lookup: namesOf({ "evil.test": ["93.184.216.34"] }) });
    const permits = (address: string): boolean => asked.push(address) === 0;
    const proxy = await network.openProxy({ maxBytes: 1_000, permits });
    onTestFinished(() => proxy.close());
    const client = connectTo(proxy, `CONNECT ${place} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await client.closed;
    expect(asked).toEqual([url]);
    expect(client.received()).toContain(`\`${shown}\` is a host that the policy does not allow.`);
  });
});

describe("a browser behind the proxy", () => {
  it("reads and sends by http", async () => {
    const site = await startSite((_request, response) =>
      response.writeHead(201, { "x-of": "site" }).end("made"),
    );
    const proxy = await openProxy(openNetwork(LOOPBACK));
    const dispatcher = through(proxy);
    const answer = await fetch(`http://site.test:${site.port}/a?b`, {
      dispatcher,
      method: "POST",
      body: "new",
    });
    expect([answer.status, answer.headers.get("x-of"), await answer.text()]).toEqual([201, "site", "made"]);
    expect(site.asked[0]).toMatchObject({
      method: "POST",
      path: "/a?b",
      body: "new",
      headers: { host: `site.test:${site.port}` },
    });
    expect(proxy.refused()).toEqual([]);
  });

  it("reads by https, by web sockets and by secure ones", async () => {
    const { authority, good } = createCertificates();
    const secure = createSecureServer({ ...good }, (_request, response) => response.end("secure"));
    const plain = createServer().on("upgrade", capitals);
    const [https, ws] = [
      await serve(secure.on("upgrade", capitals), "127.0.0.1"),
      await serve(plain, "127.0.0.1"),
    ];
    const proxy = await openProxy(openNetwork(LOOPBACK));
    const dispatcher = through(proxy, { proxyTunnel: true, requestTls: { ca: authority } });
    expect(await (await fetch(`https://site.test:${https.port}/`, { dispatcher })).text()).toBe("secure");
    expect(await shout(`wss://site.test:${https.port}/`, dispatcher)).toBe("HELLO");
    expect(await shout(`ws://site.test:${ws.port}/`, dispatcher)).toBe("HELLO");
  });

  it("is told why something was refused, and so is the one who opened the proxy, once for each reason", async () => {
    const site = await startSite((_request, response) => response.end("found"));
    const proxy = await openProxy(
      openNetwork({ allowPrivate: [`site.test:${site.port}`], lookup: LOOPBACK.lookup }),
    );
    const dispatcher = through(proxy);
    for (const path of ["a", "b"]) {
      const answer = await fetch(`http://127.0.0.1:${site.port}/${path}`, { dispatcher });
      expect(answer.status).toBe(403);
      expect(await answer.text()).toMatch(/^127\.0\.0\.1 is an address of this machine: .*web\.allowPrivate/);
    }
    expect((await fetch(`http://site.test:${site.port}/`, { dispatcher })).status).toBe(200);
    expect(proxy.refused()).toHaveLength(1);
  });

  it("is told of a failure, which is no refusal", async () => {
    const proxy = await openProxy(openNetwork(LOOPBACK));
    const dispatcher = through(proxy);
    const answer = await fetch("http://nowhere.test/", { dispatcher });
    expect([answer.status, await answer.text()]).toEqual([502, "There is no host `nowhere.test`."]);
    const client = connectTo(proxy, "CONNECT nowhere.test:443 HTTP/1.1\r\nhost: x\r\n\r\n");
    await client.until("There is no host");
    expect(client.received()).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
    expect(proxy.refused()).toEqual([]);
  });

  it("leaves at most twenty reasons, the oldest", async () => {
    const proxy = await openProxy(openNetwork());
    const dispatcher = through(proxy);
    for (let last = 1; last <= 25; last++)
      await (await fetch(`http://10.0.0.${last}/`, { dispatcher })).text();
    expect(proxy.refused().map((reason) => reason.split(" ", 1)[0])).toEqual(
      Array.from({ length: 20 }, (_, index) => `10.0.0.${index + 1}`),
    );
  });
});

describe("a request to the proxy", () => {
  it.each(["/", "*", "https://site.test/", "ftp://site.test/", "http://u:p@site.test/", "http://["])(
    "for %s is refused",
    async (target) => {
      const site = await startSite((_request, response) => response.end());
      const proxy = await openProxy(openNetwork(LOOPBACK));
      const client = connectTo(
        proxy,
        `GET ${target} HTTP/1.1\r\nhost: 127.0.0.1:${site.port}\r\nconnection: close\r\n\r\n`,
      );
      await client.closed;
      expect(client.received()).toMatch(/^HTTP\/1\.1 40[03] /);
      expect(site.connections()).toBe(0);
    },
  );

  it("is passed on without what is meant for the proxy alone, and so is the answer", async () => {
    const site = await startRaw((socket) => {
      socket.once("data", (chunk) => {
        socket.end(
          `HTTP/1.1 200 OK\r\nconnection: x-private\r\nx-private: 1\r\nkeep-alive: timeout=9\r\nproxy-authenticate: Basic\r\nx-public: 1\r\nset-cookie: a\r\nset-cookie: b\r\n\r\n${chunk.toString()}`,
        );
      });
    });
    const proxy = await openProxy(openNetwork(LOOPBACK));
    const client = connectTo(
      proxy,
      [
        `GET http://127.0.0.1:${site.port}/a HTTP/1.1`,
        "Host: elsewhere.test",
        "Connection: close, X-Mine",
        "X-Mine: 1",
        "Proxy-Connection: keep-alive",
        "Proxy-Authorization: Basic c2VjcmV0",
        "Upgrade: websocket",
        "TE: trailers",
        "X-Theirs: 1",
        "\r\n",
      ].join("\r\n"),
    );
    await client.closed;
    const [answer = "", seen = ""] = client.received().split("\r\n\r\n");
    expect(answer).toMatch(/x-public: 1\r\nset-cookie: a\r\nset-cookie: b/);
    expect(answer).not.toMatch(/x-private|timeout=9|proxy-authenticate/i);
    expect(client.received()).toContain(`GET /a HTTP/1.1\r\nX-Theirs: 1\r\nhost: 127.0.0.1:${site.port}`);
    expect(client.received()).not.toMatch(/elsewhere|x-mine|proxy-|secret|upgrade|trailers/i);
    expect(seen).not.toBe("");
  });

  it("with a body in chunks arrives whole, whatever the method", async () => {
    const site = await startSite((request, response) => response.end(`${request.method} `));
    const proxy = await openProxy(openNetwork(LOOPBACK));
    for (const method of ["POST", "PUT", "GET"]) {
      const head = `${method} http://127.0.0.1:${site.port}/ HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n`;
      await connectTo(proxy, `${head}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`).until(`${method} `);
    }
    expect(site.asked.map(({ body }) => body)).toEqual(["abcde", "abcde", "abcde"]);
  });

  it("may follow another on the same connection", async () => {
    const site = await startSite((request, response) => response.end(`<${request.url}>`));
    const proxy = await openProxy(openNetwork(LOOPBACK));
    const credential = `proxy-authorization: ${credentialOf(proxy)}`;
    const ask = (path: string) =>
      `GET http://127.0.0.1:${site.port}${path} HTTP/1.1\r\nhost: x\r\n${credential}\r\n\r\n`;
    const client = connectAsStranger(proxy, ask("/1") + ask("/2"));
    await client.until("</2>");
    client.socket.write(ask("/3"));
    await client.until("</3>");
  });
});

it("does not keep the process alive, though something goes on", async () => {
  const site = await startRaw((socket) => socket.unref());
  site.server.unref();
  const before = process.getActiveResourcesInfo().filter((name) => /TCP|Timeout/.test(name)).length;
  const proxy = await openProxy(openNetwork(LOOPBACK));
  const client = await openTunnel(proxy, site.port);
  client.socket.unref();
  const after = process.getActiveResourcesInfo().filter((name) => /TCP|Timeout/.test(name)).length;
  expect(after).toBeLessThanOrEqual(before);
});

describe("a program that was not given the credential", () => {
  it.each([
    ["a request", (port: number) => `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nhost: x\r\n\r\n`],
    ["a tunnel", (port: number) => `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nhost: x\r\n\r\n`],
    [
      "a request with another one's",
      (port: number) =>
        `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nhost: x\r\nproxy-authorization: Basic bGVnaW9uOng=\r\n\r\n`,
    ],
  ])("gets nothing for %s but the question who it is (H8)", async (_, words) => {
    const site = await startSite((_request, response) => response.end("found"));
    const proxy = await openProxy(openNetwork(LOOPBACK));
    const client = connectAsStranger(proxy, words(site.port));
    await client.closed;
    expect(client.received()).toMatch(/^HTTP\/1\.1 407 [^]*proxy-authenticate: Basic/i);
    expect(site.asked).toEqual([]);
  });
});
