// Whoever may not ask anything of the page's server, byte for byte.

import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world.ts";
import { openPage } from "./kit.ts";

const OVERVIEW = "GET /v1/inbox HTTP/1.1\r\n";
const HOST = "host: 127.0.0.1:PORT\r\n";
const TOKEN = "authorization: Bearer TOKEN\r\n";
const METRICS = "authorization: Bearer SCRAPER\r\n";
const CLOSE = "connection: close\r\n";
const SAY = '{"targets":["1"],"content":"smuggled"}';
const POST = `POST /v1/say HTTP/1.1\r\n${HOST}${TOKEN}`;
const JSON_TYPE = "content-type: application/json\r\n";
const LENGTH = `content-length: ${SAY.length}\r\n`;

const get = (...lines: readonly string[]): string => `${OVERVIEW}${lines.join("")}${CLOSE}\r\n`;
const at = (target: string): string => `GET ${target} HTTP/1.1\r\n${HOST}${TOKEN}${CLOSE}\r\n`;

/** Who asks, what, and with what that is answered. */
const REFUSED: readonly (readonly [who: string, request: string, status: number])[] = [
  ["without a token", get(HOST), 401],
  ["with an empty token", get(HOST, "authorization: Bearer \r\n"), 401],
  ["with another token", get(HOST, `authorization: Bearer ${"0".repeat(64)}\r\n`), 401],
  ["with a part of the token", get(HOST, "authorization: Bearer TOKEN0\r\n"), 401],
  ["with the token in another scheme", get(HOST, "authorization: Basic TOKEN\r\n"), 401],
  ["with the token alone", get(HOST, "authorization: TOKEN\r\n"), 401],
  ["with the token in a cookie", get(HOST, "cookie: token=TOKEN; authorization=Bearer TOKEN\r\n"), 401],
  ["with the token in the query", `GET /v1/inbox?token=TOKEN HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, 401],
  ["with the token twice", get(HOST, TOKEN, TOKEN), 400],
  ["with the token after another one", get(HOST, "authorization: Bearer x\r\n", TOKEN), 400],
  ["by a foreign name", get("host: evil.example\r\n", TOKEN), 421],
  ["by a foreign name with our port", get("host: evil.example:PORT\r\n", TOKEN), 421],
  ["by a name that was made to point here", get("host: 127.0.0.1.nip.io:PORT\r\n", TOKEN), 421],
  ["by a name that begins like ours", get("host: localhost.evil.example:PORT\r\n", TOKEN), 421],
  ["by our name with another port", get("host: 127.0.0.1:1\r\n", TOKEN), 421],
  ["by our name without a port", get("host: localhost\r\n", TOKEN), 421],
  ["by the address of all networks", get("host: 0.0.0.0:PORT\r\n", TOKEN), 421],
  ["by another address of this machine", get("host: 127.0.0.2:PORT\r\n", TOKEN), 421],
  ["by our address as a number", get("host: 2130706433:PORT\r\n", TOKEN), 421],
  ["by a name with a user", get("host: evil@127.0.0.1:PORT\r\n", TOKEN), 421],
  ["by our name and a space", get("host: 127.0.0.1:PORT evil.example\r\n", TOKEN), 421],
  ["by our name and a comma", get("host: 127.0.0.1:PORT,evil.example\r\n", TOKEN), 421],
  ["by no name", get("host: \r\n", TOKEN), 421],
  ["without the header of a name", get(TOKEN), 400],
  ["by two names", get(HOST, "host: evil.example\r\n", TOKEN), 400],
  ["as HTTP/1.0 without a name", `GET /v1/inbox HTTP/1.0\r\n${TOKEN}\r\n`, 421],
  ["from another site", get(HOST, TOKEN, "origin: https://evil.example\r\n"), 403],
  ["from a page without an origin", get(HOST, TOKEN, "origin: null\r\n"), 403],
  ["from another port of this machine", get(HOST, TOKEN, "origin: http://127.0.0.1:1\r\n"), 403],
  ["from another name of this machine", get(HOST, TOKEN, "origin: http://localhost:PORT\r\n"), 403],
  [
    "from an origin that begins like ours",
    get(HOST, TOKEN, "origin: http://127.0.0.1:PORT.evil.example\r\n"),
    403,
  ],
  ["from an empty origin", get(HOST, TOKEN, "origin: \r\n"), 403],
  ["from two origins", get(HOST, TOKEN, "origin: http://127.0.0.1:PORT\r\n", "origin: null\r\n"), 400],
  ["from a form or an image of another site", get(HOST, TOKEN, "sec-fetch-site: cross-site\r\n"), 403],
  ["from another port, as a browser says it", get(HOST, TOKEN, "sec-fetch-site: same-site\r\n"), 403],
  ["from somewhere no browser names", get(HOST, TOKEN, "sec-fetch-site: here\r\n"), 403],
  [
    "for the page, from another site",
    `GET / HTTP/1.1\r\n${HOST}sec-fetch-site: cross-site\r\n${CLOSE}\r\n`,
    403,
  ],
  ["for the page, by a foreign name", `GET / HTTP/1.1\r\nhost: evil.example\r\n${CLOSE}\r\n`, 421],
  ["to post to the page", `POST / HTTP/1.1\r\n${HOST}${TOKEN}content-length: 0\r\n${CLOSE}\r\n`, 405],
  [
    "what may be asked from another site",
    `OPTIONS /v1/say HTTP/1.1\r\n${HOST}origin: https://evil.example\r\n${CLOSE}\r\n`,
    403,
  ],
  ["what may be asked", `OPTIONS /v1/say HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, 405],
  ["with PUT", `PUT /v1/say HTTP/1.1\r\n${HOST}${TOKEN}content-length: 0\r\n${CLOSE}\r\n`, 405],
  ["with DELETE", `DELETE /v1/agents/1 HTTP/1.1\r\n${HOST}${TOKEN}${CLOSE}\r\n`, 405],
  ["with TRACE", `TRACE / HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, 405],
  ["as a proxy", `GET http://evil.example/ HTTP/1.1\r\n${HOST}${TOKEN}${CLOSE}\r\n`, 400],
  [
    "as a proxy, for ourselves",
    `GET http://127.0.0.1:PORT/v1/inbox HTTP/1.1\r\n${HOST}${TOKEN}${CLOSE}\r\n`,
    400,
  ],
  [
    "with a form",
    `${POST}content-type: application/x-www-form-urlencoded\r\n${LENGTH}${CLOSE}\r\n${SAY}`,
    415,
  ],
  ["with plain text", `${POST}content-type: text/plain\r\n${LENGTH}${CLOSE}\r\n${SAY}`, 415],
  [
    "with a part of a form",
    `${POST}content-type: multipart/form-data; boundary=x\r\n${LENGTH}${CLOSE}\r\n${SAY}`,
    415,
  ],
  ["with no type", `${POST}${LENGTH}${CLOSE}\r\n${SAY}`, 415],
  ["with nearly JSON", `${POST}content-type: application/jsonp\r\n${LENGTH}${CLOSE}\r\n${SAY}`, 415],
  [
    "with JSON of another alphabet",
    `${POST}content-type: application/json; charset=utf-7\r\n${LENGTH}${CLOSE}\r\n${SAY}`,
    415,
  ],
  ["with more than there may be", `${POST}${JSON_TYPE}content-length: 999999999\r\n${CLOSE}\r\n`, 413],
  ["with two lengths", `${POST}${JSON_TYPE}${LENGTH}content-length: 1\r\n${CLOSE}\r\n${SAY}`, 400],
  [
    "with a length and in pieces",
    `${POST}${JSON_TYPE}${LENGTH}transfer-encoding: chunked\r\n${CLOSE}\r\n0\r\n\r\n${SAY}`,
    400,
  ],
  ["with a length that is none", `${POST}${JSON_TYPE}content-length: 0x40\r\n${CLOSE}\r\n${SAY}`, 400],
  [
    "with a line break in a header",
    `${OVERVIEW}${HOST}x: a\nauthorization: Bearer TOKEN\r\n${CLOSE}\r\n`,
    400,
  ],
  ["with a space before the colon", `${OVERVIEW}${HOST}authorization : Bearer TOKEN\r\n${CLOSE}\r\n`, 400],
  ["with headers without end", `${OVERVIEW}${HOST}x: ${"a".repeat(70_000)}\r\n\r\n`, 431],
  ["with a body that is no JSON", `${POST}${JSON_TYPE}content-length: 3\r\n${CLOSE}\r\n{{{`, 400],
  ["for a file beside the page", at("/../package.json"), 400],
  ["for it in another writing", at("/%2e%2e/%2e%2e/etc/passwd"), 400],
  ["for it with backslashes", at("/..\\..\\etc\\passwd"), 400],
  ["for it twice written", at("/%252e%252e/etc/passwd"), 400],
  ["for it from below the page", at("/page.js/../../src/index.ts"), 400],
  ["for a file with an end", at("/page.js%00.html"), 400],
  ["for a file by a longer way", at("//page.js"), 400],
  ["for an agent by a path", at("/v1/agents/..%2f..%2fagents%2f1"), 400],
  ["for an agent with a long name", at(`/v1/agents/${"a".repeat(5_000)}`), 400],
  ["for an agent that is an object", at("/v1/agents/__proto__"), 400],
  ["for an event that is none", at("/v1/agents/1/log?from=1e99"), 400],
  ["for the metrics, without a token", `GET /metrics HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, 401],
  ["for the metrics, with the token of the page", at("/metrics"), 401],
  [
    "for the metrics, by a foreign name",
    `GET /metrics HTTP/1.1\r\nhost: evil.example:PORT\r\n${METRICS}${CLOSE}\r\n`,
    421,
  ],
  [
    "for the metrics, from another site",
    `GET /metrics HTTP/1.1\r\n${HOST}${METRICS}origin: null\r\n${CLOSE}\r\n`,
    403,
  ],
  ["to post to the metrics", `POST /metrics HTTP/1.1\r\n${HOST}${METRICS}${LENGTH}${CLOSE}\r\n${SAY}`, 405],
  [
    "with the token of the metrics in a query",
    `GET /metrics?token=SCRAPER HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
    401,
  ],
  ["for anything else with the token of the metrics", get(HOST, METRICS), 401],
  [
    "to say something with the token of the metrics",
    `POST /v1/say HTTP/1.1\r\n${HOST}${METRICS}${JSON_TYPE}${LENGTH}${CLOSE}\r\n${SAY}`,
    401,
  ],
  ["for a field that there is not", at("/v1/agents/1/log?constructor=1"), 400],
];

