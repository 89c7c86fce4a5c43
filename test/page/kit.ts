// A person in front of the page: the real program, a real browser, and what either complains of.

import puppeteer, { type Browser, type Page } from "puppeteer";
import { afterAll, expect, onTestFinished } from "vitest";
import { findChromium } from "../../scripts/chromium.mjs";
import { run, runToEnd, type Run } from "../cli/program.ts";
import { createTempProject } from "../temp-project.ts";

/** Without one the tests that need it are left out: `describe.skipIf(!chromiumIsThere)`. With `CI=true` they fail. */
export const chromiumIsThere = findChromium() !== undefined || process.env["CI"] === "true";

let browser: Promise<Browser> | undefined;
afterAll(async () => (await browser)?.close());

function startBrowser(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return puppeteer.launch({
    executablePath: findChromium() ?? "no Chromium",
    args: ["--disable-gpu", ...(isRoot ? ["--no-sandbox"] : [])],
  });
}

export interface Shown {
  readonly page: Page;
  /** Resolves once the page shows `text` where `selector` leads, in one element of them. */
  until(selector: string, text: string): Promise<void>;
  /** Clicks on it once it stands still in sight: what goes on beside it may move it. */
  press(selector: string): Promise<void>;
  /** What stands in each of them, in their order. */
  texts(selector: string): Promise<readonly string[]>;
  /** Goes on pressing Tab until this has the focus. */
  tabTo(selector: string): Promise<void>;
}

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: "light" | "dark";
  /** Where the person is when it is theirs; `undefined`: where it opens. */
  readonly area?: "legion" | undefined;
}

/** Opens it in a window of its own. The test fails if the page complains, or asks another host for anything. */
export async function show(url: string, look: Look = {}) {
  const { width = 1_280, height = 800, scheme = "light" } = look;
  browser ??= startBrowser();
  const context = await (await browser).createBrowserContext();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // A request that is refused, or not heard, is shown on the page.
    const isOfRequest = message.text().startsWith("Failed to load resource");
    if (message.type() !== "log" && !isOfRequest) complaints.push(message.text());
  });
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    const isItself = protocol === "file:" && request.url().split("#")[0] === url;
    if (protocol !== "data:" && !isItself && hostname !== "127.0.0.1")
      complaints.push(`asked ${request.url()}`);
  });
  onTestFinished(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.goto(url);
  const { area } = { area: "legion", ...look };
  if (area !== undefined && url.includes("#token=")) {
    await page.evaluate((one) => location.replace(`#/${one}`), area);
    await page.waitForFunction(() => document.querySelector(".report") === null);
  }
  return person(page);
}

function person(page: Page): Shown {
  return {
    page,
    async until(selector, text) {
      const found = (one: string, wanted: string): boolean =>
        [...document.querySelectorAll(one)].some((element) => element.textContent?.includes(wanted));
      await page.waitForFunction(found, { polling: 50, timeout: 20_000 }, selector, text).catch(async () => {
        const body = await page.evaluate(() => document.body.innerText);
        throw new Error(`${JSON.stringify(text)} is not in ${selector}; the page says:\n${body}`);
      });
    },
    press: (selector) => page.locator(selector).setTimeout(20_000).click(),
    texts: (selector) =>
      page.$$eval(selector, (elements) => elements.map(({ textContent }) => textContent?.trim() ?? "")),
    async tabTo(selector) {
      for (let presses = 0; presses < 60; presses++) {
        if (await page.evaluate((one) => document.activeElement?.matches(one) ?? false, selector)) return;
        await page.keyboard.press("Tab");
      }
      throw new Error(`Tab does not lead to ${selector}`);
    },
  };
}

export interface RunningLegion {
  readonly cwd: string;
  readonly url: string;
  readonly node: Run;
  legion(...args: readonly string[]): Promise<string>;
}

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/#token=[0-9a-f]{64}/;

/** Agents on files with a page, in a process of their own. */
export async function startLegion(agents: string, ...args: readonly string[]): Promise<RunningLegion> {
  const cwd = await createTempProject();
  const node = run(["start", agents, "--model", "offline", "--tick", "0", "--dashboard", "0", ...args], {
    cwd,
  });
  return { cwd, node, url: await addressIn(node), legion: typing(cwd) };
}

/** The page alone, beside whoever runs the legion of `cwd`. */
export async function startPage(cwd: string, ...args: readonly string[]): Promise<string> {
  return addressIn(run(["dashboard", "0", ...args], { cwd }));
}

async function addressIn(program: Run): Promise<string> {
  await program.until("#token=");
  const [url] = ADDRESS.exec(program.out()) ?? [];
  expect(url).toBeDefined();
  return url!;
}

/** What commands print in `cwd`. */
export function typing(cwd: string): RunningLegion["legion"] {
  return async (...args) => {
    const { code, out, err } = await runToEnd(args, { cwd });
    expect([code, err]).toEqual([0, ""]);
    return out;
  };
}
