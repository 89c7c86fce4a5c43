import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { failureOf, get, openNetwork, pour, startRaw, startSite } from "./web.ts";

const LOOPBACK = { allowPrivate: ["127.0.0.1"] };
const MB = 1024 * 1024;

/** What is read of `body` when it is sent with `headers`. */
async function read(body: Buffer, headers: Readonly<Record<string, string>>): Promise<string> {
  const site = await startSite((_request, response) => response.writeHead(200, headers).end(body));
  return Buffer.from((await get(openNetwork(LOOPBACK), site.url)).body).toString();
}

const text = "Ein Text. ".repeat(20_000);

describe("a body", () => {
  it.each([
    ["gzip", gzipSync(text)],
    ["GZip ", gzipSync(text)],
    ["x-gzip", gzipSync(text)],
    ["gzip", Buffer.concat([gzipSync(text.slice(0, 9)), gzipSync(text.slice(9))])],
    ["gzip", Buffer.concat([gzipSync(text), Buffer.alloc(9)])],
    ["br", brotliCompressSync(text)],
    ["deflate", deflateSync(text)],
    ["deflate", deflateRawSync(text)],
    ["identity", Buffer.from(text)],
    ["none", Buffer.from(text)],
    ["utf-8", Buffer.from(text)],
    ["", Buffer.from(text)],
  ])("that came as %s is unpacked", async (packing, body) => {
    expect(await read(body, { "content-encoding": packing })).toBe(text);
  });

  it.each(["gzip", "br", "deflate"])("of nothing is nothing, though it says %s", async (packing) => {
    expect(await read(Buffer.alloc(0), { "content-encoding": packing })).toBe("");
  });

  it("that lacks its end is read as far as it goes, as browsers do", async () => {
    const begun = await read(gzipSync(text).subarray(0, -8), { "content-encoding": "gzip" });
    expect(text.startsWith(begun) && begun.length > 0).toBe(true);
  });

  it.each(["gzip", "br", "deflate"])("that is not the %s it says cannot be unpacked", async (packing) => {
    const body = Buffer.from("\u0008<html>not packed at all</html>");
    const site = await startSite((_request, response) =>
      response.writeHead(200, { "content-encoding": packing }).end(body),
    );
    expect(await failureOf(get(openNetwork(LOOPBACK), site.url))).toMatchObject({
      code: "NETWORK",
      message: `\`127.0.0.1:${site.port}\` sent a body that cannot be unpacked.`,
    });
  });

  it.each(["zstd", "compress", "gzip, gzip", "br,deflate"])(
    "packed as %s is refused with its name",
    async (packing) => {
      const site = await startSite((_request, response) =>
        response.writeHead(200, { "content-encoding": packing }).end("x"),
      );
      expect((await failureOf(get(openNetwork(LOOPBACK), site.url))).message).toBe(
        `\`127.0.0.1:${site.port}\` packed its answer in a way that is not understood here: \`${packing}\`.`,
      );
    },
  );

  it("takes as much memory as it is long, because it may be kept for a while", async () => {
    const server = await startRaw((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc"));
    const { body } = await get(openNetwork(LOOPBACK), server.url);
    expect([body.byteLength, body.buffer.byteLength]).toEqual([3, 3]);
  });

  it("in many small pieces comes together", async () => {
    const pieces = [...text.slice(0, 100_000)].map((letter) => `1\r\n${letter}\r\n`).join("");
    const server = await startRaw((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${pieces}0\r\n\r\n`),
    );
    const page = await get(openNetwork(LOOPBACK), server.url);
    expect(Buffer.from(page.body).toString()).toBe(text.slice(0, 100_000));
  });

  it("ends with the connection where a server names no length", async () => {
    const server = await startRaw((socket) => socket.end("HTTP/1.0 200 OK\r\n\r\nabc"));
    expect(Buffer.from((await get(openNetwork(LOOPBACK), server.url)).body).toString()).toBe("abc");
  });
});

describe("the limit of a body", () => {
  it("is a length that may be reached", async () => {
    const site = await startSite((_request, response) => response.end(Buffer.alloc(2_000)));
    const network = openNetwork(LOOPBACK);
    expect((await get(network, site.url, { maxBytes: 2_000 })).body).toHaveLength(2_000);
    expect(await failureOf(get(network, site.url, { maxBytes: 1_999 }))).toMatchObject({
      code: "NETWORK",
      message: `The answer of \`127.0.0.1:${site.port}\` is longer than the 1 KB that are read.`,
    });
  });

  it("ends a body that has no end", async () => {
    const server = await startRaw((socket) => pour(socket, "HTTP/1.1 200 OK\r\n\r\n", Buffer.alloc(65_536)));
    const closed = server.closed();
    const error = await failureOf(get(openNetwork(LOOPBACK), server.url, { maxBytes: MB }));
    expect(error.message).toContain("is longer than the 1 MB that are read");
    await closed;
  });

  it("stops a small answer that unpacks to a gigabyte, before it takes the memory", async () => {
    const megabyte = gzipSync(Buffer.alloc(MB));
    const bomb = Buffer.concat(Array.from({ length: 1024 }, () => megabyte));
    const site = await startSite((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
    );
    const closed = site.closed();
    const before = process.memoryUsage();
    const error = await failureOf(get(openNetwork(LOOPBACK), site.url, { maxBytes: 5 * MB }));
    const after = process.memoryUsage();
    expect(error.message).toContain("is longer than the 5 MB that are read");
    expect(after.arrayBuffers + after.external - before.arrayBuffers - before.external).toBeLessThan(
      100 * MB,
    );
    await closed;
  });

  it("lets time end what unpacks to nothing for ever", async () => {
    const nothing = Buffer.concat(Array.from({ length: 1_000 }, () => gzipSync("")));
    const head = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n";
    const server = await startRaw((socket) => pour(socket, head, nothing));
    const error = await failureOf(get(openNetwork(LOOPBACK), server.url, { timeoutMs: 200 }));
    expect(error.message).toContain("took longer than 200ms");
  });

  it("lets time end a body that comes a byte at a time", async () => {
    const server = await startRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const drip = setInterval(() => socket.write("."), 5);
      socket.on("close", () => clearInterval(drip));
    });
    const closed = server.closed();
    const error = await failureOf(get(openNetwork(LOOPBACK), server.url, { timeoutMs: 100 }));
    expect(error.message).toContain("took longer than 100ms");
    await closed;
  });
});
