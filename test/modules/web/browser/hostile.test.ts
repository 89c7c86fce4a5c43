// What a page cannot reach. Each way out is tried twice: to a site of the web, which it has to reach for the test to mean
// anything, and to one of this machine.

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve, startSite, startTrap } from "../../../environment/network/web.ts";
import { createCertificates } from "../../../storage/redis/certificates.ts";
import type { Permits } from "../../../../modules/web/document.ts";
import { chromiumIsThere, createNode, never, openBrowser, page } from "./kit.ts";

const inWorker = (script: string) =>
  `<script>new Worker(URL.createObjectURL(new Blob([\`${script}\`])))</script>`;

/** Ways out, each to a site that `there` is the address of. */
const WAYS: Readonly<Record<string, (there: string) => string>> = {
  script: (there) => `<script src="${there}"></script>`,
  module: (there) => `<script type="module">import("${there}")</script>`,
  modulepreload: (there) => `<link rel="modulepreload" href="${there}">`,
  stylesheet: (there) => `<link rel="stylesheet" href="${there}">`,
  import: (there) => `<style>@import "${there}";</style>`,
  font: (there) =>
    `<style>@font-face { font-family: f; src: url(${there}) } p { font-family: f }</style><p>x`,
  prefetch: (there) => `<link rel="prefetch" href="${there}">`,
  preload: (there) => `<link rel="preload" as="fetch" href="${there}">`,
  frame: (there) => `<iframe src="${there}"></iframe>`,
  object: (there) => `<object data="${there}"></object>`,
  embed: (there) => `<embed src="${there}" type="text/html">`,
  video: (there) => `<video src="${there}" preload="auto"></video>`,
  fetch: (there) => `<script>fetch("${there}", { mode: "no-cors" })</script>`,
  beacon: (there) => `<script>navigator.sendBeacon("${there}", "x")</script>`,
  events: (there) => `<script>new EventSource("${there}")</script>`,
  socket: (there) => `<script>new WebSocket("${there.replace("http", "ws")}")</script>`,
  worker: (there) => inWorker(`fetch("${there}", { mode: "no-cors" })`),
  importScripts: (there) => inWorker(`importScripts("${there}")`),
};

/** Ways that lead the whole page away. */
const WAYS_AWAY: typeof WAYS = {
  form: (there) => `<form action="${there}" method="post"></form><script>document.forms[0].submit()</script>`,
  refresh: (there) => `<meta http-equiv="refresh" content="0;url=${there}">`,
  location: (there) => `<script>location = "${there}"</script>`,
  download: (there) => `<a download href="${there}"></a><script>document.links[0].click()</script>`,
};

