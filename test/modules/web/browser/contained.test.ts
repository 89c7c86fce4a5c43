// What a page can neither do to the browser nor leave behind in it.

import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { startSite } from "../../../environment/network/web.ts";
import { chromiumIsThere, createNode, never, openBrowser, page, patientClock } from "./kit.ts";

describe.skipIf(!chromiumIsThere)("a page", () => {
  const node = createNode();
  const browser = openBrowser(node);
  const render = (html: string, url?: string) =>
    browser.render(page(`<!doctype html><body>${html}`, url), never);

  it("finds nothing of an earlier one: no cookies, no storage, no cache", async () => {
    const site = await startSite(({ url }, response) => {
      // The browser also asks for an icon, some time or other: only what is looked at may leave something.
      if (url !== "/cached") return void response.writeHead(404).end();
      response
        .writeHead(200, { "set-cookie": "sent=1; Max-Age=9999", "cache-control": "max-age=9999" })
        .end("stored");
    });
    const html = `<script>
      const had = [document.cookie, localStorage.x, sessionStorage.x];
      indexedDB.databases().then((found) => {
        had.push(found.length);
        document.body.append("had " + JSON.stringify(had));
        indexedDB.open("kept");
        document.cookie = "x=1; Max-Age=9999";
        localStorage.x = sessionStorage.x = "1";
        fetch("/cached");
      });
    </script>`;
    const url = `http://site.test:${site.port}/page`;
    for (let read = 0; read < 2; read++)
      expect((await render(html, url)).html).toContain('had ["",null,null,0]');
    const cached = site.asked.filter(({ path }) => path === "/cached");
    expect(cached.map(({ headers }) => headers.cookie)).toEqual(["x=1", "x=1"]);
  });

  it("is granted nothing", async () => {
    const html = `<script>
      const names = ["geolocation", "notifications", "camera", "microphone", "clipboard-read", "clipboard-write", "midi", "persistent-storage"];
      Promise.all(names.map((name) => navigator.permissions.query({ name })))
        .then((all) => document.body.append(all.map(({ state }) => state).join()));
      navigator.geolocation.getCurrentPosition(() => document.body.append("found"), () => document.body.append(" not found "));
      document.body.append(" workers: " + ("serviceWorker" in navigator) + " ");
      const frame = document.body.appendChild(document.createElement("iframe"));
      document.body.append(" there: " + ("serviceWorker" in frame.contentWindow.navigator) + " ");
    </script>`;
    const rendered = await render(html, "https://site.test/");
    expect(rendered.html).toContain(Array(8).fill("denied").join());
    for (const text of ["not found", "workers: false", "there: false"]) expect(rendered.html).toContain(text);
  });

  it("asks nobody anything", async () => {
    const html = `<script>
      alert(1); print();
      document.body.append(confirm("2") + " " + prompt("3"));
      onbeforeunload = (event) => { event.preventDefault(); return "stay"; };
    </script>`;
    expect((await render(html)).html).toContain("false null");
  });

  it("opens no windows and saves no files", async () => {
    const site = await startSite((_, response) => {
      response
        .writeHead(200, { "content-disposition": "attachment; filename=evil.bin" })
        .end("x".repeat(10_000));
    });
    const there = `http://site.test:${site.port}`;
    const html = `<a target="_blank" href="${there}/window">x</a><a download="evil.txt">x</a><p>stays<script>
      document.body.append(" opened: " + open("${there}/window"));
      document.links[0].click();
      const [, saved] = document.querySelectorAll("a");
      saved.href = URL.createObjectURL(new Blob(["x"]));
      saved.click();
      location = "${there}/file";
    </script>`;
    const rendered = await render(html);
    expect(rendered.html).toContain("opened: null");
    expect(site.asked.map(({ path }) => path)).toEqual(["/file"]);
    const files = readdirSync(node.scratch, { recursive: true, encoding: "utf8" });
    expect(files.filter((name) => /evil|crdownload|Downloads\//.test(name))).toEqual([]);
  });

  it("takes no other one with it when it crashes", async () => {
    const deep = `<script>let at = document.body;
      for (let n = 0; n < 50000; n++) at = at.appendChild(document.createElement("b"));</script>`;
    const [crashed, other] = await Promise.allSettled([render(deep), render("<p>well")]);
    expect(crashed).toMatchObject({
      status: "rejected",
      reason: { message: "The page made its part of the browser crash." },
    });
    expect(other).toMatchObject({ status: "fulfilled" });
  });

  it("says what it likes without filling the memory of whoever listens", async () => {
    const html = `<p>quiet<script>console.log("x".repeat(70_000_000))</script>`;
    const patient = openBrowser(createNode(patientClock()));
    expect((await patient.render(page(html), never)).html).toContain("<p>quiet</p>");
  }, 120_000);
});
