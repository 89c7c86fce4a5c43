import { describe, expect, it } from "vitest";
import { SHUTDOWN } from "../../../src/base/process/signals.ts";
import { createRedactor } from "../../../src/base/redaction/redactor.ts";
import type { StreamRequest } from "../../../src/domain/authoring/network.ts";
import type { ClosableNetwork } from "../../../src/environment/network/network.ts";
import { failureOf, namesOf, openNetwork, startRaw, startSite, startTrap } from "./web.ts";

const LOOPBACK = { allowPrivate: ["127.0.0.1"] };

const open = (network: ClosableNetwork, url: string, request: Partial<StreamRequest> = {}) =>
  network.open(url, { signal: new AbortController().signal, method: "GET", connectMs: 10_000, ...request });

const text = (chunk: { readonly value?: Uint8Array }): string => Buffer.from(chunk.value ?? []).toString();

describe("an answer that is read as it comes", () => {
  it("is there at its head, and each part when it is sent", async () => {
    let more = (words: string): void => void words;
    const site = await startSite((_request, response) => {
      response.writeHead(201, { "X-One": "1" }).flushHeaders();
      more = (words) => void (words === "" ? response.end() : response.write(words));
    });
    const { status, headers, body } = await open(openNetwork(LOOPBACK), `${site.url}/a`, {
      method: "POST",
      headers: { "X-Two": "2" },
      body: "ä",
    });
    expect({ status, headers }).toMatchObject({ status: 201, headers: { "x-one": "1" } });
    expect(site.asked).toMatchObject([{ method: "POST", path: "/a", body: "ä", headers: { "x-two": "2" } }]);
    const reader = body.getReader();
    more("one");
    expect(text(await reader.read())).toBe("one");
    more("two");
    expect(text(await reader.read())).toBe("two");
    const closed = site.closed();
    more("");
    expect((await reader.read()).done).toBe(true);
    await closed;
  });

  it("has no end before its time, and leaves nothing behind when it is cancelled or its request aborted (H4)", async () => {
    const site = await startSite((_request, response) => void response.write("begin"));
    const network = openNetwork(LOOPBACK);
    const { body } = await open(network, site.url);
    const closed = site.closed();
    await body.cancel();
    await closed;
    const stop = new AbortController();
    const { body: other } = await open(network, site.url, { signal: stop.signal });
    const reader = other.getReader();
    expect(text(await reader.read())).toBe("begin");
    const next = reader.read();
    stop.abort(new Error("stopped"));
    await expect(next).rejects.toThrow("stopped");
  });

  it("is a failure where it breaks off, where it is silent for too long, and where the process stops", async () => {
    const server = await startRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf");
      setImmediate(() => socket.destroy());
    });
    const { body } = await open(openNetwork(LOOPBACK), server.url);
    await expect(new Response(body).text()).rejects.toMatchObject({ code: "NETWORK" });
    const mute = await startSite((_request, response) => response.flushHeaders());
    const network = openNetwork(LOOPBACK);
    const silent = await open(network, mute.url, { silenceMs: 30 });
    await expect(new Response(silent.body).text()).rejects.toThrow(
      `\`127.0.0.1:${mute.port}\` was silent for 30ms.`,
    );
    const { body: last } = await open(network, mute.url);
    const reading = new Response(last).text();
    await network.close();
    await expect(reading).rejects.toBe(SHUTDOWN);
  });

  it("is a failure before its head, too: nobody there, no answer", async () => {
    const network = openNetwork(LOOPBACK);
    const gone = await startSite(() => undefined);
    expect((await failureOf(open(network, gone.url, { silenceMs: 30 }))).message).toContain("was silent for");
    expect((await failureOf(open(network, "http://127.0.0.1:2/"))).message).toContain("refuses connections");
    const stop = new AbortController();
    stop.abort(new Error("stopped"));
    await expect(open(network, gone.url, { signal: stop.signal })).rejects.toThrow("stopped");
  });

  it("that is a redirect is not followed", async () => {
    const site = await startSite((_request, response) =>
      response.writeHead(307, { location: "http://10.0.0.1/" }).end(),
    );
    const { status, headers } = await open(openNetwork(LOOPBACK), site.url);
    expect({ status, location: headers["location"] }).toEqual({ status: 307, location: "http://10.0.0.1/" });
  });

  it("may be of a private host that was named for it, and of no other", async () => {
    const trap = await startTrap();
    const lookup = namesOf({ "mcp.test": ["127.0.0.1"], "other.test": ["127.0.0.1"] });
    const network = openNetwork({ lookup });
    const trusted = `mcp.test:${trap.port}`;
    expect((await open(network, `http://${trusted}/`, { trusted })).status).toBe(200);
    const other = await failureOf(open(network, `http://other.test:${trap.port}/`, { trusted }));
    expect(other).toMatchObject({ code: "REFUSED" });
  });
});

describe("hostile: SSRF", () => {
  it.each([
    ["a private address", "http://10.0.0.1/"],
    ["the metadata of a cloud", "http://169.254.169.254/latest"],
    ["a port where no web server listens", "http://127.0.0.1:22/"],
    ["another protocol", "file:///etc/passwd"],
    ["a password in the address", "http://a:b@127.0.0.1/"],
  ])("a stream from %s is refused", async (_, url) => {
    const allowPrivate = url.includes("127.0.0.1") ? ["127.0.0.1"] : [];
    expect((await failureOf(open(openNetwork({ allowPrivate }), url))).code).toBe("REFUSED");
  });
});

describe("hostile: secrets", () => {
  it("a secret is sent to nobody but to whom it is meant for", async () => {
    const site = await startSite((_request, response) => response.end());
    const redactor = createRedactor([{ name: "TOKEN", value: "of-the-tickets-1" }]);
    const network = openNetwork({ ...LOOPBACK, redactor });
    const headers = { authorization: "Bearer of-the-tickets-1" };
    expect((await failureOf(open(network, site.url, { headers }))).code).toBe("REFUSED");
    expect((await open(network, site.url, { headers, keys: ["of-the-tickets-1"] })).status).toBe(200);
  });
});