describe("hostile: dashboard", () => {
  it.each(REFUSED)("refuses whoever asks %s (K6)", async (_, request, status) => {
    const world = await createWorld({ "1": {} });
    const page = await openPage(world.project);
    const answer = await page.raw(request);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).not.toContain(page.token);
    expect(answer.toLowerCase()).not.toContain("access-control-");
    for (const content of ['"messages"', "ai_legion_"]) expect(answer).not.toContain(content);
    // Nothing that a refused request holds was done.
    expect(await world.kinds("1", "message")).toEqual([]);
  });

  it("does nothing where it was opened to be read only, and lets a name in only where it was allowed (K6)", async () => {
    const { project } = await createWorld({ "1": {} });
    const page = await openPage(project, { access: "read", hosts: ["box.example.com"] });
    const { status, json } = await page.ask("/v1/say", { targets: ["1"], content: "Hello" });
    expect([status, json["error"]]).toEqual([
      403,
      { code: "REFUSED", message: "This page only shows: it was started with --read-only." },
    ]);
    expect((await page.ask("/v1/inbox")).status).toBe(200);
    const from = (host: string, origin = ""): Promise<string> =>
      page.raw(get(`host: ${host}\r\n`, TOKEN, origin && `origin: ${origin}\r\n`));
    expect(await from("Box.example.com", "https://box.example.com")).toMatch(/^HTTP\/1.1 200 /);
    expect(await from("box.example.com:8080")).toMatch(/^HTTP\/1.1 421 /);
    expect(await from("a.box.example.com")).toMatch(/^HTTP\/1.1 421 /);
  });

  it("goes on while a thousand connections say nothing, or little and slowly (K6)", async () => {
    const { project } = await createWorld({ "1": {} });
    const page = await openPage(project);
    const sockets = Array.from({ length: 1_000 }, (_, index) => {
      const socket = connect(page.port, "127.0.0.1");
      socket.on("error", () => undefined);
      if (index % 2 === 0) socket.write(`${POST}${JSON_TYPE}content-length: 8000000\r\n\r\n{`);
      return socket;
    });
    await Promise.all(
      sockets.map((socket) => Promise.race([once(socket, "connect"), once(socket, "close")])),
    );
    for (const socket of sockets) socket.destroy();
    expect((await page.ask("/v1/inbox")).status).toBe(200);
  });

  it("says on every answer that nothing foreign runs, frames or keeps it (K6)", async () => {
    const { project } = await createWorld({ "1": {} });
    const page = await openPage(project);
    for (const request of [`GET / HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, get(HOST, TOKEN), get(HOST)]) {
      const answer = (await page.raw(request)).toLowerCase();
      expect(answer).toContain("content-security-policy: default-src 'none';");
      for (const part of [
        "frame-ancestors 'none'",
        "trusted-types legion-layout",
        "nosniff",
        "no-referrer",
        "no-store",
      ])
        expect(answer).toContain(part);
      expect(answer).not.toContain("unsafe-");
      expect(answer).not.toContain("set-cookie");
    }
  });
});
