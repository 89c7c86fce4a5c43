// The life of the one browser of a process.

import { once } from "node:events";
import { readdirSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { createBrowser } from "../../../../modules/web/browser/browser.ts";
import { IDLE_MS, SETTLE_MS, TAKE_MS } from "../../../../modules/web/browser/limits.ts";
import { createHandClock } from "../../../hand-clock.ts";
import { startSite } from "../../../environment/network/web.ts";
import { chromiumIsThere, createNode, executable, mainProcessOf, never, page, processesOf } from "./kit.ts";

/** A page that asks `site` for something that does not come, and is not at rest until then. */
const waitingFor = (site: { readonly port: number }) =>
  page(`<p>here</p><script src="http://site.test:${site.port}/never"></script>`);

describe.skipIf(!chromiumIsThere)("the browser", () => {
  function start(maxPages?: number) {
    const clock = createHandClock();
    const node = createNode(clock);
    const browser = createBrowser(node, { executable, maxPages });
    onTestFinished(() => browser.close());
    return {
      clock,
      node,
      browser,
      nothingIsLeft: () => expect.poll(() => processesOf(node), { timeout: 10_000 }).toEqual([]),
    };
  }

  /** A site that answers nothing; `all` resolves when it was asked `wanted` times. */
  async function startSilent(wanted = 1) {
    let asked!: () => void;
    const all = new Promise<void>((resolve) => (asked = resolve));
    const site = await startSite(() => {
      if (site.asked.length === wanted) asked();
    });
    return { site, all };
  }

  it("starts with the first read, stays for the next, ends when none comes, and starts anew (Z1)", async () => {
    const { clock, node, browser, nothingIsLeft } = start();
    expect(mainProcessOf(node)).toBeUndefined();
    await browser.render(page("<p>one"), never);
    const first = mainProcessOf(node);
    expect(first).toBeDefined();
    clock.advance(IDLE_MS - 1);
    await browser.render(page("<p>two"), never);
    expect(mainProcessOf(node)).toBe(first);
    await clock.asleep(IDLE_MS);
    clock.advance(IDLE_MS);
    await nothingIsLeft();
    await browser.render(page("<p>three"), never);
    expect(mainProcessOf(node)).not.toBe(first);
  });

  it("tries a read again that its end interrupts, in the next one (Z2)", async () => {
    const { node, browser } = start();
    const { site, all } = await startSilent();
    const reading = browser.render(waitingFor(site), never);
    await all;
    site.server.on("request", (_, response) => response.end("document.body.append('loaded')"));
    process.kill(mainProcessOf(node)!, "SIGKILL");
    expect((await reading).html).toContain("loaded");
  });

  it("gives up a read that ends it twice (Z2)", async () => {
    const { node, browser } = start();
    const { site, all } = await startSilent();
    const reading = browser.render(waitingFor(site), never);
    const failing = expect(reading).rejects.toThrow();
    await all;
    const again = once(site.server, "request");
    process.kill(mainProcessOf(node)!, "SIGKILL");
    await again;
    process.kill(mainProcessOf(node)!, "SIGKILL");
    await failing;
    expect((await browser.render(page("<p>well"), never)).html).toContain("well");
  });

  it("has only so many pages open, and lets go of whoever no longer waits (Z3)", async () => {
    const { clock, browser } = start(2);
    const { site, all } = await startSilent(2);
    const late = await startSilent();
    const [first, second] = [1, 2].map(() => browser.render(waitingFor(site), never));
    const impatient = new AbortController();
    const third = browser.render(waitingFor(late.site), impatient.signal);
    const fourth = browser.render(page("<p>fourth"), never);
    await all;
    impatient.abort(new Error("no time"));
    await expect(third).rejects.toThrow("no time");
    expect(late.site.asked).toEqual([]);
    await clock.asleep(SETTLE_MS);
    clock.advance(SETTLE_MS);
    const remarks = ["The page was still loading when it was read."];
    expect(await Promise.all([first, second])).toMatchObject([{ remarks }, { remarks }]);
    expect((await fourth).html).toContain("fourth");
  });

  it("leaves nothing behind when it is closed, whatever it does (Z4)", async () => {
    const { node, browser, nothingIsLeft } = start();
    const { site, all } = await startSilent();
    const reading = browser.render(waitingFor(site), never);
    const failing = expect(reading).rejects.toThrow("The browser is closed.");
    await all;
    await browser.close();
    await failing;
    await nothingIsLeft();
    expect(readdirSync(node.scratch)).toEqual([]);
    await expect(browser.render(page("<p>more"), never)).rejects.toThrow("The browser is closed.");
  });

  it("closes the page of a read that is called off, and goes on", async () => {
    const { browser } = start();
    const { site, all } = await startSilent();
    const stop = new AbortController();
    const reading = browser.render(waitingFor(site), stop.signal);
    const failing = expect(reading).rejects.toThrow("called off");
    await all;
    stop.abort(new Error("called off"));
    await failing;
    await site.closed();
    expect((await browser.render(page("<p>next"), never)).html).toContain("next");
  });

  it("gives up a page that never lets go of its process, and is not held up by it", async () => {
    const { clock, browser } = start();
    const { site, all } = await startSilent();
    const busy = page(`<p>x<script>fetch("http://site.test:${site.port}/begun");
      setTimeout(() => { while (true); }, 50)</script>`);
    const reading = browser.render(busy, never);
    const failing = expect(reading).rejects.toThrow("The scripts of the page never paused.");
    await all;
    await clock.asleep(SETTLE_MS);
    expect((await browser.render(page("<p>meanwhile"), never)).html).toContain("meanwhile");
    clock.advance(SETTLE_MS);
    await clock.asleep(TAKE_MS);
    clock.advance(TAKE_MS);
    await failing;
    expect((await browser.render(page("<p>after"), never)).html).toContain("after");
  });
});
