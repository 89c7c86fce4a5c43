import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { connectTo, openProxy, openTunnel } from "./proxy-client.ts";
import { openNetwork, pour, startRaw, startSite, startTrap } from "../web.ts";

const LOOPBACK = { allowPrivate: ["127.0.0.1"] };

const ENDLESS = ["HTTP/1.1 200 OK\r\n\r\n", Buffer.alloc(65_536)] as const;

describe("the limit of bytes (H6)", () => {
  it.each([
    ["a tunnel", "CONNECT 127.0.0.1:PORT HTTP/1.1\r\nhost: x\r\n\r\n"],
    ["a request", "GET http://127.0.0.1:PORT/ HTTP/1.1\r\nhost: x\r\n\r\n"],
  ])("ends %s that goes on for ever, and what is open beside it (H6)", async (_, begin) => {
    const endless = await startRaw((socket) => pour(socket, ...ENDLESS));
    const quiet = await startRaw(() => {});
    const proxy = await openProxy(openNetwork(LOOPBACK), 1_000_000);
    const beside = await openTunnel(proxy, quiet.port);
    const closed = [endless.closed(), quiet.closed()];
    const client = connectTo(proxy, begin.replace("PORT", String(endless.port)));
    await Promise.all([client.closed, beside.closed, ...closed]);
    expect(client.bytes()).toBeLessThan(1_200_000);
  });

  it("refuses what comes after, and says why (H6)", async () => {
    const site = await startSite((_request, response) => response.end("x".repeat(2_000)));
    const proxy = await openProxy(openNetwork(LOOPBACK), 2_000);
    const ask = `GET http://127.0.0.1:${site.port}/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
    await connectTo(proxy, ask).closed;
    const client = connectTo(proxy, ask);
    await client.closed;
    expect(client.received()).toMatch(/^HTTP\/1\.1 403 /);
    expect(proxy.refused()).toEqual(["It would be more than the 1 KB that may come in."]);
    expect(site.connections()).toBe(1);
  });

  it("counts headers, also such as come before an answer (H6)", async () => {
    const hints = await startRaw((socket) => {
      const hint = `HTTP/1.1 103 Early Hints\r\nlink: ${"x".repeat(1_000)}\r\n\r\n`.repeat(20);
      pour(socket, hint, hint);
    });
    const proxy = await openProxy(openNetwork(LOOPBACK), 500_000);
    await connectTo(proxy, `GET http://127.0.0.1:${hints.port}/ HTTP/1.1\r\nhost: x\r\n\r\n`).closed;
    expect(hints.connections()).toBe(1);
  });

  it("lets as much through as it says (H6)", async () => {
    const server = await startRaw((socket) => socket.write("x".repeat(1_000)));
    const proxy = await openProxy(openNetwork(LOOPBACK), 1_000);
    const client = await openTunnel(proxy, server.port);
    await client.until("x".repeat(1_000));
    expect(client.socket.closed).toBe(false);
  });
});

