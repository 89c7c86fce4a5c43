import { readFile } from "node:fs/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { SHUTDOWN } from "../../../src/base/process/signals.ts";
import { failureOf, get, namesOf, openNetwork, startRaw, startSite } from "./web.ts";

const LOOPBACK = { allowPrivate: ["127.0.0.1"] };

describe("a fetch", () => {
  it("gives whatever status came, with headers by their names in lower case", async () => {
    const site = await startSite((_request, response) =>
      response
        .writeHead(404, { "Content-Type": "text/plain", "X-One": "1", "Set-Cookie": ["a=1", "b=2"] })
        .end("gone"),
    );
    const page = await get(openNetwork(LOOPBACK), `${site.url}/a?b=c#d`);
    expect(page).toMatchObject({
      status: 404,
      url: `${site.url}/a?b=c#d`,
      headers: { "content-type": "text/plain", "x-one": "1", "set-cookie": "a=1\nb=2" },
    });
    expect(Object.keys(page.headers)).not.toContain("content-length");
    expect(Buffer.from(page.body).toString()).toBe("gone");
  });

  it("says who asks and what it reads, unless the one who asks says otherwise", async () => {
    const site = await startSite((_request, response) => response.end());
    const network = openNetwork(LOOPBACK);
    await get(network, `${site.url}/%7Ea|b?q=%20`);
    await get(network, site.url, { headers: { Accept: "application/json", "User-Agent": "me" } });
    const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
    expect(site.asked[0]).toMatchObject({
      method: "GET",
      path: "/%7Ea|b?q=%20",
      headers: {
        host: `127.0.0.1:${site.port}`,
        "user-agent": `Mozilla/5.0 (compatible; ai-legion/${version})`,
        accept: expect.stringMatching(/^text\/html,/) as string,
        "accept-encoding": "gzip, deflate, br",
        connection: "close",
      },
    });
    expect(site.asked[1]!.headers).toMatchObject({ accept: "application/json", "user-agent": "me" });
  });

  it("sends a body", async () => {
    const site = await startSite((_request, response) => response.end());
    const headers = { "content-type": "application/json" };
    await get(openNetwork(LOOPBACK), site.url, { method: "POST", headers, body: '{"a":"ä"}' });
    expect(site.asked[0]).toMatchObject({
      method: "POST",
      body: '{"a":"ä"}',
      headers: { ...headers, "content-length": "10" },
    });
  });

  it("survives headers with names of the language", async () => {
    const server = await startRaw((socket) =>
      socket.end(
        "HTTP/1.1 200 OK\r\n__proto__: x\r\n__proto__: y\r\nconstructor: z\r\ncontent-length: 0\r\n\r\n",
      ),
    );
    const page = await get(openNetwork(LOOPBACK), server.url);
    expect(page.headers).toMatchObject({ constructor: "z" });
    expect(Object.getPrototypeOf(page.headers)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it("leaves no connection behind (H4)", async () => {
    const site = await startSite((_request, response) => response.end("x"));
    const network = openNetwork(LOOPBACK);
    const closed = site.closed();
    await get(network, site.url);
    await closed;
    await get(network, site.url);
    expect(site.connections()).toBe(2);
  });
});

describe("a trusted host", () => {
  it("may be private for the request that names it, and for no other (H4)", async () => {
    const site = await startSite((_request, response) => response.end("found"));
    const network = openNetwork();
    const both = await Promise.all([
      get(network, site.url, { trusted: `127.0.0.1:${site.port}` }),
      failureOf(get(network, site.url)),
    ]);
    expect(both).toMatchObject([{ status: 200 }, { code: "REFUSED" }]);
    expect((await failureOf(get(network, site.url, { trusted: "127.0.0.1:1" }))).code).toBe("REFUSED");
    expect((await failureOf(get(network, site.url, { trusted: "not a host" }))).code).toBe("USAGE");
    expect(site.connections()).toBe(1);
  });
});

describe("a failure", () => {
  const names = namesOf({ "site.test": ["127.0.0.1"] });
  const listed = { allowPrivate: ["site.test"], lookup: names };

  it("names a host that does not exist", async () => {
    expect(await failureOf(get(openNetwork(), "https://nowhere.invalid/"))).toMatchObject({
      code: "NETWORK",
      message: "There is no host `nowhere.invalid`.",
    });
    expect(
      (await failureOf(get(openNetwork({ lookup: () => Promise.resolve([]) }), "http://x.test"))).message,
    ).toBe("There is no host `x.test`.");
  });

  it("tells a name server that does not answer from a host that does not exist", async () => {
    const lookup = () => Promise.reject(Object.assign(new Error("EAI_AGAIN"), { code: "EAI_AGAIN" }));
    expect((await failureOf(get(openNetwork({ lookup }), "http://x.test"))).message).toBe(
      "The name `x.test` cannot be looked up now: no name server answers.",
    );
  });

  it("names a host that refuses connections, with its port", async () => {
    const site = await startSite(() => {});
    await new Promise((resolve) => site.server.close(resolve));
    expect(await failureOf(get(openNetwork(listed), `http://site.test:${site.port}/`))).toMatchObject({
      code: "NETWORK",
      message: `\`site.test:${site.port}\` refuses connections.`,
    });
  });

  it.each([
    ["says nothing and hangs up", "", "hung up without a whole answer"],
    ["resets", undefined, "hung up without a whole answer"],
    ["does not speak HTTP", "220 mail ESMTP\r\n", "did not answer in HTTP"],
    [
      "changes the protocol unasked",
      "HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
      "hung up",
    ],
    [
      "sends headers without end",
      `HTTP/1.1 200 OK\r\n${`a: ${"b".repeat(100)}\r\n`.repeat(1_000)}`,
      "sent headers that are too long",
    ],
    [
      "names two lengths",
      "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
      "did not answer in HTTP",
    ],
    [
      "hangs up in the middle",
      "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc",
      "hung up without a whole answer",
    ],
    [
      "hangs up in a chunk",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nabc",
      "hung up without",
    ],
  ])("is told of a server that %s", async (_, bytes, message) => {
    const server = await startRaw((socket) => {
      socket.once("data", () => (bytes === undefined ? socket.resetAndDestroy() : socket.end(bytes)));
    });
    const error = await failureOf(get(openNetwork(listed), `http://site.test:${server.port}/`));
    expect(error.code).toBe("NETWORK");
    expect(error.message).toContain(`\`site.test:${server.port}\` ${message}`);
  });
});

describe("the end of a fetch", () => {
  it.each([
    ["does not answer", ""],
    ["sends one early hint after the other", "HTTP/1.1 103 Early Hints\r\n\r\n"],
    ["does not end its headers", "HTTP/1.1 200 OK\r\nx: "],
    ["does not end its body", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc"],
  ])("comes in time when a server %s", async (_, bytes) => {
    const server = await startRaw((socket) => socket.write(bytes));
    const closed = server.closed();
    const error = await failureOf(get(openNetwork(LOOPBACK), server.url, { timeoutMs: 50 }));
    expect(error).toMatchObject({ code: "NETWORK", message: `\`${server.url}\` took longer than 50ms.` });
    await closed;
  });

  it("comes in time when no name server answers", async () => {
    const network = openNetwork({ lookup: () => new Promise(() => {}) });
    const error = await failureOf(get(network, "http://x.test/", { timeoutMs: 20 }));
    expect(error.message).toBe("`http://x.test/` took longer than 20ms.");
  });

  it("comes with the abort of the one who asked, and for that reason", async () => {
    const server = await startRaw(() => {});
    const network = openNetwork(LOOPBACK);
    const stop = new AbortController();
    const closed = server.closed();
    const connected = new Promise((resolve) => server.server.once("connection", resolve));
    const page = get(network, server.url, { signal: stop.signal });
    await connected;
    stop.abort(new Error("enough"));
    await expect(page).rejects.toThrow("enough");
    await closed;
    await expect(get(network, server.url, { signal: stop.signal })).rejects.toThrow("enough");
    expect(server.connections()).toBe(1);
  });

  it("can be waited for by many at once, without a warning to whoever looks at the screen", async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on("warning", warn);
    onTestFinished(() => void process.off("warning", warn));
    const site = await startSite((_request, response) => response.end());
    const network = openNetwork(LOOPBACK);
    await Promise.all(Array.from({ length: 40 }, () => get(network, site.url)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  });

  it("comes with that of the network, for what runs and for what comes later", async () => {
    const server = await startRaw(() => {});
    const network = openNetwork(LOOPBACK);
    const connected = new Promise((resolve) => server.server.once("connection", resolve));
    const closed = server.closed();
    const page = failureOf(get(network, server.url));
    await connected;
    await network.close();
    expect(await page).toBe(SHUTDOWN);
    await closed;
    expect(await failureOf(get(network, server.url))).toBe(SHUTDOWN);
    expect(await failureOf(network.openProxy({ maxBytes: 1 }))).toBe(SHUTDOWN);
    expect(server.connections()).toBe(1);
  });
});
