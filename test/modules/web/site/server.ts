// A small web site, as real ones are: what the tests of reading pages read. Every page is served as its server would.

import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { encode } from "./encode.ts";
import { largePage, storiesAfter } from "./generated.ts";
import { writePdf } from "./pdf.ts";

export interface Site {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string;
  /** How often each path was asked for, the query left out. */
  readonly requests: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

type Route = (url: URL, site: string) => Answer;

const HTML = "text/html; charset=utf-8";

/** The text of a file in pages/, with `{{site}}` replaced by the address of the site. */
function page(name: string, site = ""): string {
  return readFileSync(new URL(`./pages/${name}`, import.meta.url), "utf8").replaceAll("{{site}}", site);
}

const html =
  (name: string, status = 200): Route =>
  (_, site) => ({ status, type: HTML, body: page(name, site) });

const encoded =
  (name: string, label: string, type: string): Route =>
  (_, site) => ({ type, body: encode(page(name, site), label) });

const redirect =
  (location: string, status = 302): Route =>
  () => ({ status, headers: { location } });

const json = (value: unknown): Answer => ({ type: "application/json", body: JSON.stringify(value) });

const ROUTES: Readonly<Record<string, Route>> = {
  "/": html("index.html"),
  // A long article between banners, links and comments.
  "/article": html("article.html"),
  "/reference": html("reference.html"),
  "/docs/streams": html("docs.html"),
  // Its content comes with a script, out of /app/state.json.
  "/app": html("app.html"),
  "/app/state.json": (_, site) => ({ type: "application/json", body: page("app-state.json", site) }),
  // Ten stories, and ten more whenever the end comes into view, 40 in all.
  "/stories": html("stories.html"),
  "/api/stories": ({ searchParams }) => json(storiesAfter(Number(searchParams.get("after")))),
  "/frames": html("frames.html"),
  "/frames/timetable": html("frames-timetable.html"),
  "/frameset": html("frameset.html"),
  "/frameset/contents": html("frameset-contents.html"),
  "/frameset/chapter": html("frameset-chapter.html"),
  "/ja": encoded("japanese.html", "shift_jis", "text/html"),
  "/ar": html("arabic.html"),
  "/de": encoded("german.html", "iso-8859-1", "text/html; charset=ISO-8859-1"),
  "/broken": encoded("broken.html", "utf-8", "text/html"),
  // 5 MB of a city's tree register.
  "/large": () => ({ type: HTML, body: largePage() }),
  "/old-address": redirect("/moved", 301),
  "/moved": redirect("/moved-again?from=%2Fmoved", 302),
  "/moved-again": redirect("article", 307),
  "/loop": redirect("/loop"),
  // What two kinds of sites do with those who are not signed in.
  "/account": redirect("/login?next=%2Faccount"),
  "/login": html("login.html"),
  "/members": (_, site) => ({
    status: 401,
    type: HTML,
    headers: { "www-authenticate": 'Bearer realm="members"' },
    body: page("members.html", site),
  }),
  "/forum/thread": html("forum.html"),
  "/shop/kettle": html("shop.html"),
  // An index page: headlines and links, no running text.
  "/recipes": html("recipes.html"),
  "/shadow": html("shadow.html"),
  "/feed.xml": (_, site) => ({ type: "application/rss+xml", body: page("feed.xml", site) }),
  "/atom.xml": (_, site) => ({ type: "application/atom+xml; charset=utf-8", body: page("atom.xml", site) }),
  "/report.pdf": () => ({ type: "application/pdf", body: writePdf(JSON.parse(page("report.json"))) }),
  "/scan.pdf": () => ({ type: "application/pdf", body: writePdf({ title: "", pages: [[], []] }) }),
  "/stations.json": () => ({ type: "application/json", body: page("stations.json").trim() }),
  "/notes.md": () => ({ type: "text/markdown; charset=utf-8", body: page("notes.md") }),
  // 3,600 tokens: 300 lines of 48 bytes.
  "/almanac.txt": () => ({
    type: "text/plain",
    body: "a day of rain, a day of sun, and a day of wind.\n".repeat(300),
  }),
  "/robots.txt": () => ({ type: "text/plain", body: "User-agent: *\nAllow: /\n" }),
  "/logo.png": () => ({
    type: "image/png",
    body: Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xd, 0xa, 0x1a, 0xa),
  }),
};

/** Serves the site on a free port of 127.0.0.1. */
export async function startSite(): Promise<Site> {
  const requests = new Map<string, number>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://site");
    requests.set(url.pathname, (requests.get(url.pathname) ?? 0) + 1);
    answer(request, response, url);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, url: URL): void {
  const site = `http://${request.headers.host ?? "127.0.0.1"}`;
  const route = Object.hasOwn(ROUTES, url.pathname) ? ROUTES[url.pathname] : undefined;
  const { status = 200, type, headers = {}, body = "" } = (route ?? html("missing.html", 404))(url, site);
  response.writeHead(status, { ...headers, ...(type !== undefined && { "content-type": type }) });
  response.end(body);
}