describe("closing the proxy", () => {
  it("ends everything in the middle, on both sides", async () => {
    const endless = await startRaw((socket) => pour(socket, ...ENDLESS));
    const silent = await startRaw(() => {});
    const proxy = await openProxy(openNetwork(LOOPBACK), 1e12);
    const clients = [
      await openTunnel(proxy, endless.port),
      connectTo(proxy, `GET http://127.0.0.1:${endless.port}/ HTTP/1.1\r\nhost: x\r\n\r\n`),
      connectTo(proxy, `GET http://127.0.0.1:${silent.port}/ HTTP/1.1\r\nhost: x\r\n\r\n`),
      connectTo(proxy, "GET http://half"),
    ];
    await clients[1]!.until("200 OK");
    const gone = Promise.all([endless.closed(), ...clients.map(({ closed }) => closed)]);
    await proxy.close();
    await proxy.close();
    await gone;
    const late = connectTo(proxy, "GET / HTTP/1.1\r\n\r\n");
    await late.closed;
    expect(late.received()).toBe("");
  });

  it("ends a connection that is about to begin", async () => {
    let asked!: () => void;
    const lookingUp = new Promise<void>((resolve) => (asked = resolve));
    let answer!: (addresses: readonly string[]) => void;
    const lookup = () => (asked(), new Promise<readonly string[]>((resolve) => (answer = resolve)));
    const trap = await startTrap();
    const proxy = await openProxy(openNetwork({ allowPrivate: ["127.0.0.1"], lookup }));
    const client = connectTo(proxy, `CONNECT site.test:${trap.port} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await lookingUp;
    await proxy.close();
    await client.closed;
    answer(["127.0.0.1"]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(trap.connections()).toBe(0);
  });

  it("comes with that of the network", async () => {
    const server = await startRaw(() => {});
    const network = openNetwork(LOOPBACK);
    const client = await openTunnel(await openProxy(network), server.port);
    const closed = server.closed();
    await network.close();
    await Promise.all([closed, client.closed]);
  });
});

describe("the process goes on (H7)", () => {
  /** Works afterwards as it did before. */
  async function expectAlive(proxy: Awaited<ReturnType<typeof openProxy>>): Promise<void> {
    const site = await startSite((_request, response) => response.end("alive"));
    await connectTo(proxy, `GET http://127.0.0.1:${site.port}/ HTTP/1.1\r\nhost: x\r\n\r\n`).until("alive");
  }

  it.each([
    ["resets a tunnel", (socket: Socket) => socket.resetAndDestroy()],
    ["ends a tunnel", (socket: Socket) => socket.end("bye")],
  ])("when a server %s (H7)", async (_, die) => {
    const server = await startRaw((socket) => socket.once("data", () => die(socket)));
    const proxy = await openProxy(openNetwork(LOOPBACK));
    const client = await openTunnel(proxy, server.port);
    client.socket.write("x");
    await client.closed;
    await expectAlive(proxy);
  });

  it.each([
    ["resets", (socket: Socket) => socket.resetAndDestroy()],
    ["leaves", (socket: Socket) => socket.destroy()],
  ])("when a client %s in the middle, and its server is left as well (H7)", async (_, die) => {
    const endless = await startRaw((socket) => pour(socket, ...ENDLESS));
    const proxy = await openProxy(openNetwork(LOOPBACK), 1e12);
    for (const begin of ["CONNECT 127.0.0.1:PORT", "GET http://127.0.0.1:PORT/"]) {
      const client = connectTo(
        proxy,
        `${begin.replace("PORT", String(endless.port))} HTTP/1.1\r\nhost: x\r\n\r\n`,
      );
      await client.until("200 OK");
      const closed = endless.closed();
      die(client.socket);
      await closed;
    }
    await expectAlive(proxy);
  });

  it.each([
    ["hangs up", ""],
    ["does not speak HTTP", "220 mail ESMTP\r\n\r\n"],
    ["changes the protocol", "HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"],
    ["has a status that there is not", "HTTP/1.1 099 X\r\n\r\n"],
    ["names itself oddly", "HTTP/1.1 200 \u0001\r\n__proto__: x\r\ncontent-length: nonsense\r\n\r\n"],
    ["names two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n"],
  ])("when a server %s, and its client is told (H7)", async (_, bytes) => {
    const server = await startRaw((socket) => socket.once("data", () => socket.end(bytes, "latin1")));
    const proxy = await openProxy(openNetwork(LOOPBACK));
    const client = connectTo(
      proxy,
      `GET http://127.0.0.1:${server.port}/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    );
    await client.closed;
    expect(client.received()).toMatch(/^HTTP\/1\.1 502 /);
    await expectAlive(proxy);
  });

  it("when a server puts its status into words that cannot be said, which its client does without (H7)", async () => {
    const bytes = "HTTP/1.1 200 \u0001\r\nconnection: close\r\n\r\nread";
    const server = await startRaw((socket) => socket.once("data", () => socket.end(bytes, "latin1")));
    const proxy = await openProxy(openNetwork(LOOPBACK));
    const client = connectTo(
      proxy,
      `GET http://127.0.0.1:${server.port}/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    );
    await client.closed;
    expect(client.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*read/);
    await expectAlive(proxy);
  });

  it("when an answer is cut, and its client does not take it for whole (H7)", async () => {
    const server = await startRaw((socket) => {
      socket.once("data", () =>
        socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nbegun\r\nff\r\nx"),
      );
    });
    const proxy = await openProxy(openNetwork(LOOPBACK));
    const client = connectTo(proxy, `GET http://127.0.0.1:${server.port}/ HTTP/1.1\r\nhost: x\r\n\r\n`);
    await client.closed;
    expect(client.received()).toContain("begun");
    expect(client.received()).not.toContain("\r\n0\r\n");
    await expectAlive(proxy);
  });

  it.each([
    "\0\0\0",
    "GET\r\n\r\n",
    "CONNECT \r\n\r\n",
    "CONNECT 127.0.0.1 HTTP/1.1\r\nhost: x\r\n\r\n",
    "POST http://127.0.0.1:1/ HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n",
  ])("when a client says %j (H7)", async (bytes) => {
    const proxy = await openProxy(openNetwork(LOOPBACK));
    const client = connectTo(proxy, bytes);
    client.socket.end();
    await client.closed;
    expect(client.received()).not.toContain(" 200 ");
    await expectAlive(proxy);
  });
});
