// What of a page a reader gets.

import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { MAX_CHARACTERS, MAX_FRAMES } from "../../../../modules/web/browser/limits.ts";
import type { Framed } from "../../../../modules/web/document.ts";
import { startSite } from "../../../environment/network/web.ts";
import { chromiumIsThere, createNode, never, openBrowser, page } from "./kit.ts";

/** With its frames where they stand. */
const whole = ({ html, frames }: Pick<Framed, "html" | "frames">): string =>
  html.replaceAll(/<!--(\d+)-->/g, (_, index: string) => {
    const framed = frames[Number(index)];
    return framed ? `<frame ${framed.url}>${whole(framed)}</frame>` : "";
  });

describe.skipIf(!chromiumIsThere)("a rendered page", () => {
  const browser = openBrowser(createNode());
  const render = (html: string, url?: string) => browser.render(page(html, url), never);
  const bodyOf = async (html: string) => /<body>(.*)<\/body>/s.exec(whole(await render(html)))?.[1];

  it("is the page after its scripts, without them and without styles", async () => {
    const html = `<!doctype html><title>T</title><style>p { color: red }</style>
      <script type="application/ld+json">{"@type":"Article"}</script>
      <p>one<noscript>none</noscript><script>document.title = "done"; document.body.append("two")</script>`;
    const rendered = await render(html, "https://example.com/a?b=1#c");
    expect(rendered.html.replaceAll(/\s/g, "")).toBe(
      '<html><head><title>done</title><scripttype="application/ld+json">{"@type":"Article"}</script></head>' +
        "<body><p>one</p>two</body></html>",
    );
    expect(rendered).toMatchObject({ url: "https://example.com/a?b=1#c", remarks: [] });
  });

  it("says so where something that it asked for has no answer, though nothing else is asked for", async () => {
    const site = await startSite(() => undefined);
    const html = `<p>Loading</p><script>fetch("http://site.test:${site.port}/slow")</script>`;
    const { remarks } = await render(html, `http://site.test:${site.port}/`);
    expect(remarks).toEqual(["Something that the page asked for had not come when it was read."]);
  });

  it("is whole although answers go on for ever, and documents were left that still waited for some", async () => {
    const site = await startSite((request, response) => {
      if (request.url === "/never") return;
      const type = request.url === "/events" ? "text/event-stream" : "text/html";
      response.writeHead(200, { "content-type": type, "access-control-allow-origin": "*" });
      if (request.url === "/next") response.end("<p>the next page");
      else response.write("data: one\n\n");
    });
    const home = `http://site.test:${site.port}`;
    const endless = await render(
      `<p>read<script>for (const _ of "ab") { new EventSource("/events"); void fetch("/stream") }</script>`,
      `${home}/`,
    );
    expect(endless).toMatchObject({ html: expect.stringContaining("<p>read") as string, remarks: [] });
    const left = await render(
      `<script>for (const _ of "abcd") fetch("/never"); setTimeout(() => (location = "/next"), 100)</script>`,
      `${home}/`,
    );
    expect(left).toMatchObject({ html: expect.stringContaining("the next page") as string, remarks: [] });
  });

  it("does not wait for what a worker had asked for that has ended", async () => {
    const site = await startSite((request, response) => {
      if (request.url === "/never") return;
      response.setHeader("content-type", "text/javascript");
      response.end(`for (const _ of "abc") void fetch("/never"); postMessage("asked")`);
    });
    const html = `<p>Here</p><script>
      const worker = new Worker("/worker.js");
      worker.onmessage = () => setTimeout(() => worker.terminate(), 200);
    </script>`;
    const rendered = await render(html, `http://site.test:${site.port}/`);
    expect(rendered).toMatchObject({ html: expect.stringContaining("Here") as string, remarks: [] });
  });

  it("has what its workers fetch", async () => {
    const site = await startSite((request, response) => {
      if (request.url === "/worker.js") {
        response.setHeader("content-type", "text/javascript");
        return void response.end(`fetch("/late").then((answer) => answer.text()).then(postMessage)`);
      }
      void delay(1_000).then(() => response.end("from afar"));
    });
    const html = `<p>Here</p><script>new Worker("/worker.js").onmessage = ({ data }) => document.body.append(data)</script>`;
    const rendered = await render(html, `http://site.test:${site.port}/`);
    expect(rendered).toMatchObject({ html: expect.stringContaining("from afar") as string, remarks: [] });
  });

  it("is in the encoding that its headers or its text name", async () => {
    const body = Buffer.from("<meta charset=koi8-r><p>\xf0\xf2\xe9\xf7\xe5\xf4", "latin1");
    const headers = { "content-type": "text/html" };
    const rendered = await browser.render({ ...page(""), body, headers }, never);
    expect(rendered.html).toContain("<p>ПРИВЕТ</p>");
  });

  it("is read whatever status it came with, and whatever else its headers ask for", async () => {
    const headers = {
      "content-type": "text/html",
      "content-encoding": "gzip",
      "content-length": "3",
      "content-disposition": "attachment",
      "www-authenticate": "Basic",
      location: "http://private.test/",
    };
    const statuses = [404, 401, 407, 302, 204];
    const rendered = await Promise.all(
      statuses.map((status) => browser.render({ ...page("<p>read"), status, headers }, never)),
    );
    for (const { html } of rendered) expect(html).toContain("<p>read</p>");
  });

  it("has open shadow roots in place, with what stands in their slots", async () => {
    const html = `<x-card><b slot="name">Ada</b><i>rest</i></x-card><script>
      const open = (host, html) => { const root = host.attachShadow({ mode: "open" }); root.innerHTML = html; return root; };
      const root = open(document.querySelector("x-card"), "<h2><slot name=name></slot></h2><slot></slot><slot name=no>else</slot><u></u>");
      open(root.querySelector("u").appendChild(document.createElement("p")), "inner");
    </script>`;
    expect(await bodyOf(html)).toBe(
      '<x-card><h2><b slot="name">Ada</b></h2><i>rest</i>else<u><p>inner</p></u></x-card>',
    );
  });

  it("has the content of frames in place, of this site and of others, with links that still lead there", async () => {
    const site = await startSite((request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(
        request.url === "/deep" ? "<p>deep" : '<p><a href="next">far</a><iframe src="/deep"></iframe>',
      );
    });
    const far = `http://other.test:${site.port}`;
    const html = `<p>top<iframe src="${far}/dir/frame"></iframe><p>end<iframe srcdoc="<p>near"></iframe>
      <iframe srcdoc="hidden" style="display: none"></iframe><iframe srcdoc="pixel" width=1 height=1></iframe>`;
    const body = await bodyOf(html);
    expect(body?.replaceAll(/\s*\n\s*/g, "")).toBe(
      `<p>top<frame ${far}/dir/frame><div><p><a href="${far}/dir/next">far</a>` +
        `<frame ${far}/deep><div><p>deep</p></div></frame></p></div></frame></p>` +
        "<p>end<frame about:srcdoc><div><p>near</p></div></frame></p>",
    );
  });

  it("has the content of a set of frames", async () => {
    const html = `<frameset cols="50%,50%"><frame src="data:text/html,<p>left"><frameset rows="50%,50%">
      <frame src="data:text/html,<p>up"><frame src="data:text/html,<p>down"></frameset></frameset>`;
    const frame = (text: string) => `<frame data:text/html,<p>${text}><div><p>${text}</p></div></frame>`;
    expect(await bodyOf(html)).toMatch(
      new RegExp(`^${frame("left")}<div>\\s*${frame("up")}${frame("down")}</div>\\s*$`),
    );
  });

  it("has no comment but those that stand for its frames", async () => {
    const html = `<!--0--><p>out<!--0--><iframe srcdoc="<!--0--><p>in"></iframe>`;
    const rendered = await render(html);
    expect(rendered.html.match(/<!--/g)).toHaveLength(1);
    expect(rendered.frames).toEqual([{ url: "about:srcdoc", html: "<div><p>in</p></div>", frames: [] }]);
  });

  it("has only so many frames, and says so", async () => {
    const { frames, remarks } = await render('<iframe srcdoc="<p>in"></iframe>'.repeat(MAX_FRAMES + 5));
    expect(frames.filter((framed) => framed?.html.includes("<p>in</p>"))).toHaveLength(MAX_FRAMES);
    expect(remarks).toEqual(["The page is very long, or has many frames: parts of it are left out."]);
  });

  it("has what its scripts fetch, and what only appears when it is scrolled to the end", async () => {
    const site = await startSite((request, response) => {
      response.setHeader("access-control-allow-origin", "*");
      void delay(50).then(() => response.end(`part ${request.url?.slice(1)}`));
    });
    const html = `<div style="height: 3000px">top</div><div id="end"></div><script>
      let part = 0;
      new IntersectionObserver(async ([entry]) => {
        if (!entry.isIntersecting || part === 3) return;
        const response = await fetch("http://other.test:${site.port}/" + ++part);
        const more = document.createElement("div");
        more.style.height = "3000px";
        more.append(await response.text());
        end.before(more);
      }).observe(end);
    </script>`;
    const rendered = await render(html);
    expect(rendered.html).toMatch(/top.*part 1.*part 2.*part 3/s);
    expect(rendered.remarks).toEqual([]);
  });

  it("is where its scripts have gone on to", async () => {
    const site = await startSite((_, response) => {
      response.setHeader("content-type", "text/html").end("<p>the real page");
    });
    const there = `http://site.test:${site.port}/real`;
    const rendered = await render(`<script>location = "${there}"</script>`);
    expect(rendered).toMatchObject({
      url: there,
      html: expect.stringContaining("<p>the real page</p>") as string,
    });
    expect((await render('<p>x<script>history.pushState({}, "", "/elsewhere")</script>')).url).toBe(
      "http://site.test/elsewhere",
    );
  });

  it("is refused when its scripts go on to an error, to nothing, or to what is no page of the web", async () => {
    const site = await startSite((_, response) => response.writeHead(500).end("broken"));
    const goingTo = (url: string) => render(`<p>x<script>location = "${url}"</script>`);
    await Promise.all([
      expect(goingTo(`http://site.test:${site.port}/x`)).rejects.toThrow("answered with status 500."),
      expect(goingTo("http://127.0.0.1:8099/")).rejects.toThrow("answered with status 403."),
      expect(goingTo("https://127.0.0.1:8099/")).rejects.toThrow("The page went on to chrome-error:"),
      expect(goingTo("about:blank")).rejects.toThrow("The page went on to about:blank."),
    ]);
  });

  it("may be five megabytes long; one that is longer than can be taken is cut, and says so", async () => {
    const row = `<p>${"some words ".repeat(20)}</p>`;
    const long = await render(row.repeat(5_000_000 / row.length));
    expect(long.html.length).toBeGreaterThan(5_000_000 - row.length);
    expect(long.remarks).toEqual([]);
    const longer = await render(
      `<p>start</p><div hidden></div><script>document.querySelector("div").append("x".repeat(${MAX_CHARACTERS + 9}))</script>`,
    );
    expect(longer.html).toContain("<p>start</p>");
    expect(longer.html.length).toBeLessThan(MAX_CHARACTERS + 100);
    expect(longer.remarks).toEqual(["The page is very long, or has many frames: parts of it are left out."]);
  });

  it("may be as deep as its scripts make it", async () => {
    const html = `<body><script>let at = document.body; for (let n = 0; n < 2000; n++) at = at.appendChild(document.createElement("b"));
      at.append("bottom")</script>`;
    expect((await render(html)).html).toContain("<b>bottom</b>");
  });
});
