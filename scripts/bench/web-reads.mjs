// Twenty pages at once through the one browser: how long, how much memory, and what is left of it afterwards.

import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { findChromium } from "../chromium.mjs";
import { figure, load, report, round, temporaryFolder } from "./bench.mjs";

const READS = 20;
const SAMPLE_MS = 100;
const MEGABYTE = 1_048_576;
/** After which processes that are still there count as left behind. */
const LEAVE_MS = 5_000;

const { createBrowser } = await load("modules/web/browser/browser.js");
const { findBrowser } = await load("modules/web/browser/find.js");
const { createNetwork } = await load("src/environment/network/network.js");
const { createClock } = await load("src/base/clock.js");

const executable = findBrowser({ path: findChromium(), env: {} });
if (executable === undefined) throw new Error("no Chromium here: node scripts/check.mjs brings one");

const words = "the quick brown fox jumps over the lazy dog and goes on ".repeat(6);
const paragraph = (/** @type {number} */ n) => `<p>${n} ${words}<a href="/page/${n}">more</a></p>`;
const paragraphs = (/** @type {number} */ count) =>
  Array.from({ length: count }, (_, n) => paragraph(n)).join("");

/** In turn: an article, a page of documentation, one that its script makes of what it fetches. */
const PAGES = [
  `<!doctype html><link rel="stylesheet" href="/style.css"><article>${paragraphs(150)}</article>`,
  `<!doctype html><link rel="stylesheet" href="/style.css"><script src="/script.js"></script><main>${paragraphs(1_800)}</main>`,
  `<!doctype html><div id="app"></div><script>
    fetch("/content").then((answer) => answer.text()).then((html) => { document.querySelector("#app").innerHTML = html; });
  </script>`,
];

const server = createServer((request, response) => {
  response.setHeader("cache-control", "no-store");
  if (request.url === "/style.css") response.end("p { margin: 1em; font-family: serif }".repeat(500));
  else if (request.url === "/script.js") response.end(`globalThis.x = ${JSON.stringify(words.repeat(200))};`);
  else response.end(paragraphs(300));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
const address = server.address();
const port = typeof address === "object" && address ? address.port : 0;

const scratch = join(temporaryFolder(), "scratch");
const network = createNetwork({ allowPrivate: ["127.0.0.1"] });
const node = {
  network,
  clock: createClock(),
  scratch,
  environment: { PATH: process.env.PATH ?? "" },
  onClose: () => undefined,
};
const browser = createBrowser(node, { executable });

/** @param {string} file @returns {string} empty if the process is gone */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function processes() {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => read(`/proc/${pid}/cmdline`).includes(join(scratch, "browser-")));
}

/** Of all processes, what they share counted once. */
function proportionalBytes() {
  const kilobytes = processes().map((pid) =>
    Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, each) => sum + each, 0) * 1_024;
}

const signal = new AbortController().signal;
const readPage = async (/** @type {number} */ n) => {
  const html = PAGES[n % PAGES.length] ?? "";
  const rendered = await browser.render(
    {
      url: `http://127.0.0.1:${port}/page/${n}`,
      status: 200,
      headers: { "content-type": "text/html; charset=utf-8" },
      body: Buffer.from(html),
    },
    signal,
  );
  if (!rendered.html.includes("quick brown fox")) throw new Error(`page ${n} has no text`);
  return rendered;
};

const first = performance.now();
await readPage(0);
const firstMs = performance.now() - first;
const empty = proportionalBytes();
const rssBefore = process.memoryUsage().rss;

let peak = 0;
let rss = 0;
const sampling = setInterval(() => {
  peak = Math.max(peak, proportionalBytes());
  rss = Math.max(rss, process.memoryUsage().rss);
}, SAMPLE_MS);
const started = performance.now();
await Promise.all(Array.from({ length: READS }, (_, n) => readPage(n)));
const wallMs = performance.now() - started;
clearInterval(sampling);
const after = proportionalBytes();

await browser.close();
const until = performance.now() + LEAVE_MS;
while (processes().length > 0 && performance.now() < until)
  await new Promise((resolve) => setTimeout(resolve, 20));
const left = processes().length;
await network.close();
server.close();

const megabytes = (/** @type {number} */ bytes) => `${round(bytes / MEGABYTE, 0)} MB`;
report([
  figure("web", "first read, the start of the browser in it", `${round(firstMs / 1_000, 2)} s`),
  figure("web", `${READS} reads at once, 4 pages open`, `${round(wallMs / 1_000)} s`, {
    beside: `${round(wallMs / READS, 0)} ms each`,
  }),
  figure("web", "memory of the browser, most (PSS)", megabytes(peak), {
    beside: `without a page ${megabytes(empty)}, after ${megabytes(after)}`,
  }),
  figure("web", "memory of this process, most (RSS)", megabytes(rss), {
    beside: `before ${megabytes(rssBefore)}`,
  }),
  figure("web", "processes left after it was closed", `${left}`, { goal: "0", met: left === 0 }),
]);
