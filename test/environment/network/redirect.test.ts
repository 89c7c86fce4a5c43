import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { failureOf, get, namesOf, openNetwork, startSite, startTrap } from "./web.ts";

const LOOPBACK = { allowPrivate: ["127.0.0.1"] };

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Each path redirects as `to` says; any other is a page. */
function redirects(to: Readonly<Record<string, string>>, status = 302): Answer {
  return (request, response) => {
    const location = to[request.url ?? ""];
    if (location === undefined) response.end("here");
    else response.writeHead(status, { location }).end("elsewhere");
  };
}

describe("a redirect", () => {
  it("is followed, five times at most", async () => {
    const steps = Object.fromEntries(["1", "2", "3", "4", "5"].map((n) => [`/${n}`, `/${Number(n) - 1}`]));
    const site = await startSite(redirects({ ...steps, "/6": "5" }));
    const network = openNetwork(LOOPBACK);
    expect(await get(network, `${site.url}/5`)).toMatchObject({ status: 200, url: `${site.url}/0` });
    expect(await failureOf(get(network, `${site.url}/6`))).toMatchObject({
      code: "NETWORK",
      message: `\`${site.url}/6\` redirects more than 5 times.`,
    });
  });

  it("from name to name leaves nothing behind on the way", async () => {
    const site = await startSite((request, response) => {
      const next = Number(request.url!.slice(1)) - 1;
      if (next < 0) response.end("here");
      else response.writeHead(302, { location: `http://${next}.site.test:${site.port}/${next}` }).end();
    });
    const network = openNetwork({ ...LOOPBACK, lookup: () => Promise.resolve(["127.0.0.1"]) });
    const warnings: string[] = [];
    const hear = ({ message }: Error): void => void warnings.push(message);
    process.on("warning", hear);
    onTestFinished(() => void process.off("warning", hear));
    expect(await get(network, `http://5.site.test:${site.port}/5`)).toMatchObject({ status: 200 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  });

  it("to itself comes to an end", async () => {
    const site = await startSite(redirects({ "/": "/" }));
    expect((await failureOf(get(openNetwork(LOOPBACK), `${site.url}/`))).message).toContain(
      "more than 5 times",
    );
    expect(site.asked).toHaveLength(6);
  });

  it.each([
    ["/next", "/next"],
    ["next?x#y", "/next?x#y"],
    ["//127.0.0.1:PORT/next", "/next"],
    ["http:/next", "/next"],
    ["/ü", "/%C3%BC"],
    ["", "/"],
  ])("is read as %s, relative to where it came from", async (location, expected) => {
    let isFirst = true;
    const site = await startSite((request, response) => {
      const to = location.replace("PORT", String(site.port));
      if (isFirst) response.writeHead(301, { location: Buffer.from(to).toString("latin1") }).end();
      else response.end(request.url);
      isFirst = false;
    });
    expect((await get(openNetwork(LOOPBACK), `${site.url}/`)).url).toBe(`${site.url}${expected}`);
  });

  it.each([300, 304, 305, 399, 200, 201])("is not what a status of %i means", async (status) => {
    const site = await startSite(redirects({ "/": "/next" }, status));
    expect(await get(openNetwork(LOOPBACK), `${site.url}/`)).toMatchObject({ status, url: `${site.url}/` });
  });

  it("without a place is an answer", async () => {
    const site = await startSite((_request, response) => response.writeHead(302).end("where?"));
    expect((await get(openNetwork(LOOPBACK), site.url)).status).toBe(302);
  });
});

describe("hostile: SSRF", () => {
  it.each([
    ["http://127.0.0.1:PORT/", "127.0.0.1 is an address of this machine"],
    ["http://0x7f.1:PORT/", "127.0.0.1 is an address of this machine"],
    ["http://[::1]:PORT/", "::1 is an address of this machine"],
    ["http://inside.test:PORT/", "`inside.test` resolves to 127.0.0.1"],
    ["http://169.254.169.254/latest/meta-data", "169.254.169.254 is the metadata service of a cloud"],
    ["//localhost:PORT/", "`localhost` resolves to 127.0.0.1"],
    ["file:///etc/passwd", "Only http and https URLs can be read"],
    ["data:text/html,x", "Only http and https URLs can be read"],
    ["http://u:p@site.test:PORT/", "user name or a password"],
    ["http://site.test:6379/", "Port 6379"],
    ["http://[", "which is no URL"],
  ])("a redirect to %s is refused as if it were asked for (H5)", async (location, message) => {
    const trap = await startTrap();
    const site = await startSite(redirects({ "/": location.replace("PORT", String(trap.port)) }));
    const network = openNetwork({
      allowPrivate: [`site.test:${site.port}`],
      lookup: namesOf({ "site.test": ["127.0.0.1"], "inside.test": ["127.0.0.1"], localhost: ["127.0.0.1"] }),
    });
    const error = await failureOf(get(network, `http://site.test:${site.port}/`));
    expect(error.code).toBe("REFUSED");
    expect(error.message).toContain(message);
    expect(error.message).toContain("redirect");
    expect(trap.connections()).toBe(0);
  });

  it("a redirect away from a trusted host takes no trust along (H5)", async () => {
    const trap = await startTrap();
    const site = await startSite(
      redirects({ "/": `http://127.0.0.1:${trap.port}/`, "/b": "http://127.0.0.2:1/" }),
    );
    const trusted = `127.0.0.1:${site.port}`;
    for (const path of ["/", "/b"]) {
      const error = await failureOf(get(openNetwork(), `${site.url}${path}`, { trusted }));
      expect(error).toMatchObject({
        code: "REFUSED",
        message: expect.stringContaining("After a redirect to ") as string,
      });
    }
    expect(trap.connections()).toBe(0);
  });
});

describe("what goes along with a redirect", () => {
  const post = {
    method: "POST",
    body: "text",
    headers: { "Content-Type": "text/plain", "X-Api-Key": "k" },
  } as const;

  it.each([
    [301, "GET", ""],
    [302, "GET", ""],
    [303, "GET", ""],
    [307, "POST", "text"],
    [308, "POST", "text"],
  ])("after a %i is what browsers send: %s", async (status, method, body) => {
    const site = await startSite(redirects({ "/": "/next" }, status));
    await get(openNetwork(LOOPBACK), `${site.url}/`, post);
    expect(site.asked[1]).toMatchObject({ method, body, headers: { "x-api-key": "k" } });
    expect(site.asked[1]!.headers["content-type"]).toBe(method === "GET" ? undefined : "text/plain");
  });

  it("to another origin is nothing that may be secret, also on the way back", async () => {
    const other = await startSite((request, response) =>
      response.writeHead(302, { location: `${site.url}/end` }).end(request.url),
    );
    const site = await startSite(redirects({ "/": `${other.url}/` }));
    const headers = {
      Authorization: "Bearer s",
      "X-Api-Key": "s",
      Cookie: "s=s",
      "X-Subscription-Token": "s",
      Accept: "a/b",
    };
    await get(openNetwork(LOOPBACK), `${site.url}/`, { headers });
    expect(site.asked[0]!.headers).toMatchObject({ authorization: "Bearer s", cookie: "s=s" });
    for (const { headers: sent } of [other.asked[0]!, site.asked[1]!]) {
      expect(Object.keys(sent).sort()).toEqual([
        "accept",
        "accept-encoding",
        "accept-language",
        "connection",
        "host",
        "user-agent",
      ]);
      expect(sent.accept).toBe("a/b");
    }
  });

  it("to another origin is no body", async () => {
    const other = await startSite((_request, response) => response.end());
    const site = await startSite(redirects({ "/": `${other.url}/` }, 307));
    const error = await failureOf(get(openNetwork(LOOPBACK), `${site.url}/`, post));
    expect(error).toMatchObject({
      code: "REFUSED",
      message: expect.stringContaining("wants what was sent to it") as string,
    });
    expect(other.connections()).toBe(0);
  });
});

describe("a cookie", () => {
  const names = namesOf({ "a.test": ["127.0.0.1"], "b.test": ["127.0.0.1"] });
  const network = () => openNetwork({ allowPrivate: ["a.test", "b.test"], lookup: names });

  it("ends the loop of a server that redirects until it comes back", async () => {
    const site = await startSite((request, response) => {
      if (request.headers.cookie?.includes("seen=1")) response.end("come in");
      else
        response
          .writeHead(302, { location: "/", "set-cookie": ["seen=1; Path=/; HttpOnly", "more=2"] })
          .end();
    });
    const page = await get(network(), `http://a.test:${site.port}/`, { headers: { cookie: "mine=0" } });
    expect(Buffer.from(page.body).toString()).toBe("come in");
    expect(site.asked[1]!.headers.cookie).toBe("mine=0; seen=1; more=2");
  });

  it("is gone with the fetch, and goes to no other host, whatever it says of itself", async () => {
    const site = await startSite((request, response) => {
      const b = `http://b.test:${site.port}/`;
      const cookies = ["one=1; Domain=test", "two=2; Domain=b.test"];
      if (request.headers.host?.startsWith("a."))
        response.writeHead(302, { location: b, "set-cookie": cookies }).end();
      else response.end();
    });
    const one = network();
    await get(one, `http://a.test:${site.port}/`);
    await get(one, `http://a.test:${site.port}/`);
    expect(site.asked.map(({ headers }) => headers.cookie)).toEqual(Array(4).fill(undefined));
  });

  it.each([
    [["a=1; Secure"], undefined],
    [["a=1", "a=2"], "a=2"],
    [["a=1", "a=; Max-Age=0"], undefined],
    [["a=1", "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], undefined],
    [["a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], "a=1"],
    [["a=b=c; max-age=nonsense; expires=never"], "a=b=c"],
    [["__proto__=1", "alone", "; Path=/", ""], "__proto__=1; alone"],
  ])("that was set as %j is sent over http as %s", async (cookies, expected) => {
    const site = await startSite((request, response) => {
      if (request.url === "/next") response.end();
      else response.writeHead(302, { location: "/next", "set-cookie": cookies }).end();
    });
    await get(network(), `http://a.test:${site.port}/`);
    expect(site.asked[1]!.headers.cookie).toBe(expected);
  });
});