describe.skipIf(!chromiumIsThere)("a page", () => {
  const node = createNode();
  const browser = openBrowser(node);
  const bodyOf = async (html: string, url?: string) => {
    const rendered = await browser.render(page(html, url), never);
    return rendered.html + JSON.stringify(rendered.frames);
  };

  /** Which of `ways`, all in one page, lead to a connection. */
  async function reached(
    ways: typeof WAYS,
    hosts: readonly string[],
    permits?: Permits,
  ): Promise<readonly string[]> {
    const names = Object.keys(ways);
    const traps = await Promise.all(names.map(() => startTrap()));
    const html = names.flatMap((name, at) =>
      hosts.map((host) => ways[name]!(`http://${host}:${traps[at]!.port}/`)),
    );
    const shown = page(`<!doctype html><body>${html.join("")}`);
    await browser.render(shown, never, permits).catch(() => "refused");
    return names.filter((_, at) => traps[at]!.connections() > 0);
  }

  async function reachedIn(hosts: readonly string[], permits?: Permits): Promise<readonly string[]> {
    const pages = [WAYS, ...Object.entries(WAYS_AWAY).map(([name, way]) => ({ [name]: way }))];
    return (await Promise.all(pages.map((ways) => reached(ways, hosts, permits)))).flat();
  }

  it("reaches the web in every way, and this machine in none", async () => {
    expect(await reachedIn(["site.test"])).toEqual([...Object.keys(WAYS), ...Object.keys(WAYS_AWAY)]);
    const here = ["127.0.0.1", "[::1]", "localhost", "private.test", "0.0.0.0", "2130706433"];
    expect(await reachedIn(here)).toEqual([]);
  });

  it("reaches no host that the policy of its reader is against, in any way", async () => {
    expect(await reachedIn(["site.test"], (url) => new URL(url).hostname !== "site.test")).toEqual([]);
  });

  it("loads no images, and opens no connection ahead of time past the proxy", async () => {
    const trap = await startTrap();
    const there = `http://127.0.0.1:${trap.port}/x`;
    const html = `<link rel="preconnect" href="${there}"><link rel="dns-prefetch" href="${there}"><link rel="icon" href="${there}">
      <link rel="manifest" href="${there}"><img src="${there}"><style>body { background: url(${there}) }</style>
      <script type="speculationrules">{ "prerender": [{ "urls": ["${there}"], "eagerness": "immediate" }] }</script>
      <a href="#x" ping="${there}">x</a><script>document.links[0].click()</script>`;
    await browser.render(page(html), never);
    expect(trap.connections()).toBe(0);
  });

  it("is not led to this machine by a redirect", async () => {
    const trap = await startTrap();
    const site = await startSite((_, response) => {
      response
        .writeHead(302, { location: `http://127.0.0.1:${trap.port}/`, "access-control-allow-origin": "*" })
        .end();
    });
    const there = `http://site.test:${site.port}/`;
    const { html, remarks } = await browser.render(
      page(
        `<script>fetch("${there}").catch(() => document.body.append("nothing"))</script><iframe src="${there}"></iframe>`,
      ),
      never,
    );
    expect(html).toContain("nothing");
    expect(remarks.join()).toContain("Not everything that the page asked for was let through: 127.0.0.1");
    expect(site.asked.length).toBeGreaterThan(0);
    expect(trap.connections()).toBe(0);
  });

  it("sends no packets past the proxy: no WebRTC, no WebTransport", async () => {
    const socket = createSocket("udp4");
    let packets = 0;
    socket.on("message", () => packets++).bind(0);
    await once(socket, "listening");
    onTestFinished(() => void socket.close());
    const { port } = socket.address();
    const html = `<body><script>
      const say = (text) => document.body.append(text + " ");
      const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] });
      peer.createDataChannel("x");
      peer.onicegatheringstatechange = () => say("gathering " + peer.iceGatheringState);
      peer.onicecandidate = ({ candidate }) => candidate?.candidate && say("address");
      peer.createOffer().then((offer) => peer.setLocalDescription(offer));
      new WebTransport("https://127.0.0.1:${port}/").ready.catch(() => say("no transport"));
    </script>`;
    const body = await bodyOf(html, "https://site.test/");
    expect(body).toContain("gathering complete");
    expect(body).toContain("no transport");
    expect(body).not.toContain("address");
    expect(packets).toBe(0);
  });

  it("trusts no certificate that nobody vouches for", async () => {
    const folder = mkdtempSync(join(tmpdir(), "legion-tls-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { certificate, key } = createCertificates(folder);
    let asked = 0;
    const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, () => asked++);
    const site = await serve(server, "127.0.0.1");
    const html = `<body><script>fetch("https://site.test:${site.port}/").catch(() => document.body.append("no"))</script>`;
    expect(await bodyOf(html)).toContain("<body>no");
    expect(site.connections()).toBeGreaterThan(0);
    expect(asked).toBe(0);
  });

  it("cannot read files of this machine, nor pages of the browser", async () => {
    const secret = join(node.scratch, "..", "secret.html");
    writeFileSync(secret, "<p>SECRET");
    const html = `<body><iframe src="file://${secret}"></iframe><iframe src="chrome://version"></iframe><script>
      fetch("file://${secret}").then((answer) => answer.text()).then((text) => document.body.append(text), () => document.body.append("no"));
      setTimeout(() => { location = "file://${secret}" }, 20);
      setTimeout(() => { location = "chrome://crash" }, 40);
    </script>`;
    const body = await bodyOf(html);
    expect(body).toContain("no");
    expect(body).not.toContain("SECRET");
    expect(body).not.toContain("Chromium");
  });

  it("is asked for once: what was fetched is what it begins with", async () => {
    const site = await startSite((_, response) => response.end("<p>from the network"));
    const url = `http://site.test:${site.port}/page`;
    expect(await bodyOf("<p>as fetched", url)).toContain("as fetched");
    expect(site.asked.filter(({ path }) => path !== "/favicon.ico")).toEqual([]);
    const again = await bodyOf("<script>location.reload()</script>", url);
    expect(again).toContain("from the network");
  });

  it("makes the browser ask for nothing of its own", async () => {
    const site = await startSite((_, response) => response.end());
    const { remarks } = await browser.render(page("<p>x", `http://site.test:${site.port}/`), never);
    expect(remarks).toEqual([]);
    expect(site.asked.map(({ path }) => path)).toEqual(["/favicon.ico"]);
  });
});
