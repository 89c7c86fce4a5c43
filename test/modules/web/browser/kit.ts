// A real browser for a test file, and a node for it: sites of `site.test` and `other.test` are of the public web, whatever
// port of this machine they are on; everything else on this machine is private.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { findChromium } from "../../../../scripts/chromium.mjs";
import { createBrowser, type Browser } from "../../../../modules/web/browser/browser.ts";
import { findBrowser } from "../../../../modules/web/browser/find.ts";
import type { Fetched } from "../../../../modules/web/document.ts";
import { createClock } from "../../../../src/base/clock.ts";
import { createNetwork } from "../../../../src/environment/network/network.ts";
import type { NodeHost } from "../../../../src/domain/authoring/host.ts";
import { namesOf } from "../../../environment/network/web.ts";

/** Without one the tests that need it are left out: `describe.skipIf(!chromiumIsThere)`. With `CI=true` they fail. */
export const chromiumIsThere = findChromium() !== undefined || process.env.CI === "true";

export const executable = findBrowser({ path: findChromium() ?? "no Chromium", env: {} }) ?? "no Chromium";

const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const HERE = ["127.0.0.1"];

/** A node until the test file is over. */
export function createNode(clock: NodeHost["clock"] = createClock()): NodeHost {
  const folder = mkdtempSync(join(tmpdir(), "legion-browser-"));
  const network = createNetwork({
    allowPrivate: ["site.test", "other.test"],
    lookup: namesOf({ "site.test": HERE, "other.test": HERE, "private.test": HERE }),
  });
  closers.push(async () => {
    await network.close();
    rmSync(folder, { recursive: true });
  });
  return {
    network,
    clock,
    scratch: join(folder, "scratch"),
    environment: { PATH: process.env["PATH"] ?? "", LEGION_RUN: folder, TMPDIR: folder },
    onClose: () => undefined,
    onStatus: () => undefined,
  };
}

/** Limits are ten times as long with it: for what is large, on a machine that has other things to do. */
export function patientClock(): NodeHost["clock"] {
  const { now, sleep } = createClock();
  return { now, sleep: (ms, signal) => sleep(10 * ms, signal) };
}

/** One for the whole test file. */
export function openBrowser(node: NodeHost): Browser {
  const browser = createBrowser(node, { executable });
  closers.push(browser.close);
  return browser;
}

export function page(html: string, url = "http://site.test/page"): Fetched {
  return {
    url,
    status: 200,
    headers: { "content-type": "text/html; charset=utf-8" },
    body: Buffer.from(html),
  };
}

export const never = new AbortController().signal;

/** Every process of a browser that writes to `scratch`, what it started in turn included. */
export function processesOf({ scratch }: Pick<NodeHost, "scratch">): readonly number[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => commandOf(pid).includes(join(scratch, "browser-")));
}

/** The process that was started, and that all others come from. */
export function mainProcessOf(node: Pick<NodeHost, "scratch">): number | undefined {
  return processesOf(node).find((pid) => commandOf(pid).includes("--remote-debugging-pipe"));
}

/** Empty for one that is gone, or only waits to be collected. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
